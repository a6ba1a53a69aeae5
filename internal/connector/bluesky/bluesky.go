// Package bluesky reads posts from Bluesky. Jetstream servers send everything that happens on the
// network as JSON over a WebSocket; the connector requests only posts, reposts and profiles.
//
//	Jetstream ──► stream ──► reader ──► batch ──► Sink.Select ──► profiles ──► Sink.Deliver
//	  servers      failover   decode     1 s, or                     ▲
//	                                     1,000 posts              AppView
//	                                                                 ▼
//	                                    schedule: 1 h, 6 h … ──► counts ──────► Sink.Deliver
//
// Events contain neither authors' names nor like counts. The AppView, the service behind the Bluesky
// app, has them: the connector looks up the authors of posts that match a monitor, and checks those
// posts again when they are an hour, six hours, a day and a week old.
//
// The cursor is the time of the last event. A server keeps events for a day or two and silently
// continues with the oldest one that it has if a cursor is older; see [reader.checkStart].
package bluesky

import (
	"context"
	"fmt"
	"sync"

	"earshot"
	"earshot/internal/connector"
)

// Kind returns the kind of sources that read Bluesky.
func Kind() connector.Kind {
	return connector.Kind{
		Name:        "bluesky",
		Title:       "Bluesky",
		Description: "All public posts on Bluesky, as they are published.",
		Settings: []connector.Setting{
			{
				Name: "url", Title: "Jetstream servers", Advanced: true, Admin: true,
				Help: "Addresses of the servers to read, separated by commas. Leave empty to use the public servers.",
			},
			{
				Name: "api_url", Title: "AppView", Advanced: true, Admin: true,
				Help: "Address of the service that provides profiles and like counts. Leave empty to use the Jetstream server above, if it provides them, or https://public.api.bsky.app.",
			},
			{
				Name: "protocol", Title: "Protocol", Default: "v1", Options: []string{"v1", "v2"}, Advanced: true,
				Help: "Version of the Jetstream protocol. All servers support v1.",
			},
			{
				Name: "engagement", Title: "Likes, reposts, and replies", Default: "on", Options: []string{"on", "off"}, Advanced: true,
				Help: "Whether to update the counts of likes, reposts, and replies after 1 hour, 6 hours, 1 day, and 7 days.",
			},
		},
		Keep:    earshot.KeepMatched,
		Check:   checkSettings,
		Sources: func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.Bluesky} },
		New:     func(e connector.Env) connector.Connector { return &source{e} },
	}
}

// checkSettings returns a user-facing error if settings are invalid.
func checkSettings(s connector.Settings, _ string) error {
	if _, err := hostsOf(s); err != nil {
		return err
	}
	if address := s["api_url"]; address != "" {
		if _, err := parseAddress(address, "https", "http"); err != nil {
			return err
		}
	}
	for name, allowed := range map[string][2]string{"protocol": {"v1", "v2"}, "engagement": {"on", "off"}} {
		if v := s[name]; v != "" && v != allowed[0] && v != allowed[1] {
			return fmt.Errorf("%s must be %s or %s", name, allowed[0], allowed[1])
		}
	}
	return nil
}

// A source is a configured connection to Bluesky.
type source struct{ env connector.Env }

// Sample implements [connector.Connector]. It reads what was published in the last minute.
func (c *source) Sample(ctx context.Context, n int) ([]earshot.Post, error) {
	reading, cancel := context.WithCancel(ctx)
	defer cancel()
	items := make(chan item)
	s, err := newStream(&c.env, items, func(connector.Counters) {})
	if err != nil {
		return nil, err
	}
	s.cursor = startAt(c.env.Now())
	ended := make(chan error, 1)
	var reader sync.WaitGroup
	reader.Go(func() { ended <- s.run(reading) })
	posts, err := collect(ctx, n, items, ended)
	cancel()
	reader.Wait()
	if len(posts) > 0 {
		newDirectory(newAppView(&c.env)).complete(ctx, posts)
		err = nil
	}
	return posts, err
}

// collect returns the first n posts of a stream. The error is nil if ctx is done.
func collect(ctx context.Context, n int, items <-chan item, ended <-chan error) (posts []earshot.Post, err error) {
	for len(posts) < n {
		select {
		case i := <-items:
			if i.kind == postEvent && i.post != nil {
				posts = append(posts, *i.post)
			}
		case err := <-ended:
			if ctx.Err() != nil {
				err = nil
			}
			return posts, err
		case <-ctx.Done():
			return posts, nil
		}
	}
	return posts, nil
}
