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

// RequestTimes are the response times of an endpoint with several concurrent clients.
type RequestTimes struct {
	Endpoint string  `json:"endpoint"`
	Days     string  `json:"days"`
	Requests int     `json:"requests"`
	Bytes    int64   `json:"bytes"` // average size of a response
	P50      float64 `json:"p50Ms"`
	P99      float64 `json:"p99Ms"`
	CPU      float64 `json:"cpuMs"` // of this process per request, including the client; 0 if unknown

	Missing bool   `json:"missing,omitempty"` // the endpoint does not exist
	Refused string `json:"refused,omitempty"` // the server's message if it rejected the request
}

// An endpoint is a path, with parameters, that takes a monitor.
type endpoint struct{ path, query string }

func (e endpoint) String() string {
	if e.query == "" {
		return e.path
	}
	return e.path + "?" + e.query
}

// endpoints lists the endpoints under /api/monitor/ that report on a monitor's posts, in the order
// of the specification. Those that are not in the specification come last.
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

// A dateRange selects days for a request.
type dateRange struct {
	name string
	pick func(of earshot.Days, d *rng) earshot.Days
}

// dateRanges lists the ranges. The first two are always the same days. The others vary, so their
// results cannot come from a cache of whole responses.
var dateRanges = []dateRange{
	{"the last 30", func(of earshot.Days, _ *rng) earshot.Days { return subrange(of, yearDays-monthDays, monthDays) }},
	{"the year", func(of earshot.Days, _ *rng) earshot.Days { return of }},
	{"any 30", func(of earshot.Days, d *rng) earshot.Days {
		return subrange(of, d.below(yearDays-monthDays+1), monthDays)
	}},
	{"any 335 to 365", func(of earshot.Days, d *rng) earshot.Days {
		length := yearDays - d.below(monthDays+1)
		return subrange(of, d.below(yearDays-length+1), length)
	}},
}

// subrange returns length days of days, skipping the first from.
func subrange(days earshot.Days, from, length int) earshot.Days {
	start := days.Start.AddDays(from)
	return earshot.Days{Start: start, End: start.AddDays(length)}
}

// request returns a request to an endpoint for the given days.
func (v *runningServer) request(e endpoint, days earshot.Days) client.Request {
	query, _ := url.ParseQuery(e.query) // valid, because it is from the list above
	query.Set("id", strconv.FormatInt(int64(v.monitor), 10))
	query.Set("start", days.Start.String())
	query.Set("end", days.End.String())
	return client.Request{Method: "GET", Path: "/api/monitor/" + e.path, Query: query}
}

// times measures one endpoint. It sends one request first, to warm the cache.
func (v *runningServer) times(ctx context.Context, e endpoint, s dateRange) (RequestTimes, error) {
	t := RequestTimes{Endpoint: e.String(), Days: s.name}
	send := v.sender(func(d *rng) client.Request { return v.request(e, s.pick(v.days, d)) })
	_, err := v.runLoad(ctx, loadTest{clients: 1, maxRequests: 1, send: send})
	var outcome loadResult
	if err == nil {
		outcome, err = v.runLoad(ctx, loadTest{clients: clients, maxRequests: v.runs * clients, maxDuration: maxLoadTime, send: send})
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
		return t, fmt.Errorf("request %s: %w", e, err)
	}
	t.Requests = len(outcome.times)
	t.Bytes = outcome.bytes / int64(t.Requests)
	t.P50, t.P99 = Milliseconds(outcome.times.Quantile(0.5)), Milliseconds(outcome.times.Quantile(0.99))
	t.CPU = Milliseconds(outcome.cpu) / float64(t.Requests)
	return t, nil
}
