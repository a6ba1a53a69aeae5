package stream

import (
	"context"
	"iter"
	"slices"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
)

// MostPosts is how many posts a call returns at most.
const MostPosts = 100

// A Page is a piece of a stream.
type Page struct {
	Posts   []Post
	Next    feed.Cursor // just after them
	Pending int64       // posts from the first of them on
}

// A Post is a post in a stream, because of a monitor.
type Post struct {
	earshot.Post
	Monitor *earshot.Monitor // may be removed by now
	Cursor  feed.Cursor      // the place just after it, where Follow returned it
}

// Take returns the posts that have waited longest, at most count, and moves on: nobody else who
// takes gets them.
func (s *Service) Take(ctx context.Context, id earshot.StreamID, count int) (Page, error) {
	return s.some(ctx, id, func() (feed.Page, error) { return s.Feed.Take(ctx, id, count) })
}

// some reads pages until one has posts that still exist, or there are no more.
func (s *Service) some(ctx context.Context, id earshot.StreamID, read func() (feed.Page, error)) (Page, error) {
	for {
		found, err := read()
		page := s.page(ctx, id, found)
		if err != nil || len(page.Posts) > 0 || len(found.Items) == 0 {
			return page, err
		}
	}
}

// Read returns the posts from a place on, at most count. What Take returns does not depend on
// it.
func (s *Service) Read(ctx context.Context, id earshot.StreamID, from feed.Cursor, count int) (Page, error) {
	return s.some(ctx, id, func() (page feed.Page, err error) {
		page, err = s.Feed.Read(ctx, id, from, count)
		from = page.Next
		return page, err
	})
}

// Drop removes the posts that have waited longest, all when count is negative, and returns how
// many.
func (s *Service) Drop(ctx context.Context, id earshot.StreamID, count int64) (int64, error) {
	return s.Feed.Drop(ctx, id, count)
}

// NoCursor is the answer to a parameter that names a place that never was.
func NoCursor(parameter string, p feed.Cursor) *earshot.Error {
	return earshot.InvalidParameter(parameter, p.String(), "a place that there was in this stream; 0-0 begins with the oldest post, end with the next one")
}

// Cursor returns the place up to which Take has returned posts.
func (s *Service) Cursor(ctx context.Context, id earshot.StreamID) (feed.Cursor, error) {
	return s.Feed.Cursor(ctx, id)
}

// Follow yields the posts from a place on, and then new ones as they come, until ctx ends or
// the loop stops.
func (s *Service) Follow(ctx context.Context, id earshot.StreamID, from feed.Cursor) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for page, err := range s.Feed.Follow(ctx, id, from) {
			shown := s.page(ctx, id, page)
			if (len(shown.Posts) > 0 || err != nil) && !yield(shown, err) {
				return
			}
		}
	}
}

// page reads the posts of a page. One that cannot be read is left out, and so are documents
// that were deleted since.
func (s *Service) page(ctx context.Context, id earshot.StreamID, p feed.Page) Page {
	page := s.decode(id, p)
	deleted := s.deleted(ctx, page.Posts)
	if len(deleted) == 0 {
		return page
	}
	before := len(page.Posts)
	page.Posts = slices.DeleteFunc(page.Posts, func(p Post) bool { return deleted[p.Key()] })
	page.Pending -= int64(before - len(page.Posts))
	return page
}

// deleted returns which of the posts are there no more. Only documents of content sources can
// be deleted. When it cannot be told they all are there: what was taken must not be lost.
func (s *Service) deleted(ctx context.Context, posts []Post) map[earshot.PostKey]bool {
	var keys []earshot.PostKey
	for i := range posts {
		if posts[i].ContentSource != 0 {
			keys = append(keys, posts[i].Key())
		}
	}
	if len(keys) == 0 {
		return nil
	}
	found, err := s.Posts.Find(ctx, keys)
	if err != nil {
		s.Log.Error("cannot tell whether documents of a stream were deleted; they are shown", "error", err)
		return nil
	}
	deleted := map[earshot.PostKey]bool{}
	for _, k := range keys {
		deleted[k] = true
	}
	for i := range found {
		delete(deleted, found[i].Key())
	}
	return deleted
}

func (s *Service) decode(id earshot.StreamID, p feed.Page) Page {
	page := Page{Posts: make([]Post, 0, len(p.Items)), Next: p.Next, Pending: p.Pending}
	for i, item := range p.Items {
		post := Post{Cursor: p.CursorAfter(i)}
		m, ok := s.Catalog.Monitors.Find(item.Monitor)
		if !ok {
			s.Log.Error("a post of a stream is left out: its monitor is unknown", "stream", id, "monitor", item.Monitor)
			continue
		}
		if err := journal.ReadPost(&post.Post, item.Post); err != nil {
			s.Log.Error("a post of a stream is left out: it cannot be read", "stream", id, "place", post.Cursor, "error", err)
			continue
		}
		post.Monitor = m
		page.Posts = append(page.Posts, post)
	}
	return page
}
