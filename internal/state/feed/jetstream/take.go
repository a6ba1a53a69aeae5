package jetstream

import (
	"context"
	"errors"
	"fmt"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/kv"
)

// Cursor implements feed.Feed.
func (f *Feed) Cursor(ctx context.Context, stream earshot.StreamID) (feed.Cursor, error) {
	p, _, err := f.cursor(ctx, stream)
	return f.publicCursor(p), err
}

// Take implements feed.Feed.
func (f *Feed) Take(ctx context.Context, stream earshot.StreamID, count int) (page feed.Page, err error) {
	err = f.advanceCursor(ctx, stream, func(from feed.Cursor) (feed.Cursor, error) {
		page, err = f.read(ctx, stream, from, pageLimit{items: count})
		return page.Next, err
	})
	if err != nil {
		return feed.Page{}, fmt.Errorf("take from stream %d: %w", stream, err)
	}
	page.Next = f.publicCursor(page.Next)
	return page, nil
}

// Drop implements feed.Feed.
func (f *Feed) Drop(ctx context.Context, stream earshot.StreamID, count int64) (dropped int64, err error) {
	err = f.advanceCursor(ctx, stream, func(from feed.Cursor) (feed.Cursor, error) {
		q, err := f.span(ctx, stream, from)
		if err != nil {
			return from, err
		}
		dropped = q.pending()
		if count < 0 || count >= dropped {
			return q.end(), nil
		}
		dropped = count
		return f.cursorAfter(ctx, stream, q, count)
	})
	if err != nil {
		return 0, fmt.Errorf("drop posts of stream %d: %w", stream, err)
	}
	return dropped, nil
}

// advanceCursor moves the stored cursor of a queue to the result of next. It calls next again if
// another process moves the cursor at the same time.
func (f *Feed) advanceCursor(ctx context.Context, stream earshot.StreamID, next func(feed.Cursor) (feed.Cursor, error)) error {
	defer f.lockCursor(stream)()
	for ctx.Err() == nil {
		from, revision, err := f.cursor(ctx, stream)
		if err != nil {
			return err
		}
		to, err := next(from)
		if err != nil || !from.Before(to) {
			return err
		}
		_, err = f.bucket.Put(ctx, cursorKey(stream), []byte(f.publicCursor(to).String()), revision)
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return ctx.Err()
}

// cursorAfter returns the cursor after count items of a span, which must have more. It is a binary
// search, because each message contains the number of items before it.
func (f *Feed) cursorAfter(ctx context.Context, stream earshot.StreamID, q span, count int64) (feed.Cursor, error) {
	number := q.number() + count
	seq, header := q.first.Sequence, q.firstHeader // of a message that does not start after the item
	low, high := seq+1, q.last.Sequence            // range to search for a later message
	for low <= high && header.End() < number {
		middle := low + (high-low)/2
		m, found, err := f.next(ctx, stream, middle)
		if err != nil {
			return feed.Cursor{}, err
		}
		var h feed.Header
		if found {
			if h, err = feed.DecodeHeader(m.Data); err != nil {
				return feed.Cursor{}, err
			}
		}
		if !found || m.Sequence > high || h.Before >= number {
			high = middle - 1
		} else {
			seq, header, low = m.Sequence, h, m.Sequence+1
		}
	}
	return feed.Cursor{Message: seq, Index: int(number - header.Before)}, nil
}
