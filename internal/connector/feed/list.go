package feed

import (
	"fmt"
	"net/url"
	"strings"

	"earshot"
)

// A Feed is a feed that a source reads.
type Feed struct {
	URL   string // of a feed, or of a page that links to one
	Title string // may be empty
}

// MaxFeeds is the maximum number of feeds of a source. One scheduler polls them all.
const MaxFeeds = 10_000

// ParseFeeds parses the setting "feeds": one address per line, optionally followed by a tab and a
// title. Empty lines and repeated addresses are ignored. Errors name the line.
func ParseFeeds(setting string) ([]Feed, error) {
	var list listBuilder
	number := 0
	for line := range strings.Lines(setting) {
		number++
		address, title, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if address == "" {
			continue
		}
		if err := list.add(address, title); err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
	}
	return list.feeds, nil
}

// A listBuilder collects feeds, each address once.
type listBuilder struct {
	feeds []Feed
	known map[string]bool
}

func (l *listBuilder) add(address, title string) error {
	u, err := parseAddress(address)
	if err != nil {
		return err
	}
	f := Feed{URL: u.String(), Title: oneLine(title)}
	if l.known[f.URL] {
		return nil
	}
	if len(l.feeds) == MaxFeeds {
		return fmt.Errorf("a source can have at most %d feeds", MaxFeeds)
	}
	if l.known == nil {
		l.known = map[string]bool{}
	}
	l.known[f.URL] = true
	l.feeds = append(l.feeds, f)
	return nil
}

// parseAddress parses the address of a feed or a page. A missing scheme is https, as in a browser.
// The scheme feed, which some pages use for links to feeds, is replaced.
func parseAddress(address string) (*url.URL, error) {
	address = strings.TrimSpace(address)
	invalid := fmt.Errorf("'%s' is not a web address such as https://example.com/feed", earshot.Clip(address, 60))
	full := address
	if rest, ok := strings.CutPrefix(full, "feed:"); ok {
		full = strings.TrimPrefix(rest, "//")
	}
	bare := !strings.Contains(full, "://")
	if bare {
		full = "https://" + full
	}
	u, err := url.Parse(full)
	switch {
	case err != nil, len(full) > maxAddress, strings.ContainsAny(full, " \t\r\n"):
		return nil, invalid
	case u.Scheme != "http" && u.Scheme != "https", bare && u.User != nil:
		return nil, invalid
	case u.User != nil:
		return nil, fmt.Errorf("'%s' contains a username or password; feeds behind a sign-in cannot be read", earshot.Clip(u.Redacted(), 60))
	case u.Hostname() == "", bare && !strings.Contains(u.Hostname(), "."):
		return nil, invalid
	}
	u.Fragment, u.RawFragment = "", ""
	u.Host = strings.ToLower(u.Host)
	return u, nil
}

// maxAddress is the maximum length of an address in bytes. It must fit into a post.
const maxAddress = 2000

func oneLine(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}
