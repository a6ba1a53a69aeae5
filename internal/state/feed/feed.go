// Package feed says what is asked of the durable queues that streams are read from. A feed
// has one queue for each stream. What is appended to it stays for Kept, whoever has read it,
// so that it can be read again from any Place; apart from that each queue has one place of
// its own, up to which its posts were handed out.
//
// A queue that nobody reads costs room on disk and no memory, and one that has no posts
// nothing at all.
//
// Implementations: internal/state/feed/jetstream and its plain twin internal/state/feed/memory.
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

// Retention is how long posts stay in a queue.
const Retention = 4 * 24 * time.Hour

// A Feed holds queues. All methods may be called at the same time, but for Append, which has
// one caller at a time.
type Feed interface {
	// Append adds items to the ends of queues, in their order, and notes that everything up to a
	// journal position is appended, also when there are no runs. When it returns, all of that
	// survives a crash. After a failure some runs may be appended and others not. A run that is not
	// after the last one of its queue is skipped, so that a repeat adds nothing twice; a crash
	// in the middle of a long run may have a part of it come twice.
	Append(ctx context.Context, upTo earshot.Position, runs []Run) error

	// Position returns up to which journal position everything is appended, and false when
	// nothing was ever appended.
	Position(ctx context.Context) (earshot.Position, bool, error)

	// Reconcile says that the journal ends at a position. Runs are positions of that journal: where
	// a queue or Position claims to have more, that was another journal, and all positions of
	// that are forgotten, or what comes next would be skipped. It comes before the first Append.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Read returns items from a place on, at most count and perhaps fewer than there are, but
	// at least one where there is any. It does not move the queue's own place. It fails with
	// ErrBeyondEnd when there never was such a place.
	Read(ctx context.Context, stream earshot.StreamID, from Cursor, count int) (Page, error)

	// Cursor returns the queue's own place.
	Cursor(ctx context.Context, stream earshot.StreamID) (Cursor, error)

	// Take returns the next items from the queue's own place on, count of them or all there are,
	// and moves it behind them, durably. Two who take never get the same item.
	Take(ctx context.Context, stream earshot.StreamID, count int) (Page, error)

	// Drop moves the queue's own place behind count items, behind all when count is negative,
	// and returns how many that were.
	Drop(ctx context.Context, stream earshot.StreamID, count int64) (int64, error)

	// Follow yields pages from a place on, of the items there are and then of new ones as they
	// come, until ctx ends or the loop stops. Each has items of one message, at least one, which
	// is what Page.CursorAfter relies on. It reads ahead no more
	// than a few pages, however slow the loop is. Failures of the connection are waited out; an
	// error is the last thing that it yields.
	Follow(ctx context.Context, stream earshot.StreamID, from Cursor) iter.Seq2[Page, error]

	// Remove forgets a queue with everything in it. It is no error when there is none.
	Remove(ctx context.Context, stream earshot.StreamID) error

	// Stats describes the feed for operators.
	Stats(ctx context.Context) (Stats, error)
}

// A Run is what one journal entry adds to a queue, or a part of it.
type Run struct {
	Stream   earshot.StreamID
	Position earshot.Position // of the entry: grows from run to run of a queue
	Items    []Item

	// More says that other runs of the entry follow: until the last of them is appended, the
	// entry counts as not appended, and what there is of it comes twice after a crash.
	More bool
}

// An Item is a post in a queue, because of a monitor.
type Item struct {
	Monitor earshot.MonitorID
	Post    string // as journal.AppendPost encodes it
}

// A Page is a piece of a queue.
type Page struct {
	Items   []Item
	Next    Cursor // the place just after them
	Pending int64  // how many items there were from the page's beginning on, its own included; Follow leaves it 0
}

// A Cursor is between two items of a queue. The zero Place is before the first, and End after
// the last there is when it is used.
type Cursor struct {
	Message uint64 // number of the message that holds the item before it
	Index   int    // how many items of that message are before it
}

// End is behind everything that is in a queue at the moment it is used.
var End = Cursor{Message: 1<<64 - 1}

var errCursor = errors.New("a value of the header X-Stream-Cursor, or end")

// String returns a spelling that is fit for addresses and headers.
func (p Cursor) String() string { return fmt.Sprintf("%d-%d", p.Message, p.Index) }

// MarshalText is String.
func (p Cursor) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads what String wrote, and "end".
func (p *Cursor) UnmarshalText(b []byte) error {
	if strings.EqualFold(string(b), "end") {
		*p = End
		return nil
	}
	var read Cursor
	if n, err := fmt.Sscanf(string(b), "%d-%d", &read.Message, &read.Index); n != 2 || err != nil || read.Index < 0 || read.String() != string(b) {
		return errCursor
	}
	*p = read
	return nil
}

// Before reports whether p is before another place of the same queue.
func (p Cursor) Before(q Cursor) bool {
	return p.Message < q.Message || p.Message == q.Message && p.Index < q.Index
}

// Stats describes a feed.
type Stats struct {
	Messages int64
	Bytes    int64 // on disk
}

// CursorAfter returns the place just after the page's item i. Its items are of one message where
// Follow has yielded it, and only then.
func (p Page) CursorAfter(i int) Cursor {
	return Cursor{Message: p.Next.Message, Index: p.Next.Index - len(p.Items) + i + 1}
}
