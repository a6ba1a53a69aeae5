package stream

import (
	"context"
	"iter"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/journal"
)

// MaxPosts is the maximum number of posts that a call returns.
const MaxPosts = 100

// A Page is a list of consecutive posts of a stream.
type Page struct {
	Posts   []Post
	Next    feed.Cursor // just after the posts
	Pending int64       // number of posts from the first of them to the end of the stream
}

// A Post is a post in a stream, with the monitor that matched it.
type Post struct {
	earshot.Post
	Monitor *earshot.Monitor // may have been removed
	Cursor  feed.Cursor      // just after the post, if Follow returned it
}

// Take returns the oldest posts after the stored cursor, at most count, and advances the cursor. It
// returns each post once.
func (s *Service) Take(ctx context.Context, id earshot.StreamID, count int) (Page, error) {
	return s.some(func() (Page, bool, error) {
		found, err := s.Feed.Take(ctx, id, count)
		page, behind := s.page(ctx, id, found)
		if behind != nil { // the posts were taken, so they must not be lost
			page = s.decode(id, found)
		}
		return page, len(found.Items) > 0, err
	})
}

// some reads pages until one contains posts that still exist, or there are no more.
func (s *Service) some(read func() (page Page, more bool, err error)) (Page, error) {
	for {
		page, more, err := read()
		if err != nil || len(page.Posts) > 0 || !more {
			return page, err
		}
	}
}

// Read returns at most count posts, starting at a cursor. It does not affect Take.
func (s *Service) Read(ctx context.Context, id earshot.StreamID, from feed.Cursor, count int) (Page, error) {
	return s.some(func() (Page, bool, error) {
		found, err := s.Feed.Read(ctx, id, from, count)
		if err != nil {
			return Page{}, false, err
		}
		from = found.Next
		page, err := s.page(ctx, id, found)
		return page, len(found.Items) > 0, err
	})
}

// Drop advances the stored cursor past count posts, or past all of them if count is negative, and
// returns the number of skipped posts.
func (s *Service) Drop(ctx context.Context, id earshot.StreamID, count int64) (int64, error) {
	return s.Feed.Drop(ctx, id, count)
}

// NoCursor returns the error for a parameter with a cursor beyond the end.
func NoCursor(parameter string, c feed.Cursor) *earshot.Error {
	return earshot.InvalidParameter(parameter, c.String(), "a position in this stream; 0-0 starts with the oldest post, end with the next one")
}

// Cursor returns the stored cursor: the position up to which Take has returned posts.
func (s *Service) Cursor(ctx context.Context, id earshot.StreamID) (feed.Cursor, error) {
	return s.Feed.Cursor(ctx, id)
}

// Follow yields the posts from a cursor on, and then new ones as they are appended, until ctx ends
// or the loop stops.
func (s *Service) Follow(ctx context.Context, id earshot.StreamID, from feed.Cursor) iter.Seq2[Page, error] {
	return func(yield func(Page, error) bool) {
		for page, err := range s.Feed.Follow(ctx, id, from) {
			shown, behind := s.page(ctx, id, page)
			if err == nil {
				err = behind
			}
			if (len(shown.Posts) > 0 || err != nil) && (!yield(shown, err) || err != nil) {
				return
			}
		}
	}
}

// page decodes the posts of a page. It skips unreadable posts and posts that have been deleted
// since. A post that another node has appended to the stream may not be stored on this one yet, so
// page waits before it decides that a post was deleted. It returns an error if this node is too far
// behind.
func (s *Service) page(ctx context.Context, id earshot.StreamID, p feed.Page) (Page, error) {
	page := s.decode(id, p)
	deleted := s.deleted(ctx, page.Posts)
	if s.Await != nil && (len(deleted) > 0 || len(page.Posts) < len(p.Items)) {
		if err := s.Await(ctx, p.UpTo); err != nil {
			if ctx.Err() == nil {
				s.Log.Warn("a stream has posts that this node has not stored yet", "stream", id, "error", err)
			}
			return Page{}, errBehind
		}
		page = s.decode(id, p)
		deleted = s.deleted(ctx, page.Posts)
	}
	before := len(page.Posts)
	page.Posts = slices.DeleteFunc(page.Posts, func(p Post) bool { return deleted[p.Key()] })
	page.Pending -= int64(before - len(page.Posts))
	return page, nil
}

var errBehind = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Second,
	Message: "This node has not stored all posts of the stream yet. Please try again"}

// deleted returns the posts that no longer exist: deleted documents of content sources, posts that
// were deleted on their network, and posts of erased authors. After an error it returns none,
// because posts that were taken must not be lost.
func (s *Service) deleted(ctx context.Context, posts []Post) map[earshot.PostKey]bool {
	if s.Posts == nil || len(posts) == 0 {
		return nil
	}
	keys := make([]earshot.PostKey, len(posts))
	for i := range posts {
		keys[i] = posts[i].Key()
	}
	found, err := s.Posts.Find(ctx, keys)
	if err != nil {
		if ctx.Err() == nil { // otherwise the client is gone
			s.Log.Error("checking a stream for deleted posts failed; they are included", "error", err)
		}
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
			s.Log.Error("skipped a post of a stream: its monitor is unknown", "stream", id, "monitor", item.Monitor)
			continue
		}
		if err := journal.ReadPost(&post.Post, item.Post); err != nil {
			s.Log.Error("skipped a post of a stream: it cannot be decoded", "stream", id, "cursor", post.Cursor, "error", err)
			continue
		}
		post.Monitor = m
		page.Posts = append(page.Posts, post)
	}
	return page
}
