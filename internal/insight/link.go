package insight

import (
	"sync"
	"time"

	"earshot"
)

// A linkBook remembers for an hour where posts can be read: to find out takes a look at the
// post itself. What was not found is looked for each time, because it may have come. The zero
// linkBook is empty.
type linkBook struct {
	mu    sync.Mutex
	links map[linkKey]link
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

// mostLinks is how many are remembered, at some 200 bytes each. When there are more, all are
// forgotten.
const mostLinks = 100_000

// find returns what is remembered, nothing when it is too old.
func (b *linkBook) find(key linkKey, now time.Time) (url string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if l := b.links[key]; now.Before(l.until) {
		return l.url
	}
	return ""
}

// note remembers where a post can be read.
func (b *linkBook) note(key linkKey, url string, now time.Time) {
	if url == "" {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.links == nil || len(b.links) >= mostLinks {
		b.links = map[linkKey]link{}
	}
	b.links[key] = link{url, now.Add(time.Hour)}
}
