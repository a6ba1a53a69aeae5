// Package picture looks at the pictures of posts: it fetches them, makes thumbnails, runs an image
// model on them, and writes what it found to the journal.
//
// The central idea is that ingest never waits for pictures. The service follows the journal with a
// cursor of its own, some seconds behind the pipeline at most times, and appends entries about the
// posts it has read. The pipeline applies these entries in journal order like any other, so a store
// that is rebuilt from the journal has the same classes without fetching anything again.
//
//	journal ── posts ──▶ follow ──▶ one queue per host ──▶ fetch ──▶ decode, classify ──▶ cache
//	   ▲                    │                                              │
//	   │                    └────────── known URL: cache ─────────────────▶│
//	   └──────────── entries with what was found ◀── collect ◀─────────────┘
//
// The cursor is the journal position up to which all pictures are dealt with: their results are in
// the journal, or they were given up. A crash repeats what comes after it, mostly from the cache.
//
// The cache, a directory, has a record per URL, a result per content hash, and thumbnails of limited
// total size. Everything in it can be made again.
//
// Pictures are untrusted input. Package fetch connects only to public addresses, and limits sizes
// and time; images are decoded one at a time after a look at their dimensions. See docs/images.md.
package picture

import (
	"context"
	"image"
	"iter"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// Limits of the work that a post causes.
const (
	MaxPerPost = 4    // more add little information about a post
	MaxPixels  = 24e6 // a larger picture takes too much memory to decode
	MaxBytes   = 10 << 20
)

// Options of a Service. All fields are required unless noted.
type Options struct {
	Journal Journal
	Posts   Posts
	Cursor  Cursor
	Cache   *Cache
	Model   Model

	// Get returns the body at a URL. If nil, nothing is fetched: only uploaded pictures have
	// results.
	Get func(ctx context.Context, url string) (body []byte, contentType string, err error)

	// Remote asks other nodes for what their caches have. [Service.Answer] answers such a request. It
	// may be nil.
	Remote func(ctx context.Context, request []byte) ([]byte, error)

	// Restricted lists sources whose pictures are not looked at.
	Restricted []earshot.Source

	// Busy reports whether ingest is behind. Decoding and classifying then wait for it for some
	// seconds per picture. It may be nil.
	Busy func() bool

	Now func() time.Time
	Log *slog.Logger
}

// A Model finds out what images show.
type Model struct {
	// Version changes whenever an image may get other classes.
	Version string
	// Classify returns what an image shows. It is never called concurrently. If it is nil, pictures
	// have thumbnails but no classes.
	Classify func(image.Image) ([]earshot.ImageObject, []earshot.ImageBrand, error)
	// Hash returns a perceptual hash.
	Hash func(image.Image) uint64
}

// A Journal is the part of [journal.Journal] that the service uses.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
	Batches(ctx context.Context, after earshot.Position) iter.Seq2[*journal.Batch, error]
	Trimmed(ctx context.Context) (earshot.Position, error)
	Last(ctx context.Context) (earshot.Position, error)
}

// Posts finds stored posts.
type Posts interface {
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// A Cursor is the durable journal position up to which pictures are dealt with. ok is false before
// the first SetPictureCursor.
type Cursor interface {
	PictureCursor(ctx context.Context) (at earshot.Position, ok bool, err error)
	SetPictureCursor(ctx context.Context, at earshot.Position) error
	ResetPictureCursor(ctx context.Context) error
}

// A Service looks at pictures. [Service.Run] does it for posts in the journal.
type Service struct {
	Options

	decoding  chan struct{} // a mutex: a decoded picture takes much memory
	lookBegan time.Time     // guarded by decoding; when the current picture, or the last one, was decoded
	lastLook  time.Duration // guarded by decoding; how long the last picture took
	hosts     *hosts

	mu      sync.Mutex
	entries []*entry         // guarded by mu; entries that are not dealt with, in journal order
	jobs    map[string]*job  // guarded by mu; by URL
	results []*post          // guarded by mu; posts with something new for the journal
	reached earshot.Position // guarded by mu; last entry that was read
	space   chan struct{}    // contains a token when there may be room for another entry

	absent absences

	counts struct{ looked, fetched, cached, failed, bytes atomic.Int64 }
}

// New returns a Service.
func New(o Options) *Service {
	return &Service{Options: o, decoding: make(chan struct{}, 1), hosts: newHosts(), jobs: map[string]*job{}, space: make(chan struct{}, 1)}
}

// Done returns the journal position up to which pictures are dealt with.
func (s *Service) Done() earshot.Position {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done()
}

// Stats describes the work of a Service since the process started.
type Stats struct {
	Waiting       int              // pictures that wait to be fetched or looked at
	Oldest        time.Duration    // how long the oldest of them has waited
	Position      earshot.Position // of the last journal entry whose pictures are dealt with
	Looked        int64            // pictures that were decoded and classified
	Fetched       int64            // files that were fetched
	FetchedBytes  int64
	Cached        int64 // pictures with a result in the cache
	Failed        int64 // pictures that were given up
	Thumbnails    int64
	ThumbnailSize int64 // in bytes
}

// Stats returns statistics for operators.
func (s *Service) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Stats{
		Waiting: len(s.jobs), Position: s.done(),
		Looked: s.counts.looked.Load(), Fetched: s.counts.fetched.Load(), FetchedBytes: s.counts.bytes.Load(),
		Cached: s.counts.cached.Load(), Failed: s.counts.failed.Load(),
	}
	for _, e := range s.entries {
		if e.left > 0 {
			st.Oldest = max(s.Now().Sub(e.read), 0)
			break
		}
	}
	st.Thumbnails, st.ThumbnailSize = s.Cache.Size()
	return st
}
