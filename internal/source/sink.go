package source

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/secret/vault"
	"earshot/internal/sleep"
	"earshot/internal/state/journal"
)

const (
	// maxPending is the number of unprocessed journal entries above which sources wait.
	maxPending     = 100
	pendingRefresh = 200 * time.Millisecond

	maxAppendBackoff = 30 * time.Second

	// maxListed is the maximum number of guids, URLs and pages in a journal entry.
	maxListed = 10_000
)

// Reasons why a post is not stored.
const (
	skippedUnmatched = "no monitor matches"
	skippedInvalid   = "no guid, time, or source"
	skippedOld       = "older than the retention"
	skippedTooLarge  = "too large"
)

// A sink accepts what one attempt of a source delivers.
type sink struct {
	runner *runner
	src    *earshot.LiveSource
	ctx    context.Context // of the attempt; it ends when the lease is lost
	secret string
	custom bool // the posts are custom content

	closed atomic.Bool

	mu       sync.Mutex      // guards the field below
	reported connector.State // by the connector
}

var _ connector.Sink = (*sink)(nil)

// errStopped means that the attempt has ended.
var errStopped = errors.New("the source was stopped")

func (k *sink) close() { k.closed.Store(true) }

// check returns an error if the attempt has ended.
func (k *sink) check(ctx context.Context) error {
	if k.closed.Load() || k.ctx.Err() != nil {
		return errStopped
	}
	return ctx.Err()
}

// Select implements connector.Sink.
func (k *sink) Select(ctx context.Context, posts []earshot.Post) []earshot.Post {
	return k.matched(ctx, k.prepare(posts))
}

// Deliver implements connector.Sink. It is safe for concurrent use, because receivers deliver the
// posts of concurrent requests.
func (k *sink) Deliver(ctx context.Context, b connector.Batch) error {
	posts := k.prepare(b.Posts)
	if !b.Selected {
		posts = k.matched(ctx, posts)
	}
	ctx, cancel := context.WithCancel(withValues(ctx, k.ctx)) // with the fence
	defer cancel()
	defer context.AfterFunc(k.ctx, cancel)()
	r := k.runner
	r.delivering.Lock()
	defer r.delivering.Unlock()
	if err := k.check(ctx); err != nil {
		return err
	}
	deletions := k.deletions(b.Deletions)
	if len(posts)+len(deletions) == 0 {
		r.delivered(0, 0, b.Cursor)
		return nil
	}
	if err := r.service.awaitPipeline(ctx); err != nil {
		return err
	}
	for i := range deletions {
		counted := connector.Counters{Deletions: int64(len(deletions[i].GUIDs) + len(deletions[i].URLs) + len(deletions[i].Pages))}
		origin := k.origin(b.Cursor, i == len(deletions)-1 && len(posts) == 0, counted)
		at, err := k.append(ctx, journal.Entry{Deletion: &deletions[i], Origin: origin})
		if err != nil {
			return err
		}
		r.delivered(0, at, origin.Cursor)
		r.count(counted)
	}
	return k.appendPosts(ctx, posts, b.Cursor, true)
}

// appendPosts appends posts in as few entries as possible. The last one of a batch has the cursor.
func (k *sink) appendPosts(ctx context.Context, posts []earshot.Post, cursor string, last bool) error {
	if len(posts) == 0 {
		return nil
	}
	counted := connector.Counters{Posts: int64(len(posts))}
	at, err := k.append(ctx, journal.Entry{Posts: posts, Origin: k.origin(cursor, last, counted)})
	switch {
	case err == nil:
		k.runner.delivered(len(posts), at, cursor)
		if k.src.Keep != earshot.KeepAll { // otherwise they are not needed
			k.runner.remember(posts)
		}
		k.runner.count(counted)
		return nil
	case !earshot.IsKind(err, earshot.TooLarge):
		return err
	case len(posts) == 1:
		k.skip(skippedTooLarge, 1)
		k.runner.delivered(0, 0, cursor)
		return nil
	}
	half := len(posts) / 2
	if err := k.appendPosts(ctx, posts[:half], "", false); err != nil {
		return err
	}
	return k.appendPosts(ctx, posts[half:], cursor, last)
}

