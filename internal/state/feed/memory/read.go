package memory

import (
	"context"
	"iter"

	"earshot"
	"earshot/internal/state/feed"
)

// Read implements feed.Feed.
func (f *Feed) Read(ctx context.Context, stream earshot.StreamID, from feed.Cursor, count int) (feed.Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if from != feed.End && from.Message > f.last {
		return feed.Page{}, feed.ErrBeyondEnd
	}
	return f.read(stream, from, count), ctx.Err()
}

// Cursor implements feed.Feed.
func (f *Feed) Cursor(ctx context.Context, stream earshot.StreamID) (feed.Cursor, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if q := f.queue(stream); q != nil {
		return q.cursor, ctx.Err()
	}
	return feed.Cursor{}, ctx.Err()
}

// Take implements feed.Feed.
func (f *Feed) Take(ctx context.Context, stream earshot.StreamID, count int) (feed.Page, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.queue(stream)
	if q == nil || ctx.Err() != nil {
		return feed.Page{}, ctx.Err()
	}
	page := f.read(stream, q.cursor, count)
	q.cursor = page.Next
	return page, nil
}

// Drop implements feed.Feed.
func (f *Feed) Drop(ctx context.Context, stream earshot.StreamID, count int64) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q := f.queue(stream)
	if q == nil || ctx.Err() != nil {
		return 0, ctx.Err()
	}
	if waiting := f.read(stream, q.cursor, 0).Pending; count < 0 || count > waiting {
		count = waiting
	}
	q.cursor = f.read(stream, q.cursor, int(count)).Next
	return count, nil
}

// read returns at most count items from a cursor on.
func (f *Feed) read(stream earshot.StreamID, from feed.Cursor, count int) feed.Page {
	page := feed.Page{Next: from}
	q := f.queue(stream)
	if from == feed.End {
		page.Next = q.end()
		return page
	}
	if q == nil {
		return page
	}
	for _, m := range q.messages {
		for i, item := range m.Items {
			at := feed.Cursor{Message: m.number, Index: i + 1} // just after the item
			if !from.Before(at) {
				continue
			}
			if page.Pending++; len(page.Items) < count {
				page.AddItem(m.Header, item, at, f.epoch)
			}
		}
	}
	return page
}

// end returns the cursor after all items.
func (q *queue) end() feed.Cursor {
	if q == nil || len(q.messages) == 0 {
		return feed.Cursor{}
	}
	m := q.messages[len(q.messages)-1]
	return feed.Cursor{Message: m.number, Index: len(m.Items)}
}

// Follow implements feed.Feed.
func (f *Feed) Follow(ctx context.Context, stream earshot.StreamID, from feed.Cursor) iter.Seq2[feed.Page, error] {
	return func(yield func(feed.Page, error) bool) {
		for ctx.Err() == nil {
			page, appended := f.next(stream, from)
			from = page.Next
			if len(page.Items) > 0 {
				if !yield(page, nil) {
					return
				}
				continue
			}
			select {
			case <-ctx.Done():
			case <-appended:
			}
		}
	}
}

// next returns the next page of a follower, which may be empty, and a channel that is closed when
// there are more items.
func (f *Feed) next(stream earshot.StreamID, from feed.Cursor) (feed.Page, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	page := f.read(stream, from, 1)
	if len(page.Items) > 0 { // limit the page to the rest of its message
		page = f.read(stream, from, f.itemsOf(stream, page.Next.Message)-page.Next.Index+1)
	}
	page.Pending = 0
	return page, f.appended
}

// itemsOf returns the number of items in a message.
func (f *Feed) itemsOf(stream earshot.StreamID, number uint64) int {
	for _, m := range f.queue(stream).messages {
		if m.number == number {
			return len(m.Items)
		}
	}
	return 0
}
