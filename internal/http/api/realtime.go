package api

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
)

// How far back realtime data goes, at most and by default. The maximum equals the retention of
// streams. See docs/decisions/0052-realtime-monitor.md.
const (
	maxRealtimeAge     = 4 * 24 * time.Hour
	defaultRealtimeAge = 24 * time.Hour
)

// realtimeRoutes returns the routes for realtime data of monitors.
func (a *API) realtimeRoutes() []rest.Route {
	const category = "Realtime monitors"
	return []rest.Route{
		rest.Handle("GET", "/api/realtime/monitor/list", rest.Streams, a.realtimeMonitors).
			Doc(category, "Lists the monitors that are enabled for realtime data."),
		rest.Handle("POST", "/api/realtime/monitor/configure", rest.Streams, a.configureRealtime).
			Doc(category, "Enables a monitor for realtime data and returns it."),
		rest.Handle("GET", "/api/realtime/monitor/enable", rest.Streams, a.enableRealtime).Changes().
			Doc(category, "Enables a monitor for realtime data."),
		rest.Handle("GET", "/api/realtime/monitor/disable", rest.Streams, a.disableRealtime).Changes().
			Doc(category, "Disables a monitor for realtime data."),
		realtimeRoute(a, "/api/realtime/monitor/detail", anyMonitor, a.realtimeDetail).
			Doc(category, "Returns a monitor and whether it is enabled for realtime data."),
		realtimeRoute(a, "/api/realtime/monitor/details", earshot.RequireRealtime, a.realtimeDetails).
			Doc(category, "Returns a monitor with its categories and emotions, and the number of posts in the last 24 hours."),
		realtimeRoute(a, "/api/realtime/monitor/volume", earshot.RequireRealtime, a.realtimeVolume).
			Doc(category, "Counts recent posts by hour and source."),
		realtimeRoute(a, "/api/realtime/monitor/volumebysentiment", earshot.RequireRealtime, a.realtimeSentiments).
			Doc(category, "Counts recent posts by category and hour."),
		realtimeRoute(a, "/api/realtime/monitor/volumebyemotion", earshot.RequireRealtime, a.realtimeEmotions).
			Doc(category, "Counts recent posts by emotion and hour."),
		realtimeRoute(a, "/api/realtime/monitor/hashtags", earshot.RequireRealtime, a.realtimeHashtags).
			Doc(category, "Counts recent posts by hashtag."),
		realtimeRoute(a, "/api/realtime/monitor/cashtags", earshot.RequireRealtime, a.realtimeCashtags).
			Doc(category, "Counts recent posts by cashtag."),
		realtimeRoute(a, "/api/realtime/monitor/tweets", earshot.RequireRealtime, a.realtimeTweets).
			Doc(category, "Lists recent microblog posts with their scores."),
		realtimeRoute(a, "/api/realtime/monitor/fulltweets", earshot.RequireRealtime, a.realtimeFullTweets).
			Doc(category, "Lists recent microblog posts in the format of /api/monitor/posts."),
		realtimeRoute(a, "/api/realtime/monitor/retweets", earshot.RequireRealtime, a.realtimeRetweets).
			Doc(category, "Lists the most retweeted posts among recent microblog posts."),
		realtimeRoute(a, "/api/realtime/monitor/fullretweets", earshot.RequireRealtime, a.realtimeFullRetweets).
			Doc(category, "Lists recent retweets in the format of /api/monitor/posts."),
		realtimeRoute(a, "/api/realtime/monitor/socialguids", earshot.RequireRealtime, a.socialGUIDs).
			Doc(category, "Lists the ids of recent posts from the given sources."),
	}
}

// realtimeRoute creates a route for an endpoint for the realtime data of a monitor. It requires the
// streams permission.
func realtimeRoute[P monitorParams, R any](a *API, path string, require func(*earshot.Monitor) error,
	fn func(ctx context.Context, m *earshot.Monitor, p P) (R, error)) rest.Route {
	route := monitorRoute(a, path, require, fn)
	route.Access = rest.Streams
	return route
}

