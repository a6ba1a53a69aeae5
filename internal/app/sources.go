package app

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"earshot"
	"earshot/internal/config"
	"earshot/internal/connector"
	"earshot/internal/connector/bluesky"
	"earshot/internal/connector/feed"
	"earshot/internal/connector/folder"
	"earshot/internal/connector/hackernews"
	"earshot/internal/connector/mastodon"
	"earshot/internal/connector/webhook"
	"earshot/internal/fetch"
	"earshot/internal/http/manage"
	"earshot/internal/jsonvalue"
	"earshot/internal/source"
)

// SourceKinds returns the kinds of live sources, in the order in which people see them.
func SourceKinds() []connector.Kind {
	return []connector.Kind{
		bluesky.Kind(),
		feed.Kind(),
		mastodon.Kind(),
		hackernews.Kind(),
		webhook.Kind(),
		folder.Kind(),
	}
}

// feedLists reads and writes the feeds of a source as OPML.
func feedLists() manage.OPML {
	return manage.OPML{
		Parse: func(r io.Reader) ([]manage.Feed, error) {
			feeds, err := feed.ParseOPML(r)
			return jsonvalue.Map(feeds, func(f feed.Feed) manage.Feed { return manage.Feed(f) }), err
		},
		Write: func(w io.Writer, title string, feeds []manage.Feed) error {
			return feed.WriteOPML(w, title, jsonvalue.Map(feeds, func(f manage.Feed) feed.Feed { return feed.Feed(f) }))
		},
	}
}

// newSources returns the service that runs live sources.
func (a *App) newSources(secret []byte) *source.Service {
	kinds := SourceKinds()
	if a.options.SourceKinds != nil {
		kinds = a.options.SourceKinds
	}
	if demo := a.options.Demo; demo != nil && demo.Kinds != nil {
		kinds = demo.Kinds(kinds)
	}
	var forward func(context.Context, earshot.LiveSourceID, connector.Request) (connector.Response, error)
	if a.config.Clustered() {
		forward = a.forwardRequest
	}
	return &source.Service{
		Forward: forward,
		Kinds:   kinds,
		Catalog: a.catalog,
		Journal: a.Journal,
		Content: a.Content,
		Records: a.connectorRecords,
		Roles:   a.roles,
		Matches: a.pipeline.Matches,
		Stored:  a.posts.Find,
		Pending: a.pending,
		Secret:  secret,
		Env:     connector.Env{HTTP: sourceClient(a.config, a.options.Version)},
		Log:     a.log,
		Now:     a.options.Now,
	}
}

// sourceClient returns the client for requests of live sources.
func sourceClient(cfg config.Config, version string) *http.Client {
	o := fetch.Options{
		Ports:     []uint16{80, 443, 8080, 8443},
		Timeout:   30 * time.Second,
		UserAgent: userAgent(cfg.SourceContact, version),
	}
	if cfg.AllowPrivateAddresses {
		o.Allow = isPrivateOrPublic
	}
	return fetch.HTTP(o)
}

// userAgent identifies the program to networks, with a contact address.
func userAgent(contact, version string) string {
	if version == "" {
		version = "dev"
	}
	if contact == "" {
		return "Earshot/" + version
	}
	return fmt.Sprintf("Earshot/%s (+%s)", version, contact)
}

// isPrivateOrPublic allows addresses of intranets, on any port, but not those of cloud metadata
// services.
func isPrivateOrPublic(to netip.AddrPort) bool {
	addr := to.Addr().Unmap()
	for _, p := range metadata {
		if p.Contains(addr.WithZone("")) {
			return false
		}
	}
	return addr.IsLoopback() || addr.IsPrivate() || fetch.IsPublic(addr)
}

// metadata are the private prefixes of cloud metadata services. Others are link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::/32"),
	netip.MustParsePrefix("fd00:42::/32"),
	netip.MustParsePrefix("fd00:c1::/32"),
}

// runSources runs the live sources once the journal is processed, so that they do not deliver posts
// before the monitors that select them are known to be complete.
func (a *App) runSources(ctx context.Context) {
	for a.catchUp(ctx, false, func(int64) {}) != nil {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
	a.Sources.Run(ctx)
}

// writeSourceMetrics writes the state and the counters of the live sources.
func writeSourceMetrics(w io.Writer, sources []source.Info) {
	phases := []connector.Phase{connector.Starting, connector.Live, connector.CatchingUp, connector.BackingOff, connector.Attention, connector.Stopped}
	for _, s := range sources {
		labels := fmt.Sprintf(`id="%d",kind=%q`, s.ID, s.LiveSource.Kind)
		for _, p := range phases {
			is := 0
			if p == s.State.Phase {
				is = 1
			}
			fmt.Fprintf(w, "earshot_source_state{%s,state=%q} %d\n", labels, string(p), is)
		}
		c := s.Counters
		for _, m := range []struct {
			name  string
			value int64
		}{
			{"events_total", c.Events}, {"posts_total", c.Posts}, {"deletions_total", c.Deletions}, {"bytes_total", c.Bytes},
			{"reconnects_total", c.Reconnects}, {"gap_seconds_total", int64(s.GapTime.Seconds())}, {"lag_seconds", int64(s.State.Lag.Seconds())},
		} {
			fmt.Fprintf(w, "earshot_source_%s{%s} %d\n", m.name, labels, m.value)
		}
		for _, reason := range sortedKeys(c.Skipped) {
			fmt.Fprintf(w, "earshot_source_skipped_total{%s,reason=%q} %d\n", labels, reason, c.Skipped[reason])
		}
	}
}

func sortedKeys(m map[string]int64) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}
