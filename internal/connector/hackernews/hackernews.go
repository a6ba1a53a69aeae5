// Package hackernews reads Hacker News: stories, comments, jobs and polls.
//
// Items are numbered in order, without holes. A [reader] walks from the last number it has read to the
// newest one, so it misses nothing, no matter how long it was down:
//
//	maxitem.json ──► items last+1 … max, eight at a time ──► Select ──► Deliver
//	updates.json ──► items that changed ──► new versions and deletions
//	search API   ──► older items of a query, one slice of time after the other
//
// The walk sees each item once, soon after it was written. Later changes come from updates.json,
// which lists what changed in the last minutes. After a longer interruption, the reader therefore
// checks the items that it stored in the day before; it remembers their numbers in Env.Store.
//
// The guid of a post is the number of its item, and its page ID is the author's name.
package hackernews

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	networkURL = "https://hacker-news.firebaseio.com"
	searchURL  = "https://hn.algolia.com/api/v1"
)

// Kind returns the kind "hackernews".
func Kind() connector.Kind {
	return connector.Kind{
		Name:        "hackernews",
		Title:       "Hacker News",
		Description: "Stories, comments, jobs, and polls on Hacker News, seconds after they appear.",
		Settings: []connector.Setting{
			{Name: "backfill_query", Title: "Search for older items", Help: "Also collect older items that contain these words. Leave empty to collect only new items."},
			{Name: "backfill_since", Title: "Search back to", Help: "How far back to search: a date such as 2026-01-31."},
			{Name: "interval", Title: "Seconds between checks for new items", Default: "5", Advanced: true},
			{Name: "url", Title: "Address of the network", Default: networkURL, Advanced: true, Admin: true},
			{Name: "search_url", Title: "Address of the search API", Help: "Default: " + searchURL + ", or /api/v1 at the address of the network if you change that.", Advanced: true, Admin: true},
		},
		Keep:    earshot.KeepMatched,
		Check:   func(s connector.Settings, _ string) error { _, err := parseSettings(s); return err },
		Sources: func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.HackerNews} },
		New:     func(e connector.Env) connector.Connector { return &hackerNews{e} },
	}
}

// A config is the settings of a source.
type config struct {
	url, searchURL string
	interval       time.Duration
	query          string
	since          time.Time // zero: no backfill
}

func parseSettings(s connector.Settings) (c config, err error) {
	if c.url, err = connector.BaseURL("url", cmp.Or(s["url"], networkURL)); err != nil {
		return c, err
	}
	c.url = strings.TrimSuffix(c.url, "/v0") // the requests add it
	search := searchURL
	if c.url != networkURL {
		search = c.url + "/api/v1"
	}
	if c.searchURL, err = connector.BaseURL("search_url", cmp.Or(s["search_url"], search)); err != nil {
		return c, err
	}
	seconds, err := strconv.Atoi(cmp.Or(s["interval"], "5"))
	if err != nil || seconds < 1 || seconds > 15 {
		return c, errors.New("interval must be a number of seconds from 1 to 15") // changes are listed for a short time
	}
	c.interval = time.Duration(seconds) * time.Second
	c.query = s["backfill_query"]
	if since := s["backfill_since"]; since != "" {
		if c.since, err = time.Parse(time.DateOnly, since); err != nil || c.since.Year() < 2006 {
			return c, fmt.Errorf("backfill_since must be a date in 2006 or later, such as 2026-01-31")
		}
	}
	if (c.query == "") != c.since.IsZero() {
		return c, errors.New("backfill_query and backfill_since must be set together")
	}
	return c, nil
}

// hackerNews implements [connector.Connector].
type hackerNews struct{ connector.Env }
