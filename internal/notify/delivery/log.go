package delivery

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// An Info is a message for a channel, and what happened to it.
type Info struct {
	ID       earshot.DeliveryID    `json:"id"`
	Channel  earshot.ChannelID     `json:"channel"`
	Event    string                `json:"event"`
	Severity earshot.Severity      `json:"severity"`
	Title    string                `json:"title"`
	Path     string                `json:"path"` // page of the web app; empty: none
	State    earshot.DeliveryState `json:"state"`
	Attempts int                   `json:"attempts"`
	Created  time.Time             `json:"created"`
	Next     time.Time             `json:"next,omitzero"` // of a waiting one
	Began    time.Time             `json:"began,omitzero"`
	Finished time.Time             `json:"finished,omitzero"`
	Error    string                `json:"error"`   // of the last attempt
	Status   int                   `json:"status"`  // HTTP status of the last attempt; 0: none
	Members  int                   `json:"members"` // number of messages that it summarizes
}

// NewInfo describes a delivery.
func NewInfo(d *earshot.Delivery) Info {
	info := Info{
		ID: d.ID, Channel: d.Channel, Event: d.Message.Event, Severity: d.Message.Severity, Title: d.Message.Title, Path: d.Message.Path,
		State: d.State, Attempts: d.Attempts, Created: d.Created, Began: d.Began, Finished: d.Finished,
		Error: d.Error, Status: d.Status, Members: len(d.Members),
	}
	if d.State == earshot.DeliveryWaiting {
		info.Next = d.Next
	}
	return info
}

// Deliveries returns the deliveries of a channel that c may see, newest first.
func (s *Service) Deliveries(c *earshot.Caller, id earshot.ChannelID) ([]*earshot.Delivery, error) {
	if _, err := s.find(c, id); err != nil {
		return nil, err
	}
	list := s.deliveriesOf(id)
	slices.Reverse(list)
	return list, nil
}

// Retry makes a delivery that failed, was interrupted or waits for its next attempt due now. If it was
// interrupted, it may arrive twice; that is for a person to decide.
func (s *Service) Retry(ctx context.Context, c *earshot.Caller, id earshot.DeliveryID) (*earshot.Delivery, error) {
	d, ok := s.Catalog.Deliveries.Find(id)
	if !ok || !c.In(d.Team) {
		return nil, noDelivery(id)
	}
	ch, ok := s.Catalog.Channels.Find(d.Channel)
	if !ok {
		return nil, noDelivery(id)
	}
	if !ch.Disabled.IsZero() {
		return nil, earshot.Errorf(earshot.Invalid, "The channel is disabled. Enable it first")
	}
	d, err := s.Catalog.Deliveries.Update(ctx, id, func(d *earshot.Delivery) error {
		switch d.State {
		case earshot.DeliverySent:
			return earshot.Errorf(earshot.Invalid, "This message was sent")
		case earshot.DeliverySending:
			return earshot.Errorf(earshot.Invalid, "This message is being sent")
		case earshot.DeliverySummarized:
			return earshot.Errorf(earshot.Invalid, "This message is part of a summary")
		case earshot.DeliveryFailed, earshot.DeliveryInterrupted:
			d.Attempts, d.Finished = 0, time.Time{} // all attempts again
		}
		d.State, d.Next = earshot.DeliveryWaiting, s.now()
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, noDelivery(id)
	}
	if err == nil {
		s.retried.add(d.Channel)
		s.changed.Notify()
	}
	return d, err
}

func noDelivery(id earshot.DeliveryID) error {
	return earshot.Errorf(earshot.NotFound, "Delivery %d does not exist", id)
}

// RemovePosts removes quotes of posts from all deliveries. A message that quotes only such posts is
// about them, and is removed. It implements Marks of package erasure.
func (s *Service) RemovePosts(ctx context.Context, posts []earshot.PostKey) (removed int, err error) {
	erased := map[earshot.PostKey]bool{}
	for _, key := range posts {
		erased[key] = true
	}
	isErased := func(p earshot.MessagePost) bool { return p.Key != (earshot.PostKey{}) && erased[p.Key] }
	for _, d := range s.Catalog.Deliveries.List() {
		if !slices.ContainsFunc(d.Message.Posts, isErased) {
			continue
		}
		if !slices.ContainsFunc(d.Message.Posts, func(p earshot.MessagePost) bool { return !isErased(p) }) {
			err = s.Catalog.Deliveries.Remove(ctx, d.ID)
		} else {
			_, err = s.Catalog.Deliveries.Update(ctx, d.ID, func(d *earshot.Delivery) error {
				d.Message.Posts = slices.DeleteFunc(d.Message.Posts, isErased)
				d.Message.Data = nil // may quote them too; a webhook sends the rest of the message instead
				return nil
			})
		}
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return removed, err
		}
		removed++
	}
	return removed, nil
}

// RemoveThreads removes all messages of some threads, and everything but the titles of messages of
// others. What is left of messages that wait is still sent.
func (s *Service) RemoveThreads(ctx context.Context, removed, changed []string) error {
	gone := map[earshot.DeliveryID]bool{}
	for _, d := range s.Catalog.Deliveries.List() {
		if d.Message.Thread != "" && slices.Contains(removed, d.Message.Thread) {
			gone[d.ID] = true
		}
	}
	isGone := func(id earshot.DeliveryID) bool { return gone[id] }
	for _, d := range s.Catalog.Deliveries.List() {
		isChanged := d.Message.Thread != "" && slices.Contains(changed, d.Message.Thread)
		if gone[d.ID] || !isChanged && !slices.ContainsFunc(d.Members, isGone) { // a summary has the titles of its members
			continue
		}
		_, err := s.Catalog.Deliveries.Update(ctx, d.ID, func(d *earshot.Delivery) error {
			m := &d.Message
			m.Text, m.Facts, m.Posts, m.Data = "", nil, nil, nil
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	for id := range gone {
		if err := s.Catalog.Deliveries.Remove(ctx, id); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// prune removes the oldest finished deliveries of a channel. Recent ones stay even if there are many,
// because they say how many messages were sent within an hour, and which keys were enqueued.
func (s *Service) prune(ctx context.Context, id earshot.ChannelID) error {
	var finished []*earshot.Delivery
	for _, d := range s.deliveriesOf(id) {
		if !isOpen(d) {
			finished = append(finished, d)
		}
	}
	excess := len(finished) - earshot.MaxDeliveries
	for i, d := range finished {
		old := s.now().Sub(d.Finished) > keepRecent
		if i >= excess || !old && i >= len(finished)-maxRecent {
			break
		}
		if err := s.Catalog.Deliveries.Remove(ctx, d.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// keepRecent and maxRecent bound the finished deliveries beyond [earshot.MaxDeliveries].
const (
	keepRecent = 24 * time.Hour
	maxRecent  = 2_000
)
