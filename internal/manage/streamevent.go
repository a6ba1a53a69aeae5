package manage

import (
	"cmp"
	"context"
	"errors"
	"time"

	"earshot"
	"earshot/internal/feed"
	"earshot/internal/rest"
)

type streamEventsParams struct {
	streamID
	Cursor *feed.Place `query:"cursor"`
	After  *feed.Place `request:"lastEventId"`
}

// mostListeners is how many may listen to events at the same time.
const mostListeners = 1000

var errListeners = &earshot.Error{Kind: earshot.Unavailable, RetryAfter: time.Minute,
	Message: "Too many programs listen to streams at the moment. Please try again later"}

// streamEvents pushes the posts of a stream as they come: those after the last event that the
// client has seen, else from the place that it names, else from the one up to which the queue
// was read, which it does not move.
func (a *API) streamEvents(ctx context.Context, c *earshot.Caller, p streamEventsParams) (rest.Events, error) {
	if _, err := a.Streams.Find(c, p.ID); err != nil {
		return rest.Events{}, err
	}
	from, err := a.eventsFrom(ctx, p)
	if err != nil {
		return rest.Events{}, err
	}
	if a.listeners.Load() >= mostListeners {
		return rest.Events{}, errListeners
	}
	return rest.Events{
		From:  from.String(),
		Allow: func(c *earshot.Caller) error { _, err := a.Streams.Find(c, p.ID); return err },
		Write: func(ctx context.Context, send func(rest.Event) error) error {
			a.listeners.Add(1)
			defer a.listeners.Add(-1)
			return a.pushPosts(ctx, p.ID, from, send)
		},
	}, nil
}

// eventsFrom returns the place where events begin. The end is the one there is before the
// answer begins: who has that and then uploads a post must hear of it.
func (a *API) eventsFrom(ctx context.Context, p streamEventsParams) (feed.Place, error) {
	from := cmp.Or(p.After, p.Cursor)
	switch {
	case from == nil:
		return a.Streams.Queue(ctx, p.ID)
	case *from == feed.End:
		page, err := a.Streams.Read(ctx, p.ID, feed.End, 1)
		return page.Next, err
	}
	return *from, nil
}

// pushPosts sends an event for each post.
func (a *API) pushPosts(ctx context.Context, id earshot.StreamID, from feed.Place, send func(rest.Event) error) error {
	for page, err := range a.Streams.Follow(ctx, id, from) {
		if err != nil {
			return err
		}
		texts, err := a.ShowStream(ctx, page.Posts)
		if err != nil {
			return err
		}
		for i, text := range texts {
			if err := send(rest.Event{ID: page.Posts[i].After.String(), Name: "post", Data: text}); err != nil {
				return errors.Join(err, ctx.Err())
			}
		}
	}
	return nil
}
