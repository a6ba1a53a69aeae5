package app

import (
	"context"
	"io"
	"net/http"
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
		forward = a.cluster.Forward
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
		UserAgent: fetch.UserAgent(version, cfg.SourceContact),
	}
	if cfg.AllowPrivateAddresses {
		o.Allow = fetch.IsPrivateOrPublic
	}
	return fetch.HTTP(o)
}

// runSources runs the live sources once the journal is processed, so that they do not deliver posts
// before the monitors that select them are known to be complete.
func (a *App) runSources(ctx context.Context) {
	if a.waitCaughtUp(ctx) {
		a.Sources.Run(ctx)
	}
}
