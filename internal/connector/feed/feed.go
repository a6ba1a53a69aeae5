// Package feed reads RSS, Atom and JSON feeds of news sites, blogs and forums. A source has a list of
// up to 10,000 feeds, or the address of one feed or of a page that links to one.
//
//	scheduler ──► workers: request ──► decode ──► compare ──► articles, if wanted
//	    ▲                                                          │
//	    └──────── record of the feed ◄── Deliver ◄── new and changed items
//
// One scheduler has all feeds in a queue by host (queue.go). It polls a feed as often as the feed
// changes, within limits (schedule.go), sends one request at a time to a host, and waits two seconds
// between them. What it knows about a feed, including which items it has delivered, is in the
// feed's record (record.go), which is written after the items are in the journal. After a crash in
// between, the feed is read again. The cursor of the source is not used.
//
// The guid of a post is the canonical link of the item: without trackers and the like, and always
// with https. An article that appears in several feeds is therefore one post. If the link is to another
// site than the one that serves the feed, the guid also names the team: anyone can serve a feed that
// links to a site, and must not be able to replace what other teams have stored. If items have no link,
// or several items of a feed share a link, the guid is the address of the feed plus the item's guid.
//
// Items that vanish from a feed are not deleted: feeds list only the newest items.
package feed

import (
	"errors"
	"fmt"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// Kind returns the kind of sources that read feeds.
func Kind() connector.Kind {
	return connector.Kind{
		Name: "feed", Title: "Feeds",
		Description: "News sites, blogs, and forums, through their RSS, Atom, or JSON feeds.",
		Keep:        earshot.KeepAll,
		Settings: []connector.Setting{
			{Name: "url", Title: "Address", Help: "Address of a feed, or of a page that links to one"},
			{Name: "feeds", Title: "Feeds", Help: fmt.Sprintf("Addresses of up to %d feeds, one per line, each optionally followed by a tab and a title", MaxFeeds), Long: true},
			{Name: "type", Title: "Type", Help: "What the feeds publish", Default: string(earshot.News), Options: []string{string(earshot.News), string(earshot.Blogs), string(earshot.Forums)}},
			{Name: "full_text", Title: "Full text", Help: "Fetch the article if a feed has only a summary and robots.txt allows it", Default: "off", Options: []string{"off", "on"}},
			{Name: "min_interval", Title: "Minimum interval", Help: "Minimum time between two polls of a feed, from 1m to 24h", Default: "5m", Advanced: true},
		},
		Check: func(s connector.Settings, _ string) error {
			_, err := parseSettings(s)
			return err
		},
		Sources: func(s connector.Settings) []earshot.Source {
			if source, ok := earshot.FindNetwork(s["type"]); ok {
				return []earshot.Source{source}
			}
			return []earshot.Source{earshot.News}
		},
		New: func(e connector.Env) connector.Connector { return &feeds{e} },
	}
}

// settings are the parsed settings of a source.
type settings struct {
	feeds       []Feed
	source      earshot.Source
	fullText    bool
	minInterval time.Duration
}

func parseSettings(s connector.Settings) (settings, error) {
	parsed := settings{source: earshot.News, fullText: s["full_text"] == "on", minInterval: 5 * time.Minute}
	var list listBuilder
	if s["url"] != "" {
		if err := list.add(s["url"], ""); err != nil {
			return settings{}, fmt.Errorf("url: %w", err)
		}
	}
	more, err := ParseFeeds(s["feeds"])
	if err != nil {
		return settings{}, fmt.Errorf("feeds: %w", err)
	}
	for _, f := range more {
		if err := list.add(f.URL, f.Title); err != nil {
			return settings{}, fmt.Errorf("feeds: %w", err)
		}
	}
	if parsed.feeds = list.feeds; len(parsed.feeds) == 0 {
		return settings{}, errors.New("enter the address of a feed")
	}
	switch source := earshot.Source(s["type"]); source {
	case "":
	case earshot.News, earshot.Blogs, earshot.Forums:
		parsed.source = source
	default:
		return settings{}, fmt.Errorf("type: '%s' is not one of News, Blogs, Forums", earshot.Clip(s["type"], 60))
	}
	if v := s["full_text"]; v != "" && v != "on" && v != "off" {
		return settings{}, fmt.Errorf("full_text: '%s' is neither on nor off", earshot.Clip(v, 60))
	}
	if v := s["min_interval"]; v != "" {
		d, err := time.ParseDuration(v)
		if err != nil || d < time.Minute || d > maxInterval {
			return settings{}, fmt.Errorf("min_interval: '%s' is not a time from 1m to 24h", earshot.Clip(v, 60))
		}
		parsed.minInterval = d
	}
	return parsed, nil
}