// origin returns the origin of an entry that adds to the counters. It has the cursor and the
// counters if the entry is the last one of a batch.
func (k *sink) origin(cursor string, last bool, added connector.Counters) *journal.Origin {
	if !last {
		return &journal.Origin{Source: k.src.ID}
	}
	return k.runner.originAfter(cursor, added)
}

// append writes an entry. While there is no free space or the journal is unavailable, it waits and
// retries, because the network may not have the posts later.
func (k *sink) append(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	s := k.runner.service
	for pause := minBackoff; ; pause = min(2*pause, maxAppendBackoff) {
		at, err := k.write(ctx, e)
		if !earshot.IsKind(err, earshot.StorageFull) && !earshot.IsKind(err, earshot.Unavailable) {
			if pause > minBackoff {
				k.restoreState()
			}
			return at, err
		}
		if pause == minBackoff {
			s.Log.Warn("posts of a live source cannot be stored; waiting", "source", k.src.ID, "error", err)
		}
		k.runner.setState(connector.State{Phase: connector.BackingOff, Until: s.now().Add(pause), Reason: explain(err)})
		if !sleep.For(ctx, pause) || k.check(ctx) != nil {
			return 0, err
		}
	}
}

func (k *sink) write(ctx context.Context, e journal.Entry) (earshot.Position, error) {
	s := k.runner.service
	if !k.custom || len(e.Posts) == 0 {
		return s.Journal.Append(ctx, e)
	}
	at, err := s.Content.Deliver(ctx, e.Posts, e.Origin)
	if earshot.IsKind(err, earshot.NotFound) {
		err = errors.Join(connector.ErrAttention, errors.New("the content source for the posts was removed"))
	}
	return at, err
}

// prepare returns copies of the posts that the source may store, with the fields that only the
// service sets.
func (k *sink) prepare(posts []earshot.Post) []earshot.Post {
	var name earshot.Source
	if k.custom {
		if to, ok := k.runner.service.Catalog.Sources.Find(k.src.ContentSource); ok {
			name = earshot.Source(to.Name)
		}
	}
	var oldest time.Time
	if k.src.RetentionDays > 0 {
		oldest = k.runner.service.now().AddDate(0, 0, -k.src.RetentionDays)
	}
	kept := make([]earshot.Post, 0, len(posts))
	for _, p := range posts {
		p.Batch = k.src.ID.Batch()
		p.ContentSource, p.Team = 0, 0
		if k.custom {
			p.Source, p.ContentSource, p.Team = name, k.src.ContentSource, k.src.Team
		}
		switch {
		case p.GUID == "" || p.Time.IsZero() || p.Source == "":
			k.skip(skippedInvalid, 1)
		case p.Time.Before(oldest):
			k.skip(skippedOld, 1)
		default:
			kept = append(kept, p)
		}
	}
	return kept
}

// matched returns the posts that the source keeps.
func (k *sink) matched(ctx context.Context, posts []earshot.Post) []earshot.Post {
	if k.src.Keep == earshot.KeepAll || len(posts) == 0 {
		return posts
	}
	matches := k.runner.service.Matches(ctx, posts)
	k.markKnown(ctx, posts, matches)
	i := -1
	kept := slices.DeleteFunc(slices.Clone(posts), func(earshot.Post) bool { i++; return !matches[i] })
	k.skip(skippedUnmatched, int64(len(posts)-len(kept)))
	return kept
}

// markKnown sets matches for posts that are stored, or will be.
func (k *sink) markKnown(ctx context.Context, posts []earshot.Post, matches []bool) {
	known := map[earshot.PostKey]bool{}
	var keys []earshot.PostKey
	for i := range posts {
		if key := posts[i].Key(); !matches[i] {
			keys = append(keys, key)
			known[key] = k.runner.deliveredLately(key)
		}
	}
	if len(keys) == 0 {
		return
	}
	stored, err := k.runner.service.Stored(ctx, keys)
	if err != nil {
		k.runner.service.Log.Warn("stored posts of a live source cannot be read; new versions that no monitor selects are skipped", "source", k.src.ID, "error", err)
	}
	for i := range stored {
		known[stored[i].Key()] = true
	}
	for i := range posts {
		matches[i] = matches[i] || known[posts[i].Key()]
	}
}

