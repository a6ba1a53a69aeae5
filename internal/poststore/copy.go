package poststore

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"earshot"
)

// An Exporter is a store whose contents can be copied to a store of another engine, see package
// storecopy. Nobody may write to the store in the meantime.
type Exporter interface {
	Reader

	Position(ctx context.Context) (earshot.Position, error)
	Generations(ctx context.Context) (map[SetID]int64, error)
	Stats(ctx context.Context) (Stats, error)

	// ExportPosts returns the next posts after a cursor, at most limit, in the order of
	// [CopyCursor.Compare]. It returns none only if there are none left.
	ExportPosts(ctx context.Context, after CopyCursor, limit int) ([]StoredPost, error)

	// SetIDs returns all sets that the store knows anything about, in ascending order.
	SetIDs(ctx context.Context) ([]SetID, error)

	// ExportSet returns what the store knows about a set other than its posts.
	ExportSet(ctx context.Context, id SetID) (StoredSet, error)

	// ExportSnapshots returns all snapshots, in chronological order for each monitor.
	ExportSnapshots(ctx context.Context) (map[earshot.MonitorID][]earshot.Snapshot, error)
}

// An Importer fills an empty store with the contents of another one. The parts of a copy arrive in
// order. If the process ends at any time, another Importer of the same store continues after the last
// checkpoint. Until Accept succeeds, the store cannot be opened for anything else.
type Importer interface {
	// Checkpoint returns the checkpoint of the last part that was imported. It is zero if there is
	// none.
	Checkpoint() Checkpoint

	// Import adds a part. The part may have been imported before if the process ended before its
	// checkpoint was recorded; that has no effect.
	Import(ctx context.Context, p CopyPart) error

	// Finish makes everything visible, at a position in the journal. It may be repeated.
	Finish(ctx context.Context, at earshot.Position, next Checkpoint) error

	// Imported returns the store for comparing it with the source, after Finish.
	Imported() Exporter

	// Accept allows to use the store from now on.
	Accept(ctx context.Context) error
}

// A StoredPost is everything that a store records about a post.
type StoredPost struct {
	Post    earshot.Post
	Sets    []SetID          // in ascending order
	Arrived earshot.Position // position of its journal entry

	// Stored is the UTC day on which the post was first stored, and Matched whether a monitor or
	// filter has ever matched it. Both decide when it expires. A zero time is unknown.
	Stored  time.Time
	Matched bool
}

// A StoredSet is the record of a set, without its posts.
type StoredSet struct {
	ID         SetID
	Generation int64
	Changes    []SetChange     // chronological; category sets have none
	Counters   []CounterChange // in no particular order
}

// A SetChange states when the posts of a set last changed that are from the quarter of an hour that
// begins at Posted.
type SetChange struct{ Posted, Changed time.Time }

// SetChangeStep is the length of a SetChange. In every time zone, days begin at a multiple of it.
const SetChangeStep = CounterStep

// A CopyCursor is a position in the order of copies.
type CopyCursor struct {
	Second int64 // time of a post, in Unix seconds
	Key    KeySum
}

// FirstPost is the cursor before all posts.
var FirstPost = CopyCursor{Second: math.MinInt64}

// CursorOf returns the cursor of a post.
func CursorOf(p *earshot.Post) CopyCursor { return CopyCursor{p.Time.Unix(), SumOf(p.Key())} }

// Compare returns the order of two cursors as -1, 0 or 1.
func (c CopyCursor) Compare(d CopyCursor) int {
	return cmp.Or(cmp.Compare(c.Second, d.Second), bytes.Compare(c.Key[:], d.Key[:]))
}

// A Checkpoint is how far a copy is. Stores record it as JSON.
type Checkpoint struct {
	Source string    `json:"source"` // identifies the contents of the source
	Began  time.Time `json:"began"`
	Chunk  int       `json:"chunk"` // number of posts in a part
	Stage  CopyStage `json:"stage"` // that is next
	Parts  int64     `json:"parts"` // imported so far
	Posts  int64     `json:"posts"` // imported so far

	After CopyCursor `json:"after"` // the last imported post
	Set   SetID      `json:"set"`   // the last imported set, in stage CopySets after the first
}

// A CopyStage is a stage of a copy.
type CopyStage int

// The stages of a copy.
const (
	CopyPosts CopyStage = iota
	CopySets
	CopySnapshots
	CopyFinish
	CopyVerify
)

// A CopyPart is a part of the contents of a store.
type CopyPart struct {
	Posts     []StoredPost
	Sets      []StoredSet
	Snapshots map[earshot.MonitorID][]earshot.Snapshot
	Next      Checkpoint // after this part
}

// ErrUnfinishedCopy is wrapped by errors from opening a store whose contents are incomplete.
var ErrUnfinishedCopy = errors.New("a copy of posts has not finished. Please run 'earshot store copy' again to continue it")
