package delivery

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// Limits of what waits for a channel, and of a message.
const (
	// maxWaiting bounds the deliveries that wait for a channel. When there are more, the oldest fail:
	// what happens now matters more than what happened before a long outage.
	maxWaiting = 1_000
	// maxTeamWaiting bounds the deliveries that wait for all channels of a team, in the same way.
	maxTeamWaiting = 5_000

	maxTitle = 300    // characters
	maxText  = 10_000 // characters
	maxFacts = 20
	maxPosts = 10
	maxQuote = 1_000  // characters of the text of a post
	maxData  = 16_000 // bytes
)

// Enqueue hands a notification over for delivery. When it returns without an error, there is a durable
// delivery for each channel. Repeating a call has no effect, also in another process and after a
// restart. Channels that are disabled or were removed are skipped.
func (s *Service) Enqueue(ctx context.Context, n earshot.Notification) error {
	if n.Key == "" {
		return errors.New("a notification needs a key")
	}
	message := bounded(n.Message)
	for _, id := range slices.Compact(slices.Sorted(slices.Values(n.Channels))) {
		ch, ok := s.Catalog.Channels.Find(id)
		switch {
		case !ok || ch.Team != n.Team:
			s.Log.Warn("a message was not enqueued, because its channel was removed", "channel", id, "key", n.Key)
			continue
		case !ch.Disabled.IsZero():
			s.Log.Warn("a message was not enqueued, because its channel is disabled", "channel", id, "name", ch.Name, "key", n.Key)
			continue
		}
		created := s.nextCreated()
		d := &earshot.Delivery{
			Team: n.Team, Channel: id, Key: n.Key, Message: message, State: earshot.DeliveryWaiting,
			Created: created, Next: cmp.Or(n.NotBefore.UTC(), created),
		}
		if err := s.add(ctx, d); err != nil {
			return fmt.Errorf("enqueue a message for channel %d: %w", id, err)
		}
		if err := s.makeRoom(ctx, ch); err != nil {
			return err
		}
	}
	s.changed.Notify()
	return nil
}

// add writes a delivery and sets its ID, unless there already is one with the same key and channel.
func (s *Service) add(ctx context.Context, d *earshot.Delivery) error {
	id := deliveryID(d.Channel, d.Key)
	for range 10 { // the hashes of two keys may be the same
		d.ID = id
		err := s.Catalog.Deliveries.Add(ctx, id, d)
		if !errors.Is(err, kv.ErrConflict) {
			return err
		}
		same := false
		_, err = s.Catalog.Deliveries.Update(ctx, id, func(other *earshot.Delivery) error {
			same = other.Channel == d.Channel && other.Key == d.Key
			return errUnchanged
		})
		switch {
		case same:
			return nil
		case errors.Is(err, kv.ErrNotFound): // removed in the meantime
			continue
		case !errors.Is(err, errUnchanged):
			return err
		}
		if id++; id == 2*earshot.FirstDerivedID {
			id = earshot.FirstDerivedID
		}
	}
	return fmt.Errorf("too many deliveries have the ID %d", d.ID)
}

// errUnchanged ends an update without writing.
var errUnchanged = errors.New("unchanged")

// amend changes a delivery, unless it was removed or change returns errUnchanged.
func (s *Service) amend(ctx context.Context, id earshot.DeliveryID, change func(*earshot.Delivery) error) error {
	_, err := s.Catalog.Deliveries.Update(ctx, id, change)
	if errors.Is(err, errUnchanged) || errors.Is(err, kv.ErrNotFound) {
		return nil
	}
	return err
}

// deliveryID derives an ID from a channel and a key.
func deliveryID(id earshot.ChannelID, key string) earshot.DeliveryID {
	sum := sha256.Sum256([]byte(strconv.FormatInt(int64(id), 10) + "\n" + key))
	return earshot.DeliveryID(earshot.FirstDerivedID + binary.BigEndian.Uint64(sum[:8])%earshot.FirstDerivedID)
}

// nextCreated returns the current time, later than any delivery that this process has
// enqueued, so that their order is known.
func (s *Service) nextCreated() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if !now.After(s.created) {
		now = s.created.Add(time.Microsecond)
	}
	s.created = now
	return now
}

// makeRoom lets the oldest deliveries that wait for a channel, or for all channels of its team, fail if
// there are too many.
func (s *Service) makeRoom(ctx context.Context, ch *earshot.Channel) error {
	if err := s.dropOldest(ctx, ch, maxWaiting, ch.ID); err != nil {
		return err
	}
	var team []earshot.ChannelID
	for _, other := range s.Catalog.Channels.List() {
		if other.Team == ch.Team {
			team = append(team, other.ID)
		}
	}
	return s.dropOldest(ctx, ch, maxTeamWaiting, team...)
}

// dropOldest lets the oldest deliveries that wait for some channels fail if there are more than limit.
// They make room for a delivery of ch.
func (s *Service) dropOldest(ctx context.Context, ch *earshot.Channel, limit int, channels ...earshot.ChannelID) error {
	if s.openOf(channels) <= limit {
		return nil
	}
	var waiting []*earshot.Delivery
	for _, id := range channels {
		for _, d := range s.deliveriesOf(id) {
			if d.State == earshot.DeliveryWaiting {
				waiting = append(waiting, d)
			}
		}
	}
	if len(waiting) <= limit {
		return nil
	}
	slices.SortFunc(waiting, byAge)
	dropped := waiting[:len(waiting)-limit]
	s.Log.Warn("too many messages wait; the oldest are not sent", "team", ch.Team, "channel", ch.ID, "name", ch.Name, "dropped", len(dropped))
	return s.fail(ctx, dropped, fmt.Sprintf("not sent, because more than %d newer messages were waiting", limit-1))
}

// fail ends deliveries that wait.
func (s *Service) fail(ctx context.Context, list []*earshot.Delivery, reason string) error {
	for _, d := range list {
		_, err := s.Catalog.Deliveries.Update(ctx, d.ID, func(d *earshot.Delivery) error {
			if d.State != earshot.DeliveryWaiting {
				return errUnchanged
			}
			d.State, d.Finished, d.Error = earshot.DeliveryFailed, s.now(), reason
			return nil
		})
		if err != nil && !errors.Is(err, errUnchanged) && !errors.Is(err, kv.ErrNotFound) {
			return err
		}
		if err == nil {
			s.totals.count(s.kind(d.Channel), earshot.DeliveryFailed)
		}
	}
	return nil
}

// bounded returns a message of limited size.
func bounded(m earshot.Message) earshot.Message {
	m.Title, m.Text = earshot.Clip(m.Title, maxTitle), earshot.Clip(m.Text, maxText)
	m.Facts = slices.Clone(m.Facts[:min(len(m.Facts), maxFacts)])
	for i, f := range m.Facts {
		m.Facts[i] = earshot.Fact{Name: earshot.Clip(f.Name, maxTitle), Value: earshot.Clip(f.Value, maxTitle)}
	}
	m.Posts = slices.Clone(m.Posts[:min(len(m.Posts), maxPosts)])
	for i := range m.Posts {
		p := &m.Posts[i]
		p.Author, p.Source, p.Text = earshot.Clip(p.Author, maxTitle), earshot.Clip(p.Source, maxTitle), earshot.Clip(p.Text, maxQuote)
		if len(p.URL) > maxURL {
			p.URL = ""
		}
	}
	if len(m.Data) > maxData {
		m.Data = nil // a webhook sends the rest of the message instead
	}
	return m
}