func (k *sink) skip(reason string, n int64) {
	if n > 0 {
		k.runner.count(connector.Counters{Skipped: map[string]int64{reason: n}})
	}
}

// deletions returns the valid deletions, merged into as few as possible. A source of custom content
// can delete only that.
func (k *sink) deletions(list []earshot.Deletion) []earshot.Deletion {
	var merged []earshot.Deletion
	for _, d := range list {
		d.ContentSource = 0
		if k.custom {
			d.ContentSource, d.Source = k.src.ContentSource, ""
		}
		listed := len(d.GUIDs) + len(d.URLs) + len(d.Pages)
		if !d.Valid() || listed == 0 {
			continue
		}
		if n := len(merged) - 1; n >= 0 && sameScope(merged[n], d) && len(merged[n].GUIDs)+len(merged[n].URLs)+len(merged[n].Pages)+listed <= maxListed {
			merged[n].GUIDs = slices.Concat(merged[n].GUIDs, d.GUIDs)
			merged[n].URLs = slices.Concat(merged[n].URLs, d.URLs)
			merged[n].Pages = slices.Concat(merged[n].Pages, d.Pages)
			continue
		}
		merged = append(merged, d)
	}
	return merged
}

func sameScope(a, b earshot.Deletion) bool {
	return a.ContentSource == b.ContentSource && a.Source == b.Source && a.Batch == b.Batch && a.Before.Equal(b.Before)
}

// Report implements connector.Sink.
func (k *sink) Report(state connector.State) {
	if k.closed.Load() || k.ctx.Err() != nil {
		return
	}
	state.Reason = earshot.Clip(vault.Redact(state.Reason, k.secret), maxReason)
	k.mu.Lock()
	k.reported = state
	k.mu.Unlock()
	k.runner.setState(state)
}

// restoreState sets the state that the connector reported last.
func (k *sink) restoreState() {
	k.mu.Lock()
	state := k.reported
	k.mu.Unlock()
	if state.Phase == "" {
		state.Phase = connector.Starting
	}
	k.runner.setState(state)
}

// Count implements connector.Sink.
func (k *sink) Count(c connector.Counters) { k.runner.count(c) }

// Gap implements connector.Sink. The gap is in the catalog when it returns.
func (k *sink) Gap(ctx context.Context, g connector.Gap) error {
	r := k.runner
	r.delivering.Lock()
	defer r.delivering.Unlock()
	if err := k.check(ctx); err != nil {
		return err
	}
	if !g.From.Before(g.To) {
		return nil
	}
	g.Reason = earshot.Clip(vault.Redact(g.Reason, k.secret), maxReason)
	r.addGap(g)
	return r.saveDelivered(ctx, 0)
}

// awaitPipeline waits while too many journal entries are not processed.
func (s *Service) awaitPipeline(ctx context.Context) error {
	for s.Pending != nil {
		n, err := s.backlog.get(ctx, s.Pending)
		if err != nil || n <= maxPending { // if the journal fails, appending to it also fails
			return nil
		}
		if !sleep.For(ctx, pendingRefresh) {
			return ctx.Err()
		}
	}
	return nil
}

// A backlog caches the number of pending entries for all sources.
type backlog struct {
	mu   sync.Mutex // guards the fields below
	n    int64
	read time.Time
}

func (b *backlog) get(ctx context.Context, read func(context.Context) (int64, error)) (int64, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if time.Since(b.read) < pendingRefresh {
		return b.n, nil
	}
	n, err := read(ctx)
	if err == nil {
		b.n, b.read = n, time.Now()
	}
	return n, err
}
