// Package feed defines the durable queues behind streams. A feed has one queue per stream. Items
// stay in their queue for Retention, whether or not they were read, so they can be read again from
// any Cursor. Each queue also has a stored cursor: the position up to which Take has returned its
// items.
//
// A queue without readers uses disk space but no memory; an empty queue uses neither.
//
// Implementations: internal/state/feed/jetstream, and internal/state/feed/memory for tests. The
// contract test for both is internal/state/feed/feedtest.
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

// A Feed is a set of queues. All methods are safe for concurrent use, except that calls of Append
// must not overlap.
type Feed interface {
	// Append adds items to the ends of queues, in order, and records that everything up to a
	// journal position is appended, even if there are no runs. Once it returns, all of that
	// survives a crash. After an error some runs may be appended and others not. Append skips runs
	// that are not after the last run of their queue, so a repeat adds nothing twice. A crash in
	// the middle of a long run may cause part of it to be appended twice.
	Append(ctx context.Context, upTo earshot.Position, runs []Run) error

	// Position returns the journal position up to which everything is appended, or false if there
	// was no Append yet.
	Position(ctx context.Context) (earshot.Position, bool, error)

	// Reconcile passes the last position of the journal to the feed, before the first Append. If a
	// queue or Position is ahead of it, the feed's positions refer to another journal. The feed
	// then resets them all, because it would skip the runs of this journal otherwise.
	Reconcile(ctx context.Context, last earshot.Position) error

	// Read returns at most count items from a cursor on. It may return fewer than available, but at
	// least one if there is one. It does not move the stored cursor. It fails with ErrBeyondEnd if
	// the cursor is after all items that were ever appended.
	Read(ctx context.Context, stream earshot.StreamID, from Cursor, count int) (Page, error)

	// Cursor returns the stored cursor.
	Cursor(ctx context.Context, stream earshot.StreamID) (Cursor, error)

	// Take returns the next items from the stored cursor on, at most count, and durably advances
	// the cursor past them. It returns fewer only if the queue has no more. No item is returned
	// twice.
	Take(ctx context.Context, stream earshot.StreamID, count int) (Page, error)

	// Drop advances the stored cursor past count items, or past all items if count is negative, and
	// returns the number of skipped items.
	Drop(ctx context.Context, stream earshot.StreamID, count int64) (int64, error)

	// Follow yields pages from a cursor on, of existing items and then of new ones as they are
	// appended, until ctx ends or the loop stops. Each page has at least one item, and all its
	// items are from one message, as Page.CursorAfter requires. Follow reads at most a few pages
	// ahead of a slow loop. It retries connection failures; the sequence ends after an error.
	Follow(ctx context.Context, stream earshot.StreamID, from Cursor) iter.Seq2[Page, error]

	// Remove removes a queue with all its items. It is not an error if the queue does not exist.
	Remove(ctx context.Context, stream earshot.StreamID) error

	// Stats returns statistics for operators.
	Stats(ctx context.Context) (Stats, error)
}

// A Run is the list of items that one journal entry adds to a queue, or a part of that list.
type Run struct {
	Stream   earshot.StreamID
	Position earshot.Position // of the entry; ascending within a queue
	Items    []Item

	// More means that other runs of this entry follow. A crash before the last one replays all of
	// them.
	More bool
}

// An Item is a post in a queue, with the monitor that matched it.
type Item struct {
	Monitor earshot.MonitorID
	Post    string // as encoded by journal.AppendPost
}

// A Page is a list of consecutive items of a queue.
type Page struct {
	Items   []Item
	Next    Cursor // cursor just after them
	Pending int64  // number of items from the start of the page to the end of the queue; 0 in pages of Follow

	// UpTo is the journal position up to which posts were stored by the node that appended the
	// items; 0: unknown, because they belong to an earlier journal.
	UpTo earshot.Position
}

// AddItem adds an item of a message to a page. The cursor is just after it, and epoch is that of the
// feed.
func (p *Page) AddItem(h Header, item Item, after Cursor, epoch uint64) {
	p.Items, p.Next = append(p.Items, item), after
	if h.Epoch == epoch {
		p.UpTo = max(p.UpTo, h.UpTo)
	}
}

// A Cursor is a position between two items of a queue. The zero Cursor is before the first item.
type Cursor struct {
	Message uint64 // number of the message with the item before the cursor
	Index   int    // number of items of that message before the cursor
}

// End is the cursor after the last item of a queue at the time of use.
var End = Cursor{Message: 1<<64 - 1}

var errCursor = errors.New("a value of the header X-Stream-Cursor, or end")

// String returns the form used in URLs and headers, for example 17-3.
func (c Cursor) String() string { return fmt.Sprintf("%d-%d", c.Message, c.Index) }

// MarshalText implements [encoding.TextMarshaler] with the result of String.
func (c Cursor) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText parses the result of String, and "end" as [End].
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

// CursorAfter returns the cursor just after item i of a page that Follow yielded.
func (p Page) CursorAfter(i int) Cursor {
	return Cursor{Message: p.Next.Message, Index: p.Next.Index - len(p.Items) + i + 1}
}
