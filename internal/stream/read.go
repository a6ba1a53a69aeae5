package stream

import (
	"context"
	"iter"

	"earshot"
	"earshot/internal/feed"
	"earshot/internal/journal"
)

// MostPosts is how many posts a call returns at most.
const MostPosts = 100

// A Page is a piece of a stream.
type Page struct {
	Posts   []Post
	Next    feed.Place // just after them
	Waiting int64      // posts from the first of them on
}

// A Post is a post in a stream, because of a monitor.
type Post struct {
	earshot.Post
	Monitor *earshot.Monitor // may be removed by now
	After   feed.Place       // the place just after it, where Follow returned it
}

// Take returns the posts that have waited longest, at most count, and moves on: nobody else who
// takes gets them.
func (s *Service) Take(ctx context.Context, id earshot.StreamID, count int) (Page, error) {
	page, err := s.Feed.Take(ctx, id, count)
	return s.page(id, page), err
}

// Read returns the posts from a place on, at most count. What Take returns does not depend on
// it.
func (s *Service) Read(ctx context.Context, id earshot.StreamID, from feed.Place, count int) (Page, error) {
	page, err := s.Feed.Read(ctx, id, from, count)
	return s.page(id, page), err
}

// Drop removes the posts that have waited longest, all when count is negative, and returns how
// many.
func (s *Service) Drop(ctx context.Context, id earshot.StreamID, count int64) (int64, error) {
	return s.Feed.Drop(ctx, id, count)
}

// Queue returns the place up to which Take has returned posts.
func (s *Service) Queue(ctx context.Context, id earshot.StreamID) (feed.Place, error) {
	return s.Feed.Queue(ctx, id)
}

// Follow yields the posts from a place on, and then new ones as they come, until ctx ends or
// the loop stops.
func (s *Service) Follow(ctx context.Context, id earshot.StreamID, from feed.Place) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for page, err := range s.Feed.Follow(ctx, id, from) {
			if !yield(s.page(id, page), err) {
				return
			}
		}
	}
}

// page reads the posts of a page. One that cannot be read is left out.
func (s *Service) page(id earshot.StreamID, p feed.Page) Page {
	page := Page{Posts: make([]Post, 0, len(p.Items)), Next: p.Next, Waiting: p.Waiting}
	for i, item := range p.Items {
		post := Post{After: p.After(i)}
		m, ok := s.Catalog.Monitors.Find(item.Monitor)
		if !ok {
			s.Log.Error("a post of a stream is left out: its monitor is unknown", "stream", id, "monitor", item.Monitor)
			continue
		}
		if err := journal.ReadPost(&post.Post, item.Post); err != nil {
			s.Log.Error("a post of a stream is left out: it cannot be read", "stream", id, "place", post.After, "error", err)
			continue
		}
		post.Monitor = m
		page.Posts = append(page.Posts, post)
	}
	return page
}
