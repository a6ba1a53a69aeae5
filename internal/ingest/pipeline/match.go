package pipeline

import (
	"context"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/journal"
)

// matchPosts is the number of posts that a goroutine processes at once. It is small enough that all
// cores finish at about the same time, and large enough that scheduling overhead is negligible.
const matchPosts = 32

// match enriches posts of a batch, finds their monitors and categorizes them, on all cores. For stored
// posts, there is a revision; it is nil for new ones. match finishes even if ctx is canceled so that the
// batch can be stored.
func (p *Pipeline) match(ctx context.Context, posts []earshot.Post, batch *journal.Batch, stored *revision) []poststore.MatchedPost {
	if stored == nil {
		stored = &revision{}
		stored.list, stored.categorizers = p.watchlist(batch.Position)
	}
	list, categorizers := stored.list, stored.categorizers
	matched := make([]poststore.MatchedPost, len(posts))
	documents := sync.Pool{New: func() any { return new(query.Document) }}
	chunks := slices.Collect(slices.Chunk(posts, matchPosts))
	_ = parallel.For(context.WithoutCancel(ctx), len(chunks), 0, func(_ context.Context, c int) error {
		doc := documents.Get().(*query.Document)
		defer documents.Put(doc)
		p.Enrich.All(chunks[c])
		for i := range chunks[c] {
			post := &chunks[c][i]
			stored.restoreLook(post)
			doc.Reset(post)
			monitors, social, own := list.MatchSocial(doc)
			monitors, social, own = stored.keep(post, monitors, social, own)
			sets := postSets(monitors, own)
			for _, id := range monitors {
				for _, categorize := range categorizers[id] {
					sets = categorize(sets, post)
				}
			}
			matched[c*matchPosts+i] = poststore.MatchedPost{Post: *post, Sets: sets, Tracked: postSets(social, own), Received: batch.Time}
		}
		return nil
	}) // f never fails, so there is no error
	return matched
}

// Matches reports for each post whether a monitor selects it, on all cores. It leaves the posts as
// they are.
func (p *Pipeline) Matches(ctx context.Context, posts []earshot.Post) []bool {
	list := p.currentWatchlist()
	matches := make([]bool, len(posts))
	_ = parallel.For(context.WithoutCancel(ctx), (len(posts)+matchPosts-1)/matchPosts, 0, func(_ context.Context, c int) error {
		var doc query.Document
		var ids []earshot.MonitorID
		for i := c * matchPosts; i < min((c+1)*matchPosts, len(posts)); i++ {
			post := posts[i]
			p.Enrich.ForMatching(&post)
			doc.Reset(&post)
			ids = list.Match(&doc, ids[:0])
			matches[i] = len(ids) > 0
		}
		return nil
	}) // f never fails, so there is no error
	return matches
}

// currentWatchlist returns the compiled monitors in the current state of the catalog. It does not
// advance the list to a later entry, because an entry in the journal may need monitors that were
// disabled after it.
func (p *Pipeline) currentWatchlist() *watchlist.List {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	at := p.madeFor
	if p.list == nil {
		at = earshot.Position(p.position.Load()) + 1
	}
	return p.compiled(at)
}

// MatchTimes estimates how long posts have been matched with each monitor, like [watchlist.List.Times].
func (p *Pipeline) MatchTimes() map[earshot.MonitorID]time.Duration {
	p.watchMu.Lock()
	list := p.list
	p.watchMu.Unlock()
	if list == nil {
		return nil
	}
	return list.Times()
}

// postSets returns the sets of the given monitors and the own-post sets of the monitors in own.
func postSets(monitors, own []earshot.MonitorID) []poststore.SetID {
	if len(monitors) == 0 {
		return nil // by far the most common case
	}
	sets := make([]poststore.SetID, 0, len(monitors)+len(own))
	for _, id := range monitors {
		sets = append(sets, poststore.MonitorSet(id))
	}
	for _, id := range own {
		sets = append(sets, poststore.OwnSet(id))
	}
	return sets
}

// maxReindex is the maximum number of monitors that are reindexed before a batch. That takes two or
// three milliseconds, so no batch has to wait for all monitors to be reindexed.
const maxReindex = 256

// watchlist returns the compiled monitors that watch an entry, in the current state of the catalog,
// and the categorizers of their posts. Its cost depends only on the number of monitors that changed
// since the last call.
func (p *Pipeline) watchlist(at earshot.Position) (*watchlist.List, map[earshot.MonitorID][]Categorizer) {
	p.watchMu.Lock()
	defer p.watchMu.Unlock()
	list := p.compiled(at)
	return list, p.categorizers
}

// compiled returns the monitors that watch an entry. The caller holds p.watchMu.
func (p *Pipeline) compiled(at earshot.Position) *watchlist.List {
	if p.list == nil || at < p.madeFor { // a monitor that was disabled later may watch this earlier entry
		p.list, _ = watchlist.New(nil, at)
		p.version, p.madeFor = 0, at
	}
	ids, version := p.Catalog.Monitors.Changes(p.version)
	if len(ids) > 0 || at > p.list.ValidTo() {
		p.update(ids, at)
	}
	p.version = version
	p.list = p.list.Reindex(maxReindex)
	return p.list
}

// update updates the watchlist and the categorizers for an entry after monitors have changed.
// Batches in progress may still use the old ones. The caller holds p.watchMu.
func (p *Pipeline) update(ids []earshot.MonitorID, at earshot.Position) {
	categorizers := map[earshot.MonitorID][]Categorizer{}
	for id, list := range p.categorizers {
		if !slices.Contains(ids, id) {
			categorizers[id] = list
		}
	}
	var changed []*earshot.Monitor
	var removed []earshot.MonitorID
	for _, id := range ids {
		m, ok := p.Catalog.Monitors.Find(id)
		if !ok {
			removed = append(removed, id)
			continue
		}
		changed = append(changed, m)
		if !m.Removed && p.Categorizers != nil {
			if list := p.Categorizers(m); len(list) > 0 {
				categorizers[id] = list
			}
		}
	}
	list, problems := p.list.With(changed, removed, at)
	for _, err := range problems {
		p.Log.Error("monitor left out of the watchlist", "error", err)
	}
	p.list, p.madeFor, p.categorizers = list, at, categorizers
}
