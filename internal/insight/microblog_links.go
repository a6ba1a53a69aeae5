package insight

import (
	"sync"
	"time"

	"earshot"
)

// A linkCache caches the URLs of posts for an hour: a lookup reads the post itself. It caches that
// a post does not exist until the store changes. The zero linkCache is empty.
type linkCache struct {
	mu        sync.Mutex
	links     map[linkKey]link
	missing   map[string]bool  // posts that are not stored
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

// maxLinks is how many URLs are cached, at some 200 bytes each. The cache is emptied when there are
// more.
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

// add caches the URL of a post.
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

// isMissing reports whether the store is known not to have a post at a position.
func (b *linkCache) isMissing(post string, at earshot.Position) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.missingAt == at && b.missing[post]
}

// addMissing caches that the store did not have some posts at a position.
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
