// Package api is the public HTTP interface: the table of its endpoints in the
// order of the specification, and for each the parameters it takes and the
// answer it gives. What an endpoint computes is done elsewhere; here the wire's
// names and accidents are kept.
package api

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/content"
	"earshot/internal/insight"
	"earshot/internal/monitor"
	"earshot/internal/rest"
)

// An API serves the public interface.
type API struct {
	Accounts *account.Service
	Monitors *monitor.Service
	Content  *content.Service
	Insight  *insight.Service
	Now      func() time.Time

	Restricted []earshot.Source // posts of these sources are shown without their text
	ForClients bool             // the setting compat: what some programs insist on
}

// Routes lists the public interface in the order of the specification.
func (a *API) Routes() []rest.Route {
	routes := []rest.Route{
		rest.Handle("GET", "/api/authenticate", rest.Public, a.authenticate),

		ofMonitor(a, "/api/monitor/posts", anyMonitor, a.posts),
		ofMonitor(a, "/api/monitor/volume", anyMonitor, a.volume),

		rest.Handle("GET", "/api/monitor/audit", rest.SignedIn, a.audit),
		ofMonitor(a, "/api/monitor/detail", anyMonitor, a.monitorDetail),
		rest.Handle("GET", "/api/monitor/list", rest.SignedIn, a.monitorList),
		rest.Handle("GET", "/api/team/list", rest.SignedIn, a.teamList),

		rest.Handle("POST", "/api/content/sources", rest.Content, a.addContentSource),
		rest.Handle("GET", "/api/content/sources/list", rest.Content, a.contentSourceList),
		rest.Handle("DELETE", "/api/content/sources", rest.Content, a.removeContentSource),
		rest.Handle("POST", "/api/content/upload", rest.Content, a.upload),
		rest.Handle("POST", "/api/content/delete", rest.Content, a.removeContent),

		rest.Handle("GET", "/api/geography/info/all", rest.SignedIn, a.geographyAll),
		rest.Handle("GET", "/api/geography/info/countries", rest.SignedIn, a.geographyCountries),
		rest.Handle("GET", "/api/geography/info/states", rest.SignedIn, a.geographyStates),
		rest.Handle("GET", "/api/geography/info/cities", rest.SignedIn, a.geographyCities),
	}
	if a.ForClients {
		routes = append(routes, aboutMonitor(a, "POST", "/api/monitor/posts", anyMonitor, a.postsOfBody))
	}
	return routes
}

// monitorParams are the parameters of an endpoint that is about one monitor.
type monitorParams interface {
	target() earshot.MonitorID
	check() error
}

// ofMonitor makes the route of such an endpoint. suits says which monitors it is for.
func ofMonitor[P monitorParams, R any](a *API, path string, suits func(*earshot.Monitor) error,
	fn func(ctx context.Context, m *earshot.Monitor, p P) (R, error)) rest.Route {
	return aboutMonitor(a, "GET", path, suits, fn)
}

func aboutMonitor[P monitorParams, R any](a *API, method, path string, suits func(*earshot.Monitor) error,
	fn func(ctx context.Context, m *earshot.Monitor, p P) (R, error)) rest.Route {
	return rest.Handle(method, path, rest.SignedIn, func(ctx context.Context, c *earshot.Caller, p P) (answer R, err error) {
		if err := p.check(); err != nil {
			return answer, err
		}
		m, err := a.Monitors.Find(c, p.target())
		if err != nil {
			return answer, err
		}
		if err := suits(m); err != nil {
			return answer, err
		}
		return fn(ctx, m, p)
	})
}

func anyMonitor(*earshot.Monitor) error { return nil }

// monitorID names a monitor or a filter.
type monitorID struct {
	ID earshot.MonitorID `query:"id|monitorid,required"`
}

func (p monitorID) target() earshot.MonitorID { return p.ID }
func (p monitorID) check() error              { return nil }

// monitorRange is a monitor and a range of days in its time zone.
type monitorRange struct {
	monitorID
	Start earshot.Date `query:"start,required"`
	End   earshot.Date `query:"end,required"`
}

func (p monitorRange) check() error {
	if !p.Start.Before(p.End) {
		return earshot.InvalidParameter("end", p.End.String(), "a date after start")
	}
	return nil
}

func (p monitorRange) days() earshot.Days { return earshot.Days{Start: p.Start, End: p.End} }

// mapSlice applies f to each element; the result is never nil, so it prints as [].
func mapSlice[T, R any](list []T, f func(T) R) []R {
	mapped := make([]R, len(list))
	for i, v := range list {
		mapped[i] = f(v)
	}
	return mapped
}

// orEmpty makes a nil list print as [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// success is the status of answers that have one only for some programs.
func (a *API) success() *rest.Success {
	if a.ForClients {
		return &rest.Success{}
	}
	return nil
}

// local is a moment on the clock of a monitor's zone.
// docs/decisions/0012-time-zone-of-timestamps.md
func local(t time.Time, m *earshot.Monitor) earshot.Timestamp {
	return earshot.Timestamp(t.In(m.Location()))
}

func (a *API) restricted(s earshot.Source) bool { return slices.Contains(a.Restricted, s) }
