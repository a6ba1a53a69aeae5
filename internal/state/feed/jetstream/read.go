package jetstream

import (
	"context"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"earshot"
	"earshot/internal/state/feed"
)

// maxPageBytes ends a page early to bound the memory for a response.
const maxPageBytes = 16 << 20

// Read implements feed.Feed.
func (f *Feed) Read(ctx context.Context, stream earshot.StreamID, from feed.Cursor, count int) (feed.Page, error) {
	page, err := f.read(ctx, stream, f.currentProgress().Jumps.StoredCursor(from), pageLimit{items: count, bytes: maxPageBytes})
	if err != nil {
		return feed.Page{}, fmt.Errorf("read stream %d: %w", stream, err)
	}
	page.Next = f.publicCursor(page.Next)
	return page, nil
}

// checkCursor returns ErrBeyondEnd if a stored cursor is after all messages.
func (f *Feed) checkCursor(ctx context.Context, c feed.Cursor) error {
	if c.Message == 0 {
		return nil
	}
	state, err := f.node.StreamState(ctx, f.messages)
	if err == nil && c.Message > state.LastSeq {
		err = feed.ErrBeyondEnd
	}
	return err
}

// A pageLimit bounds a page. The first item is always included.
type pageLimit struct {
	items int
	bytes int // 0 means no limit
}

// read returns a page. The server finds the last message of a queue directly and the next message
// after a sequence number by searching, so read checks the last message first to detect an empty
// page.
func (f *Feed) read(ctx context.Context, stream earshot.StreamID, from feed.Cursor, limit pageLimit) (feed.Page, error) {
	q, err := f.span(ctx, stream, from)
	page := feed.Page{Next: q.from}
	if err != nil || q.pending() == 0 {
		return page, err
	}
	page.Pending = q.pending()
	bytes, epoch := 0, f.currentProgress().Epoch
	for at := q.first; ; {
		m, err := feed.Decode(at.Data)
		if err != nil {
			return page, fmt.Errorf("message %d: %w", at.Sequence, err)
		}
		for i := q.skip(at); i < len(m.Items); i++ {
			if len(page.Items) >= limit.items || limit.bytes > 0 && len(page.Items) > 0 && bytes+len(m.Items[i].Post) > limit.bytes {
				return page, nil
			}
			page.AddItem(m.Header, m.Items[i], feed.Cursor{Message: at.Sequence, Index: i + 1}, epoch)
			bytes += len(m.Items[i].Post)
		}
		if at.Sequence >= q.last.Sequence || len(page.Items) >= limit.items {
			return page, nil
		}
		next, found, err := f.next(ctx, stream, at.Sequence+1)
		if err != nil || !found {
			return page, err
		}
		at = next
	}
}

// A span is the part of a queue from a cursor on: the message with the first item, and the last
// message, or nil.
type span struct {
	from        feed.Cursor
	first, last *jetstream.RawStreamMsg
	firstHeader feed.Header
	lastHeader  feed.Header
}

// skip returns the number of items of a message that are before the span.
func (q span) skip(m *jetstream.RawStreamMsg) int {
	if m.Sequence == q.from.Message {
		return q.from.Index
	}
	return 0
}

// number returns the index of the first item within the queue.
func (q span) number() int64 { return q.firstHeader.Before + int64(q.skip(q.first)) }

func (q span) pending() int64 {
	if q.first == nil {
		return 0
	}
	return q.lastHeader.End() - q.number()
}

// end returns the cursor after the last item.
func (q span) end() feed.Cursor {
	if q.last == nil {
		return q.from
	}
	return feed.Cursor{Message: q.last.Sequence, Index: q.lastHeader.Count}
}

// span finds the items of a queue from a cursor on.
func (f *Feed) span(ctx context.Context, stream earshot.StreamID, from feed.Cursor) (span, error) {
	q := span{from: from}
	last, found, err := f.last(ctx, stream)
	if err != nil {
		return q, err
	}
	if !found {
		if from == feed.End {
			q.from = feed.Cursor{}
		}
		return q, f.checkCursor(ctx, q.from)
	}
	q.last = last
	if q.lastHeader, err = feed.DecodeHeader(last.Data); err != nil {
		return q, err
	}
	if from == feed.End {
		q.from = q.end()
	}
	if q.from.Message > last.Sequence {
		return q, f.checkCursor(ctx, q.from)
	}
	return q, f.findFirst(ctx, stream, &q)
}

// findFirst finds the message with the first item of a span.
func (f *Feed) findFirst(ctx context.Context, stream earshot.StreamID, q *span) error {
	switch at := q.from; {
	case !at.Before(q.end()):
		return nil
	case at.Message == q.last.Sequence:
		q.first, q.firstHeader = q.last, q.lastHeader
		return nil
	}
	m, found, err := f.next(ctx, stream, q.from.Message)
	if err != nil || !found {
		return err
	}
	h, err := feed.DecodeHeader(m.Data)
	if err == nil && q.from.Message == m.Sequence && q.from.Index >= h.Count {
		if m, found, err = f.next(ctx, stream, m.Sequence+1); err != nil || !found {
			return err
		}
		h, err = feed.DecodeHeader(m.Data)
	}
	q.first, q.firstHeader = m, h
	return err
}
