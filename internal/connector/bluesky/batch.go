package bluesky

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	maxPosts = 1000
	maxBytes = 2 << 20
	maxAge   = 500 * time.Millisecond // checked every quarter of a second
)

// A batch collects events until they are delivered together.
type batch struct {
	began     time.Time
	posts     []earshot.Post
	reposts   []earshot.Post
	seen      map[string]time.Time // when the server saw a post or repost, by guid
	deleted   []string             // guids
	departed  []string             // accounts
	bytes     int
	cursor    cursor
	count     connector.Counters
	selected  []earshot.Post
	textless  []earshot.Post // selected reposts whose text must be looked up
	completed chan struct{}  // closed when selected is complete
}

func newBatch(now time.Time) *batch {
	return &batch{began: now, seen: map[string]time.Time{}, completed: make(chan struct{})}
}

func (b *batch) full() bool {
	return len(b.posts)+len(b.reposts)+len(b.deleted)+len(b.departed) >= maxPosts || b.bytes >= maxBytes
}

// add adds a post or repost, which replaces an earlier version.
func (b *batch) add(p *earshot.Post, seen time.Time) {
	b.drop(func(q *earshot.Post) bool { return q.GUID == p.GUID }, p.GUID)
	if p.Engagement == earshot.Retweet {
		b.reposts = append(b.reposts, *p)
	} else {
		b.posts = append(b.posts, *p)
	}
	b.seen[p.GUID] = seen
	b.bytes += weight(p)
}

// remove deletes posts, including those in the batch: the deletions of a batch are applied before its
// posts.
func (b *batch) remove(guids ...string) {
	for _, guid := range guids {
		b.drop(func(q *earshot.Post) bool { return q.GUID == guid }, guid)
		b.deleted = append(b.deleted, guid)
	}
}

// removeAccount deletes all posts of an account.
func (b *batch) removeAccount(did string) {
	matches := func(q *earshot.Post) bool { return q.PageID == did }
	b.posts, b.reposts = dropped(b.posts, matches), dropped(b.reposts, matches)
	b.departed = append(b.departed, did)
}

// drop removes the post with a guid from the batch, if it is there.
func (b *batch) drop(matches func(*earshot.Post) bool, guid string) {
	if _, ok := b.seen[guid]; ok {
		delete(b.seen, guid)
		b.posts, b.reposts = dropped(b.posts, matches), dropped(b.reposts, matches)
	}
}

func dropped(posts []earshot.Post, matches func(*earshot.Post) bool) []earshot.Post {
	kept := posts[:0]
	for i := range posts {
		if !matches(&posts[i]) {
			kept = append(kept, posts[i])
		}
	}
	return kept
}

// skip counts something that is not stored.
func (b *batch) skip(reason string, n int64) {
	if n > 0 {
		b.count.Add(connector.Counters{Skipped: map[string]int64{reason: n}})
	}
}

// choose lets the sink select the posts of the batch, then the reposts of posts that were selected,
// in this batch or before.
func (b *batch) choose(ctx context.Context, sink connector.Sink, d *directory, r *recent) {
	if len(b.posts) > 0 {
		d.fillKnown(b.posts) // with known profiles, which monitors may select by
		b.selected = sink.Select(ctx, b.posts)
		for i := range b.selected {
			r.keep(&b.selected[i])
		}
	}
	known := b.reposts[:0]
	for i := range b.reposts {
		p := &b.reposts[i]
		switch {
		case !r.repost(p):
			b.skip(unknownRepost, 1)
		case p.Contents == "":
			b.textless = append(b.textless, *p)
		default:
			known = append(known, *p)
		}
	}
	if len(known) > 0 {
		d.fillKnown(known)
		for _, p := range sink.Select(ctx, known) {
			r.keep(&p)
			b.selected = append(b.selected, p)
		}
	}
	b.posts, b.reposts = nil, nil
}

// complete looks up what is missing from the selected posts.
func (b *batch) complete(ctx context.Context, api *appView, d *directory) {
	defer close(b.completed)
	b.lookUp(ctx, api)
	if len(b.selected) > 0 {
		d.complete(ctx, b.selected)
	}
}

// lookUp adds the texts of the originals to reposts. Reposts without a text are skipped.
func (b *batch) lookUp(ctx context.Context, api *appView) {
	if len(b.textless) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, profilePatience)
	defer cancel()
	var uris []string
	found := map[string]earshot.Post{}
	for _, p := range b.textless {
		if _, ok := found[p.ParentGUID]; !ok {
			found[p.ParentGUID] = earshot.Post{}
			uris = append(uris, p.ParentGUID)
		}
	}
	for len(uris) > 0 {
		n := min(perRequest, len(uris))
		posts, err := api.posts(ctx, uris[:n], b.seenOriginals())
		if err != nil {
			break
		}
		for uri, p := range posts {
			found[uri] = p
		}
		uris = uris[n:]
	}
	for _, p := range b.textless {
		of := found[p.ParentGUID]
		if repeat(&p, &of); p.Contents == "" {
			b.skip(unknownRepost, 1)
			continue
		}
		b.selected = append(b.selected, p)
	}
	b.textless = nil
}

// seenOriginals returns times for originals. Reposts do not have them.
func (b *batch) seenOriginals() map[string]time.Time {
	seen := map[string]time.Time{}
	for _, p := range b.textless {
		seen[p.ParentGUID] = p.Time
	}
	return seen
}

// checks returns the checks of the selected posts.
func (b *batch) checks() []check {
	checks := make([]check, len(b.selected))
	for i := range b.selected {
		p := &b.selected[i]
		checks[i] = check{stored: b.seen[p.GUID].Unix(), guid: p.GUID}
		if p.Engagement == earshot.Retweet {
			checks[i].shows = p.ParentGUID
		}
	}
	return checks
}

// result returns what is delivered.
func (b *batch) result() connector.Batch {
	return connector.Batch{Posts: b.selected, Deletions: deletions(b.deleted, b.departed), Cursor: b.cursor.String(), Selected: true}
}

// deletions returns the deletion of posts and accounts.
func deletions(guids, dids []string) []earshot.Deletion {
	if len(guids)+len(dids) == 0 {
		return nil
	}
	return []earshot.Deletion{{Source: earshot.Bluesky, GUIDs: guids, Pages: dids}}
}
