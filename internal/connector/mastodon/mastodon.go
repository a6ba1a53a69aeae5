// Package mastodon reads the public timeline or hashtags of a Mastodon server.
//
// A server has no stream that can be resumed. A [reader] therefore combines two interfaces:
//
//	timeline (REST) ──► everything after the cursor ─┐
//	                                                 ├──► Select ──► Deliver
//	stream (server-sent events) ──► what is new now ─┘
//
// After every connect it opens the stream first, then reads the timeline from the cursor to its end,
// and only then handles the events of the stream. There is no gap between the two, and posts that
// arrive twice are recognized. Without an access token, servers do not offer streams; then the reader
// polls the timeline.
//
// The guid of a post is its federated address (uri), so a post that is read from two servers counts
// once. Any server can name any address, so the guid also names the team unless an administrator
// trusts the server; see [reader.guid].
// Deletions contain only the server's ID of a post, so the reader remembers the IDs of stored
// posts in Env.Store; see [index]. After a time without a stream, it checks recently stored posts to
// find those that were changed or deleted in the meantime.
//
// Servers and authors can opt out of being read. Both are honored: see [server.check] and
// [account.optOut].
package mastodon

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"earshot"
	"earshot/internal/connector"
)

// The values of the setting timeline.
const (
	hashtagTimeline = "hashtag"
	publicTimeline  = "public"
	localTimeline   = "local"
	remoteTimeline  = "remote"
)

// maxHashtags limits the hashtags of a source, because each is a connection to the server.
const maxHashtags = 10

// Kind returns the kind "mastodon".
func Kind() connector.Kind {
	return connector.Kind{
		Name:        "mastodon",
		Title:       "Mastodon",
		Description: "Public posts on a Mastodon server, by hashtag or from a timeline, if their authors allow indexing.",
		Settings: []connector.Setting{
			{Name: "url", Title: "Server", Help: "For example https://mastodon.example. You must accept its rules.", Required: true},
			{Name: "timeline", Title: "Timeline", Help: "hashtag: posts with certain hashtags. public: all posts known to the server. local: posts by its own users. remote: posts from other servers.",
				Default: hashtagTimeline, Options: []string{hashtagTimeline, publicTimeline, localTimeline, remoteTimeline}},
			{Name: "trusted", Title: "Trust the server", Default: "false", Options: []string{"false", "true"}, Advanced: true, Admin: true,
				Help: "true: a post that sources of several teams see counts once; then this server can change and delete posts of other teams."},
			{Name: "hashtags", Title: "Hashtags", Help: "Up to 10, separated by commas. Required for the hashtag timeline."},
		},
		Secret:  "access token",
		Keep:    earshot.KeepMatched,
		Check:   func(s connector.Settings, _ string) error { _, err := parseSettings(s); return err },
		Sources: func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.Mastodon} },
		Rules:   readRules,
		New:     func(e connector.Env) connector.Connector { return &mastodon{e} },
	}
}

// mastodon implements [connector.Connector].
type mastodon struct{ connector.Env }

// A config is the settings of a source.
type config struct {
	base     string // address of the server
	timeline string
	streams  []*stream
	accepted string // version of the accepted rules
}

// A stream is a timeline and the events for what is new in it.
type stream struct {
	name   string // in the cursor
	path   string // of the timeline
	query  url.Values
	events string // path and query of the events
}

func parseSettings(s connector.Settings) (c config, err error) {
	if s["url"] == "" {
		return c, errors.New("url is missing: enter the address of a Mastodon server")
	}
	if c.base, err = connector.BaseURL("url", s["url"]); err != nil {
		return c, err
	}
	c.timeline, c.accepted = cmp.Or(s["timeline"], hashtagTimeline), s["accepted_rules"]
	hashtags, err := parseHashtags(s["hashtags"])
	if err != nil {
		return c, err
	}
	if c.timeline != hashtagTimeline && len(hashtags) > 0 {
		return c, fmt.Errorf("hashtags must be empty for the %s timeline", c.timeline)
	}
	const public = "/api/v1/timelines/public"
	switch c.timeline {
	case hashtagTimeline:
		if len(hashtags) == 0 {
			return c, errors.New("hashtags is missing: enter the hashtags to read, separated by commas")
		}
		for _, tag := range hashtags {
			c.streams = append(c.streams, &stream{"hashtag:" + tag, "/api/v1/timelines/tag/" + url.PathEscape(tag), nil, "/api/v1/streaming/hashtag?tag=" + url.QueryEscape(tag)})
		}
	case publicTimeline:
		c.streams = []*stream{{"public", public, nil, "/api/v1/streaming/public"}}
	case localTimeline:
		c.streams = []*stream{{"public:local", public, url.Values{"local": {"true"}}, "/api/v1/streaming/public/local"}}
	case remoteTimeline:
		c.streams = []*stream{{"public:remote", public, url.Values{"remote": {"true"}}, "/api/v1/streaming/public/remote"}}
	default:
		return c, fmt.Errorf("timeline must be %s, %s, %s or %s", hashtagTimeline, publicTimeline, localTimeline, remoteTimeline)
	}
	return c, nil
}

// parseHashtags returns hashtags in lowercase, without #.
func parseHashtags(list string) (tags []string, err error) {
	for tag := range strings.SplitSeq(list, ",") {
		tag = earshot.Hashtag(tag)
		switch {
		case tag == "" || slices.Contains(tags, tag):
			continue
		case strings.ContainsFunc(tag, notInHashtag) || len(tag) > 400:
			return nil, fmt.Errorf("hashtags must be separated by commas and consist of letters, digits and underscores: '%s'", earshot.Clip(tag, 60))
		}
		tags = append(tags, tag)
	}
	if len(tags) > maxHashtags {
		return nil, fmt.Errorf("hashtags: at most %d are allowed; add another source for more", maxHashtags)
	}
	return tags, nil
}

func notInHashtag(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) && r != '_' && r != '·' && r != '\u200c'
}