// A realtimeResponse is the response from a realtime endpoint.
type realtimeResponse[T any] struct {
	RealtimeData T            `json:"realtimeData" doc:"the requested data"`
	Status       rest.Success `json:"status"`
}

// An epoch is a Unix time in seconds, or 0 if it is not given.
type epoch int64

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *epoch) UnmarshalText(text []byte) error {
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 1 {
		return errEpoch
	}
	*e = epoch(n)
	return nil
}

var errEpoch = fmt.Errorf("a moment of the last %d days, in seconds since 1970", maxRealtimeAge/(24*time.Hour))

// time returns the time, or fallback if none is given. It returns an error for a time in the future
// or before the oldest realtime data.
func (e epoch) time(name string, now, fallback time.Time) (time.Time, error) {
	if e == 0 {
		return fallback, nil
	}
	t := time.Unix(int64(e), 0)
	if t.After(now) || t.Before(now.Add(-maxRealtimeAge)) {
		return t, earshot.InvalidParameter(name, strconv.FormatInt(int64(e), 10), errEpoch.Error())
	}
	return t, nil
}

// Limits on the length of a list. 0 means not given.
type (
	topLimit    int
	resultLimit int
)

const (
	maxTop     = 1000
	maxResults = 10_000
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *topLimit) UnmarshalText(text []byte) error { return parseLimit((*int)(n), text, maxTop) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (n *resultLimit) UnmarshalText(text []byte) error {
	return parseLimit((*int)(n), text, maxResults)
}

func parseLimit(n *int, text []byte, max int) (err error) {
	if *n, err = strconv.Atoi(strings.TrimSpace(string(text))); err != nil || *n < 1 || *n > max {
		return fmt.Errorf("a whole number from 1 to %d", max)
	}
	return nil
}

// realtimeStart identifies a monitor and the start of its realtime data.
type realtimeStart struct {
	monitorID
	Start epoch `query:"start" doc:"start in seconds since 1970, at most 4 days ago; default 24 hours ago"`
}

// recent returns the query for the time from p.Start to now.
func (a *API) recent(p realtimeStart) (r insight.RecentQuery, err error) {
	r.End = a.Now()
	r.Start, err = p.Start.time("start", r.End, r.End.Add(-defaultRealtimeAge))
	return r, err
}

// findSources returns the sources with the given names, without duplicates. Case and spelling may
// vary as in FindSource.
func (a *API) findSources(m *earshot.Monitor, names []string) ([]earshot.Source, error) {
	var list []earshot.Source
	for _, name := range names {
		known, ok := a.Monitors.FindSource(m.Team, trimCustom(name))
		if !ok {
			return nil, earshot.InvalidParameter("type", name, "a source like Twitter or GOOGLE_PLUS, or a content source of the team")
		}
		if source := earshot.Source(known); !slices.Contains(list, source) {
			list = append(list, source)
		}
	}
	return list, nil
}

// trimCustom removes the prefix CUSTOM:, which analysis requests put before the name of a content
// source.
func trimCustom(name string) string {
	const prefix = "CUSTOM:"
	if len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix) {
		return name[len(prefix):]
	}
	return name
}

// realtimeSpan states which monitor and time a response covers.
type realtimeSpan struct {
	MonitorID   earshot.MonitorID `json:"monitorId" doc:"id of the monitor or filter"`
	StartDate   earshot.Timestamp `json:"startDate" doc:"start of the covered time, in the monitor's time zone"`
	EndDate     earshot.Timestamp `json:"endDate" doc:"end of the covered time, exclusive: the time of the response"`
	TotalVolume int64             `json:"totalVolume" doc:"number of posts covered by the response"`
}

func newRealtimeSpan(m *earshot.Monitor, r insight.RecentQuery, posts int64) realtimeSpan {
	return realtimeSpan{MonitorID: m.ID, StartDate: localTime(r.Start, m), EndDate: localTime(r.End, m), TotalVolume: posts}
}
