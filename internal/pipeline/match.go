package pipeline

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/journal"
)

// match completes the posts of a batch and finds the monitors of each, on all cores.
func match(complete *enrich.Enricher, list *watchlist.List, sort sorters, batch *journal.Batch) []poststore.Matched {
	matched := make([]poststore.Matched, len(batch.Posts))
	spread(batch.Posts, func() func([]earshot.Post, int) {
		var doc query.Document
		return func(some []earshot.Post, first int) {
			complete.All(some)
			for i := range some {
				doc.Reset(&some[i])
				monitors, tracked := list.MatchTracked(&doc, nil, nil)
				monitors = sort.sort(monitors, &some[i])
				matched[first+i] = poststore.Matched{Post: some[i], Monitors: monitors, Tracked: tracked, Came: batch.Time}
			}
		}
	})
	return matched
}

// spreadPosts is how many posts a worker takes at a time.
const spreadPosts = 32

// spread gives posts to functions that worker returns, each in a goroutine of its own, a few
// at a time together with the index of the first. A panic in one of them comes up here.
func spread(posts []earshot.Post, worker func() func(some []earshot.Post, first int)) {
	var (
		wait   sync.WaitGroup
		next   atomic.Int64
		failed atomic.Value // what a worker panicked with, and where
	)
	for range min(runtime.GOMAXPROCS(0), len(posts)/(2*spreadPosts)+1) {
		wait.Go(func() {
			defer func() {
				if r := recover(); r != nil { // to the caller's goroutine, which knows the batch
					failed.Store(fmt.Sprintf("%v\n%s", r, debug.Stack()))
				}
			}()
			work := worker()
			for {
				first := int(next.Add(spreadPosts)) - spreadPosts
				if first >= len(posts) {
					return
				}
				work(posts[first:min(first+spreadPosts, len(posts))], first)
			}
		})
	}
	wait.Wait()
	if r := failed.Load(); r != nil {
		panic(r)
	}
}

// refiledAtOnce is how many monitors are filed anew before a batch, when that is
// due: it takes two or three milliseconds.
const refiledAtOnce = 256

// watchlist returns the monitors that watch an entry, compiled, as the catalog has
// them now, and what sorts their posts. It takes time for those that changed since it was
// last called.
func (p *Pipeline) watchlist(at earshot.Position) (*watchlist.List, sorters) {
	p.watching.Lock()
	defer p.watching.Unlock()
	if p.list == nil || at < p.madeFor { // those that had stopped watching watch earlier entries
		p.list, _ = watchlist.New(nil, at)
		p.version, p.madeFor = 0, at
	}
	ids, version := p.Catalog.Monitors.Changes(p.version)
	if len(ids) > 0 || at > p.list.ValidTo() {
		p.list, p.madeFor = p.withChanges(ids, at), at
		p.sorters = p.withSorters(p.sorters, ids)
	}
	p.version = version
	p.list = p.list.Reindex(refiledAtOnce)
	return p.list, p.sorters
}

func (p *Pipeline) withChanges(ids []earshot.MonitorID, at earshot.Position) *watchlist.List {
	var changed []*earshot.Monitor
	var removed []earshot.MonitorID
	for _, id := range ids {
		if m, ok := p.Catalog.Monitors.Find(id); ok {
			changed = append(changed, m)
		} else {
			removed = append(removed, id)
		}
	}
	list, problems := p.list.With(changed, removed, at)
	for _, err := range problems {
		p.Log.Error("monitor left out of the watchlist", "error", err)
	}
	return list
}
