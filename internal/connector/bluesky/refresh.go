package bluesky

import (
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	refreshSpacing = time.Second      // between requests, so at most 25 posts a second are checked
	refreshPause   = 30 * time.Second // after a failed request
)

// A refresher checks stored posts again, to update their counts and find deleted ones.
type refresher struct {
	env       *connector.Env
	api       *appView
	directory *directory
	schedule  *schedule
	out       chan<- *refresh
}

// A refresh is the result of one run of a refresher.
type refresh struct {
	posts     []earshot.Post // new versions
	deleted   []string       // guids
	alive     []check        // of posts that still exist
	delivered chan struct{}  // closed by the receiver
}

func (r *run) refresher(out chan<- *refresh) *refresher {
	return &refresher{env: r.env, api: r.api, directory: r.directory, schedule: r.schedule, out: out}
}

// run checks posts when they are due, until ctx is done.
func (r *refresher) run(ctx context.Context) {
	for wait := refreshSpacing; r.env.Wait(ctx, wait) == nil; {
		wait = refreshSpacing
		if err := r.next(ctx); err != nil && ctx.Err() == nil {
			r.env.Log.Info("posts cannot be checked again at the moment", "reason", err)
			wait = refreshPause
		}
	}
}

// next does the next checks that are due.
func (r *refresher) next(ctx context.Context) error {
	stage, checks, err := r.schedule.due(ctx, r.env.Now())
	if err != nil || len(checks) == 0 {
		return err
	}
	f, err := r.read(ctx, checks)
	if err != nil {
		return err
	}
	select {
	case r.out <- f:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case <-f.delivered:
	case <-ctx.Done():
		return ctx.Err()
	}
	return r.schedule.finish(ctx, stage, len(checks), f.alive)
}

// suspicious is how many posts must be missing for a response without any posts to count as an error
// of the service. Otherwise, all posts would be deleted if the service lost its data.
const suspicious = 5

var errEmpty = errors.New("the AppView knows none of the posts")

// read reads the posts to check. If a post is missing, it or its account was deleted.
func (r *refresher) read(ctx context.Context, checks []check) (*refresh, error) {
	var uris []string
	seen := map[string]time.Time{}
	for i := range checks {
		uri := checks[i].uri()
		if _, ok := seen[uri]; !ok {
			uris = append(uris, uri)
		}
		if seen[uri].IsZero() || checks[i].shows == "" {
			seen[uri] = time.Unix(checks[i].stored, 0).UTC()
		}
	}
	found, err := r.api.posts(ctx, uris, seen)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 && len(uris) >= suspicious {
		return nil, errEmpty
	}
	f := &refresh{delivered: make(chan struct{})}
	for _, c := range checks {
		p, ok := found[c.uri()]
		if !ok {
			f.deleted = append(f.deleted, c.guid)
			continue
		}
		f.alive = append(f.alive, c)
		if c.shows == "" && p.GUID == c.guid {
			f.posts = append(f.posts, p)
		}
	}
	if len(f.posts) > 0 {
		r.directory.complete(ctx, f.posts)
	}
	return f, nil
}
