package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/http/client"
)

// RequestTimes are how long one endpoint took to answer, asked by several clients at a time.
type RequestTimes struct {
	Endpoint string  `json:"endpoint"`
	Days     string  `json:"days"`
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"` // of an answer, on average
	P50      float64 `json:"p50Ms"`
	P99      float64 `json:"p99Ms"`
	CPU      float64 `json:"cpuMs"` // of this process for a request, the client's part included; 0 where that cannot be told

	Missing bool   `json:"missing,omitempty"` // there is no such endpoint
	Refused string `json:"refused,omitempty"` // what it said instead of answering
}

// An endpoint is something that is asked of a monitor.
type endpoint struct{ path, query string }

func (e endpoint) String() string {
	if e.query == "" {
		return e.path
	}
	return e.path + "?" + e.query
}

// endpoints are those below /api/monitor/ that tell something of a monitor's posts, in the
// order of the specification; those that it does not have come last.
var endpoints = []endpoint{
	{path: "posts"},
	{path: "posts", query: "extendLimit=true"},
	{path: "results"},
	{path: "volume"},
	{path: "dayandtime"},
	{path: "dayandtime", query: "uselocaltime=true"},
	{path: "imageresults"},
	{path: "sources"},
	{path: "interestaffinities"},
	{path: "interestaffinities", query: "daily=true"},
	{path: "wordcloud"},
	{path: "demographics/age"},
	{path: "demographics/gender"},
	{path: "geography/cities"},
	{path: "geography/states", query: "country=USA"},
	{path: "geography/countries"},
	{path: "authors"},
	{path: "twittermetrics"},
	{path: "instagram/hashtags"},
	{path: "topics"},
	{path: "topicwaves"},
}

const (
	yearDays  = 365
	monthDays = 30
)

// A stretch is how days are chosen for a request.
type stretch struct {
	name string
	pick func(of earshot.Days, d *dice) earshot.Days
}

// The first two are always the same days; the others show that it is not an answer that is
// remembered.
var stretches = []stretch{
	{"the last 30", func(of earshot.Days, _ *dice) earshot.Days { return piece(of, yearDays-monthDays, monthDays) }},
	{"the year", func(of earshot.Days, _ *dice) earshot.Days { return of }},
	{"any 30", func(of earshot.Days, d *dice) earshot.Days {
		return piece(of, d.below(yearDays-monthDays+1), monthDays)
	}},
	{"any 335 to 365", func(of earshot.Days, d *dice) earshot.Days {
		length := yearDays - d.below(monthDays+1)
		return piece(of, d.below(yearDays-length+1), length)
	}},
}

// piece returns some days of others, from one on.
func piece(of earshot.Days, from, length int) earshot.Days {
	start := of.Start.AddDays(from)
	return earshot.Days{Start: start, End: start.AddDays(length)}
}

// request returns a request for some days.
func (v *served) request(e endpoint, days earshot.Days) client.Request {
	query, _ := url.ParseQuery(e.query) // of the list above
	query.Set("id", strconv.FormatInt(int64(v.monitor), 10))
	query.Set("start", days.Start.String())
	query.Set("end", days.End.String())
	return client.Request{Method: "GET", Path: "/api/monitor/" + e.path, Query: query}
}

// times measures one endpoint. It is asked once before that, so that the days are known.
func (v *served) times(ctx context.Context, e endpoint, s stretch) (RequestTimes, error) {
	t := RequestTimes{Endpoint: e.String(), Days: s.name}
	ask := v.asking(func(d *dice) client.Request { return v.request(e, s.pick(v.days, d)) })
	_, err := v.storm(ctx, storm{clients: 1, most: 1, ask: ask})
	var outcome outcome
	if err == nil {
		outcome, err = v.storm(ctx, storm{clients: clients, most: v.runs * clients, longest: longestStorm, ask: ask})
	}
	var refused *client.Error
	switch {
	case errors.As(err, &refused) && refused.Status == http.StatusNotFound && strings.HasPrefix(refused.Message, "No such endpoint"):
		t.Missing = true
		return t, nil
	case errors.As(err, &refused):
		t.Refused = refused.Message
		return t, nil
	case err != nil:
		return t, fmt.Errorf("ask for %s: %w", e, err)
	}
	t.Requests = len(outcome.times)
	t.Bytes = outcome.bytes / int64(t.Requests)
	t.P50, t.P99 = Milliseconds(outcome.times.Quantile(0.5)), Milliseconds(outcome.times.Quantile(0.99))
	t.CPU = Milliseconds(outcome.cpu) / float64(t.Requests)
	return t, nil
}
