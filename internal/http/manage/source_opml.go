package manage

import (
	"bytes"
	"context"
	"io"
	"strings"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/source"
)

// A Feed is an entry of a list of feeds.
type Feed struct {
	URL   string
	Title string // may be empty
}

// OPML reads and writes lists of feeds as OPML, the format in which feed readers exchange them.
type OPML struct {
	Parse func(r io.Reader) ([]Feed, error)
	Write func(w io.Writer, title string, feeds []Feed) error
}

// A source of the kind feedKind has the address of a feed in the setting feedSetting, and more feeds
// in feedsSetting: one address per line, optionally followed by a tab and a title.
const (
	feedKind     = "feed"
	feedSetting  = "url"
	feedsSetting = "feeds"
)

func feedsOf(settings map[string]string) []Feed {
	return parseFeeds(settings[feedSetting] + "\n" + settings[feedsSetting])
}

func parseFeeds(text string) (feeds []Feed) {
	for line := range strings.Lines(text) {
		url, title, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if url = strings.TrimSpace(url); url != "" {
			feeds = append(feeds, Feed{url, strings.TrimSpace(title)})
		}
	}
	return feeds
}

func formatFeeds(feeds []Feed) string {
	var b strings.Builder
	for _, f := range feeds {
		b.WriteString(oneLine(f.URL))
		if title := oneLine(f.Title); title != "" {
			b.WriteString("\t" + title)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// oneLine replaces tabs and line breaks, which separate feeds and titles.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func (a *API) findFeeds(c *earshot.Caller, id earshot.LiveSourceID) (source.Info, error) {
	found, err := a.Sources.Find(c, id)
	if err == nil && found.LiveSource.Kind != feedKind {
		err = earshot.Errorf(earshot.Invalid, "Source %d has no feeds: its kind is %s", id, found.LiveSource.Kind)
	}
	return found, err
}

// exportFeeds serves GET /manage/v1/sources/{id}/opml.
func (a *API) exportFeeds(_ context.Context, c *earshot.Caller, p sourceID) (rest.Download, error) {
	found, err := a.findFeeds(c, p.ID)
	if err != nil {
		return rest.Download{}, err
	}
	return rest.Download{
		Type: "text/x-opml; charset=utf-8",
		Name: "feeds.opml",
		Write: func(_ context.Context, w io.Writer) error {
			return a.OPML.Write(w, found.Name, feedsOf(found.Settings))
		},
	}, nil
}

// importFeeds serves POST /manage/v1/sources/{id}/opml. It adds the feeds that the source does not
// have yet.
func (a *API) importFeeds(ctx context.Context, c *earshot.Caller, p struct {
	sourceID
	Body []byte `body:"bytes"`
}) (sourceInfo, error) {
	found, err := a.findFeeds(c, p.ID)
	if err != nil {
		return sourceInfo{}, err
	}
	imported, err := a.OPML.Parse(bytes.NewReader(p.Body))
	if err != nil {
		return sourceInfo{}, earshot.InvalidBody("%v", err)
	}
	known := map[string]bool{}
	for _, f := range feedsOf(found.Settings) {
		known[f.URL] = true
	}
	feeds := parseFeeds(found.Settings[feedsSetting])
	added := 0
	for _, f := range imported {
		if f.URL = oneLine(f.URL); f.URL != "" && !known[f.URL] {
			known[f.URL] = true
			feeds = append(feeds, f)
			added++
		}
	}
	switch {
	case len(imported) == 0:
		return sourceInfo{}, earshot.InvalidBody("the file has no feeds: no outline has an xmlUrl")
	case added == 0:
		return a.newSource(c)(found), nil
	}
	change := source.Change{Settings: map[string]string{feedsSetting: formatFeeds(feeds)}}
	info, err := a.sourceResponse(c)(a.Sources.Edit(ctx, c, p.ID, change))
	return info, networkError(err)
}
