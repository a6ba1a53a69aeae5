package manage

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/state/feed"
	"earshot/internal/stream"
)

type streamEventsParams struct {
	streamID
	Cursor *feed.Cursor `query:"cursor"`
	After  *feed.Cursor `request:"Last-Event-ID"`
}

// Maximum number of clients that listen for events at the same time, in total and per user. A
// listener uses a goroutine and a connection.
const (
	maxListeners     = 1000
	maxUserListeners = 100
)

var (
	errListeners = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Minute,
		Message: "Too many clients are listening to streams. Please try again later"}
	errUserListeners = &earshot.Error{Kind: earshot.OverLimit, RetryAfter: time.Minute,
		Message: fmt.Sprintf("You already have %d open connections to streams. Please close some first", maxUserListeners)}
)

// listeners counts the clients that listen for events.
type listeners struct {
	mu     sync.Mutex // guards the fields below
	total  int
	byUser map[earshot.UserID]int
}

// check returns an error if the user may not open another connection.
func (l *listeners) check(u earshot.UserID) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case l.byUser[u] >= maxUserListeners:
		return errUserListeners
	case l.total >= maxListeners:
		return errListeners
	}
	return nil
}

// add counts a listener until done is called.
func (l *listeners) add(u earshot.UserID) (done func()) {
	count := func(n int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.byUser == nil {
			l.byUser = map[earshot.UserID]int{}
		}
		l.total += n
		if l.byUser[u] += n; l.byUser[u] == 0 {
			delete(l.byUser, u)
		}
	}
	count(1)
	return func() { count(-1) }
}

// streamEvents pushes the posts of a stream as they arrive. It starts after the last event that the
// client has received, or else at the cursor in the request, or else at the current position of the
// queue, which it does not move.
func (a *API) streamEvents(ctx context.Context, c *earshot.Caller, p streamEventsParams) (rest.Events, error) {
	if _, err := a.Streams.Find(c, p.ID); err != nil {
		return rest.Events{}, err
	}
	from, err := a.eventsFrom(ctx, p)
	if err != nil {
		return rest.Events{}, err
	}
	if err := a.listeners.check(c.User); err != nil {
		return rest.Events{}, err
	}
	return rest.Events{
		From:  from.String(),
		Allow: func(c *earshot.Caller) error { _, err := a.Streams.Find(c, p.ID); return err },
		Write: func(ctx context.Context, send func(rest.Event) error) error {
			defer a.listeners.add(c.User)()
			return a.pushPosts(ctx, p.ID, from, send)
		},
	}, nil
}

// eventsFrom returns the cursor at which events start. It resolves the end of the stream before the
// response starts, so that the client receives every post that it uploads after that.
func (a *API) eventsFrom(ctx context.Context, p streamEventsParams) (feed.Cursor, error) {
	name, from := "Last-Event-ID", p.After
	if from == nil {
		name, from = "cursor", p.Cursor
	}
	if from == nil {
		return a.Streams.Cursor(ctx, p.ID)
	}
	page, err := a.Streams.Read(ctx, p.ID, *from, 1)
	switch {
	case errors.Is(err, feed.ErrBeyondEnd):
		return feed.Cursor{}, stream.NoCursor(name, *from)
	case *from == feed.End:
		return page.Next, err
	}
	return *from, err
}

func (a *API) pushPosts(ctx context.Context, id earshot.StreamID, from feed.Cursor, send func(rest.Event) error) error {
	for page, err := range a.Streams.Follow(ctx, id, from) {
		if err != nil {
			return err
		}
		renderer := a.Posts.NewStreamRenderer()
		for i := range page.Posts { // render one at a time, because there may be many slow listeners
			post, err := renderer.Render(ctx, &page.Posts[i])
			if err != nil {
				return err
			}
			text, err := rest.AppendJSON(nil, post)
			if err != nil {
				return err
			}
			if err := send(rest.Event{ID: page.Posts[i].Cursor.String(), Name: "post", Data: text}); err != nil {
				return errors.Join(err, ctx.Err())
			}
		}
	}
	return nil
}
