// Package feed is the contract of the durable queues that streams are read from. A feed has one
// queue per stream. Items stay in it for Retention, whether they were read or not, so that they can
// be read again from any Cursor. In addition, each queue has a stored cursor: the position up to
// which Take has returned its items.
//
// A queue that nobody reads costs disk space and no memory, and an empty one nothing at all.
//
// Implementations: internal/state/feed/jetstream and its in-memory twin internal/state/feed/memory.
// internal/state/feed/feedtest holds what both promise.
package feed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"

	"earshot"
)

// Retention is how long items stay in a queue.
const Retention = 4 * 24 * time.Hour

// A Feed holds queues. All methods are safe for concurrent use, except Append, which has one caller
// at a time.
type Feed interface {
	// Append adds items to the ends of queues, in their order, and records that everything up to a
	// journal position is appended, even if there are no runs. When it returns, all of that survives
	// a crash. After an error some runs may be appended and others not. Append skips a run that is
	// not after the last one of its queue, so that a repeat adds nothing twice; after a crash in the
	// middle of a long run a part of it may be appended twice.
	Append(ctx context.Context, upTo earshot.Position, runs []Run) error

	// Position returns the journal position up to which everything is appended, and false if
	// nothing was ever appended.
	Position(ctx context.Context) (earshot.Position, bool, error)

	// Reconcile tells the feed the last position of the journal, before the first Append. If a queue
	// or Position is ahead of it, they are positions of another journal: the feed resets them all,
	// because it would skip the runs of this journal otherwise.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Read returns items from a cursor on, at most count and perhaps fewer than there are, but at
	// least one if there is any. It does not move the stored cursor. It fails with ErrBeyondEnd if
	// the cursor is beyond all items that ever were.
	Read(ctx context.Context, stream earshot.StreamID, from Cursor, count int) (Page, error)

	// Cursor returns the stored cursor.
	Cursor(ctx context.Context, stream earshot.StreamID) (Cursor, error)

	// Take returns the next items from the stored cursor on, count of them or all there are, and
	// durably advances the cursor past them. No item is returned twice.
	Take(ctx context.Context, stream earshot.StreamID, count int) (Page, error)

	// Drop advances the stored cursor past count items, or past all if count is negative, and returns
	// how many those were.
	Drop(ctx context.Context, stream earshot.StreamID, count int64) (int64, error)

	// Follow yields pages from a cursor on, of the existing items and then of new ones as they are
	// appended, until ctx ends or the loop stops. Each page has items of one message, at least one;
	// Page.CursorAfter relies on that. It reads at most a few pages ahead of a slow loop. It retries
	// failures of the connection; an error ends it.
	Follow(ctx context.Context, stream earshot.StreamID, from Cursor) iter.Seq2[Page, error]

	// Remove removes a queue with all its items. It is no error if there is none.
	Remove(ctx context.Context, stream earshot.StreamID) error

	// Stats describes the feed for operators.
	Stats(ctx context.Context) (Stats, error)
}

// A Run is the items that one journal entry adds to a queue, or a part of them.
type Run struct {
	Stream   earshot.StreamID
	Position earshot.Position // of the entry; ascending within a queue
	Items    []Item

	// More: other runs of this entry follow. A crash before the last one replays all of them.
	More bool
}

// An Item is a post in a queue, because of a monitor.
type Item struct {
	Monitor earshot.MonitorID
	Post    string // as journal.AppendPost encodes it
}

// A Page is consecutive items of a queue.
type Page struct {
	Items   []Item
	Next    Cursor // the cursor just after them
	Pending int64  // items from the start of the page to the end of the queue; Follow leaves it 0
}

// A Cursor is a position between two items of a queue. The zero Cursor is before the first item.
type Cursor struct {
	Message uint64 // number of the message that holds the item before the cursor
	Index   int    // how many items of that message are before the cursor
}

// End is after the last item of a queue at the time it is used.
var End = Cursor{Message: 1<<64 - 1}

var errCursor = errors.New("a value of the header X-Stream-Cursor, or end")

// String returns a form for URLs and headers: 17-3.
func (c Cursor) String() string { return fmt.Sprintf("%d-%d", c.Message, c.Index) }

// MarshalText is String.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads what String returns, and "end".
func (c *Cursor) UnmarshalText(b []byte) error {
	if strings.EqualFold(string(b), "end") {
		*c = End
		return nil
	}
	var read Cursor
	if n, err := fmt.Sscanf(string(b), "%d-%d", &read.Message, &read.Index); n != 2 || err != nil || read.Index < 0 || read.String() != string(b) {
		return errCursor
	}
	*c = read
	return nil
}

// Before reports whether c is before another cursor of the same queue.
func (c Cursor) Before(other Cursor) bool {
	return c.Message < other.Message || c.Message == other.Message && c.Index < other.Index
}

// Stats describes a feed.
type Stats struct {
	Messages int64
	Bytes    int64 // on disk
}

// CursorAfter returns the cursor just after item i of a page that Follow has yielded.
func (p Page) CursorAfter(i int) Cursor {
	return Cursor{Message: p.Next.Message, Index: p.Next.Index - len(p.Items) + i + 1}
}
