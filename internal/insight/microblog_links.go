package insight

import (
	"sync"
	"time"

	"earshot"
)

// A linkCache caches the URLs of posts for an hour, because a lookup reads the whole post. It also
// caches that a post is not stored, until the store changes. The zero linkCache is empty and ready
// to use.
type linkCache struct {
	mu        sync.Mutex
	links     map[linkKey]link // guarded by mu
	missing   map[string]bool  // posts that are not stored; guarded by mu
	missingAt earshot.Position // position of the store at which they were missing; guarded by mu
}

// A linkKey identifies a repeated post or, with a monitor and a day, a post of that monitor and day
// that repeats it.
type linkKey struct {
	post    string // source, space and guid
	monitor earshot.MonitorID
	day     earshot.Date
}

type link struct {
	url   string
	until time.Time
}

// maxLinks is the maximum number of cached URLs, at about 200 bytes each. A full cache is cleared.
const maxLinks = 100_000

// find returns a cached URL, or "".
func (b *linkCache) find(key linkKey, now time.Time) (url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.links[key]; now.Before(l.until) {
		return l.url
	}
	return ""
}

// add caches the URL of a post. It ignores an empty URL.
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

// isMissing reports whether the store is known to lack a post at a position.
func (b *linkCache) isMissing(post string, at earshot.Position) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missingAt == at && b.missing[post]
}

// addMissing caches that the store lacks some posts at a position.
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
