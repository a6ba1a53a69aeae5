package insight

import (
	"sync"
	"time"

	"earshot"
)

// A linkCache remembers for an hour where posts can be read: to find out takes a look at the
// post itself. That a post is not there is remembered until something comes into the store.
// The zero linkCache is empty.
type linkCache struct {
	mu        sync.Mutex
	links     map[linkKey]link
	missing   map[string]bool  // posts that are not there
	missingAt earshot.Position // of the store when they were not
}

// A linkKey names a repeated post; with a monitor and a day, a post of these that repeats it.
type linkKey struct {
	post    string // source, space and guid
	monitor earshot.MonitorID
	day     earshot.Date
}

type link struct {
	url   string
	until time.Time
}

// maxLinks is how many are remembered, at some 200 bytes each. When there are more, all are
// forgotten.
const maxLinks = 100_000

// find returns what is remembered, nothing when it is too old.
func (b *linkCache) find(key linkKey, now time.Time) (url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.links[key]; now.Before(l.until) {
		return l.url
	}
	return ""
}

// add remembers where a post can be read.
func (b *linkCache) add(key linkKey, url string, now time.Time) {
	if url == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.links == nil || len(b.links) >= maxLinks {
		b.links = map[linkKey]link{}
	}
	b.links[key] = link{url, now.Add(time.Hour)}
}

// isMissing reports whether it is known that the store, as it is at a position, does not have
// a post.
func (b *linkCache) isMissing(post string, at earshot.Position) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missingAt == at && b.missing[post]
}

// addMissing remembers that the store did not have some posts at a position.
func (b *linkCache) addMissing(posts []string, at earshot.Position) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.missingAt != at || b.missing == nil || len(b.missing) >= maxLinks {
		b.missing, b.missingAt = map[string]bool{}, at
	}
	for _, post := range posts {
		b.missing[post] = true
	}
}
