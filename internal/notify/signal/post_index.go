package signal

import (
	"sync"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// A postIndex knows the posts that rules about posts have found. It follows the catalog, but has only
// signals that may matter: posts that are older than [maxPostAge] are not looked at again.
type postIndex struct {
	mu      sync.Mutex // guards the fields below
	version uint64     // of the table
	expired time.Time  // when old signals were last removed
	recent  map[earshot.SignalID]*earshot.Signal
	posts   map[earshot.RuleID]map[earshot.PostKey]earshot.SignalID
	full    map[earshot.RuleID]map[earshot.SignalID]bool // signals that cannot list more posts
}

const (
	indexedFor  = 2 * maxPostAge // after a signal was resolved; clocks of sources may be ahead of ours
	expireEvery = time.Hour
)

// knows reports whether a rule has raised a signal about a post. If a signal has more posts than it
// lists, it knows all posts of its time.
func (x *postIndex) knows(c *catalog.Catalog, r earshot.RuleID, p *earshot.Post, now time.Time) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.update(c, now)
	if _, ok := x.posts[r][p.Key()]; ok {
		return true
	}
	for id := range x.full[r] {
		if sig := x.recent[id]; !p.Time.Before(sig.From) && p.Time.Before(sig.To) {
			return true
		}
	}
	return false
}

// update applies catalog changes since the last call, and removes old signals. The caller must hold mu.
func (x *postIndex) update(c *catalog.Catalog, now time.Time) {
	if x.recent == nil {
		x.recent = map[earshot.SignalID]*earshot.Signal{}
		x.posts = map[earshot.RuleID]map[earshot.PostKey]earshot.SignalID{}
		x.full = map[earshot.RuleID]map[earshot.SignalID]bool{}
	}
	isOld := func(sig *earshot.Signal) bool {
		return sig.State != earshot.Firing && now.Sub(sig.Resolved) >= indexedFor
	}
	if now.Sub(x.expired) >= expireEvery {
		for id, sig := range x.recent {
			if isOld(sig) {
				x.remove(id)
			}
		}
		x.expired = now
	}
	ids, version := c.Signals.Changes(x.version)
	for _, id := range ids {
		x.remove(id)
		if sig, ok := c.Signals.Find(id); ok && sig.Kind == earshot.PostSignal && !isOld(sig) {
			x.add(sig)
		}
	}
	x.version = version
}

func (x *postIndex) add(sig *earshot.Signal) {
	x.recent[sig.ID] = sig
	if x.posts[sig.Rule] == nil {
		x.posts[sig.Rule], x.full[sig.Rule] = map[earshot.PostKey]earshot.SignalID{}, map[earshot.SignalID]bool{}
	}
	for _, k := range sig.Posts {
		x.posts[sig.Rule][k] = sig.ID
	}
	if len(sig.Posts) >= earshot.MaxSignalPosts {
		x.full[sig.Rule][sig.ID] = true
	}
}

func (x *postIndex) remove(id earshot.SignalID) {
	old, ok := x.recent[id]
	if !ok {
		return
	}
	delete(x.recent, id)
	delete(x.full[old.Rule], id)
	for _, k := range old.Posts {
		if x.posts[old.Rule][k] == id {
			delete(x.posts[old.Rule], k)
		}
	}
	if len(x.posts[old.Rule]) == 0 {
		delete(x.posts, old.Rule)
		delete(x.full, old.Rule)
	}
}
