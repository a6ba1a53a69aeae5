package delivery

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// Limits of a channel.
const (
	maxName   = 200   // characters
	maxURL    = 2_000 // bytes
	maxSecret = 1_000 // bytes of a token or password

	// DefaultPerHour and MaxPerHour bound the messages per hour.
	DefaultPerHour = 60
	MaxPerHour     = 500
)

// A Channel is where messages are sent, and how it is doing. It shows no secrets.
type Channel struct {
	ID             earshot.ChannelID   `json:"id"`
	Team           earshot.TeamID      `json:"team"`
	Name           string              `json:"name"`
	Kind           earshot.ChannelKind `json:"kind"`
	Target         string              `json:"target"`     // recipients, or the host of the URL
	Recipients     []string            `json:"recipients"` // of email
	Username       string              `json:"username"`   // of HTTP basic authentication
	HasToken       bool                `json:"hasToken"`   // a token or a password is stored
	Template       string              `json:"template"`
	PerHour        int                 `json:"perHour"`
	Enabled        bool                `json:"enabled"`
	Disabled       time.Time           `json:"disabled,omitzero"` // since when
	DisabledReason string              `json:"disabledReason"`    // why Earshot disabled it; empty: a person did

	Waiting       int       `json:"waiting"` // deliveries
	Failed        int       `json:"failed"`  // deliveries that failed or were interrupted since the last one that was sent
	LastSent      time.Time `json:"lastSent,omitzero"`
	LastError     string    `json:"lastError"` // of the newest failed attempt after LastSent; empty: none
	LastErrorTime time.Time `json:"lastErrorTime,omitzero"`

	CreatedBy string    `json:"createdBy"`
	Created   time.Time `json:"created"`
	EditedBy  string    `json:"editedBy"`
	Edited    time.Time `json:"edited"`
	Revision  int64     `json:"revision"`
}

// Settings are the settings of a channel. Nil fields stay as they are, or have their defaults.
type Settings struct {
	Name       *string   `json:"name"`
	URL        *string   `json:"url"`
	Token      *string   `json:"token"`    // of ntfy; empty: none
	Username   *string   `json:"username"` // of HTTP basic authentication, with Password
	Password   *string   `json:"password"`
	Recipients *[]string `json:"recipients"`
	Template   *string   `json:"template"`
	PerHour    *int      `json:"perHour"`
	Enabled    *bool     `json:"enabled"`

	// Edits is the number of edits that the caller last saw, for optimistic locking. Nil: do not check.
	Edits *int64 `json:"-"`
}

// Find returns a channel if c may see it.
func (s *Service) Find(c *earshot.Caller, id earshot.ChannelID) (Channel, error) {
	ch, err := s.find(c, id)
	if err != nil {
		return Channel{}, err
	}
	return s.Describe(ch), nil
}

func (s *Service) channels() catalog.Owned[earshot.ChannelID, earshot.Channel] {
	return catalog.Owned[earshot.ChannelID, earshot.Channel]{
		Catalog: s.Catalog, Table: s.Catalog.Channels, Name: "channel", Plural: "channels", Max: earshot.MaxChannels, Now: s.now,
		Team:    func(ch *earshot.Channel) earshot.TeamID { return ch.Team },
		Missing: noChannel,
		Stamp: func(ch *earshot.Channel) catalog.Stamp {
			return catalog.Stamp{Edits: &ch.Edits, By: &ch.EditedBy, Time: &ch.Edited}
		},
	}
}

func (s *Service) find(c *earshot.Caller, id earshot.ChannelID) (*earshot.Channel, error) {
	return s.channels().Find(c, id)
}

func noChannel(id earshot.ChannelID) error {
	return earshot.Errorf(earshot.NotFound, "Channel %d does not exist", id)
}

// List returns the channels that c may see, ordered by ID. If team is not 0, it returns only those
// of that team.
func (s *Service) List(c *earshot.Caller, team earshot.TeamID) []*earshot.Channel {
	return s.channels().List(c, team)
}

// Describe describes a channel and how it is doing.
func (s *Service) Describe(ch *earshot.Channel) Channel {
	described := Channel{
		ID: ch.ID, Team: ch.Team, Name: ch.Name, Kind: ch.Kind, Target: ch.Target, Recipients: ch.Recipients,
		Template: ch.Template, PerHour: perHour(ch), Enabled: ch.Disabled.IsZero(), Disabled: ch.Disabled, DisabledReason: ch.DisabledReason,
		CreatedBy: ch.CreatedBy, Created: ch.Created, EditedBy: ch.EditedBy, Edited: ch.Edited, Revision: ch.Edits,
	}
	if of, err := s.open(ch); err == nil {
		described.HasToken, described.Username = of.Token != "" || of.Password != "", of.Username
	}
	described.count(s.deliveriesOf(ch.ID))
	return described
}

// count sets what the deliveries of a channel say about it.
func (ch *Channel) count(deliveries []*earshot.Delivery) {
	for _, d := range deliveries {
		if d.State == earshot.DeliverySent && d.Finished.After(ch.LastSent) {
			ch.LastSent = d.Finished
		}
	}
	for _, d := range deliveries {
		failed := d.State == earshot.DeliveryFailed || d.State == earshot.DeliveryInterrupted
		switch {
		case isOpen(d):
			ch.Waiting++
		case failed && d.Finished.After(ch.LastSent):
			ch.Failed++
		}
		if at := cmp.Or(d.Finished, d.Began); d.Error != "" && at.After(ch.LastSent) && at.After(ch.LastErrorTime) {
			ch.LastError, ch.LastErrorTime = d.Error, at
		}
	}
}

// Add adds a channel of a kind. The signing key of a webhook is returned once and cannot be read
// again; it is empty for other kinds.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, team earshot.TeamID, kind earshot.ChannelKind, with Settings) (_ Channel, key string, err error) {
	if !slices.Contains(earshot.ChannelKinds, kind) {
		return Channel{}, "", earshot.InvalidBody("kind '%s' is unknown; the kinds are %s", earshot.Clip(string(kind), 50), kindNames())
	}
	if reason := s.Unavailable(kind); reason != "" {
		return Channel{}, "", earshot.Errorf(earshot.Invalid, "%s", reason)
	}
	var of secrets
	if kind == earshot.WebhookChannel {
		key = newSigningKey()
		of.Keys = []signingKey{{Key: key}}
	}
	now := s.now().Truncate(time.Second)
	ch, err := s.channels().Add(ctx, c, team, func(id earshot.ChannelID) (*earshot.Channel, error) {
		ch := &earshot.Channel{ID: id, Team: team, Kind: kind, CreatedBy: c.Name, Created: now, EditedBy: c.Name, Edited: now}
		if err := s.apply(ch, &of, with); err != nil {
			return nil, err
		}
		var err error
		ch.Secret, err = s.seal(id, of)
		return ch, err
	})
	if err != nil {
		return Channel{}, "", err
	}
	return s.Describe(ch), key, nil
}

// Edit changes a channel. If with.Edits is set and out of date, it returns an [earshot.Conflict]
// error that says who made the newer version.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.ChannelID, with Settings) (Channel, error) {
	return s.update(ctx, c, id, with.Edits, func(ch *earshot.Channel, of *secrets) error { return s.apply(ch, of, with) })
}

// Rotate gives a webhook a new signing key and returns it. The old one signs along for 24 hours.
func (s *Service) Rotate(ctx context.Context, c *earshot.Caller, id earshot.ChannelID) (_ Channel, key string, err error) {
	key = newSigningKey()
	ch, err := s.update(ctx, c, id, nil, func(ch *earshot.Channel, of *secrets) error {
		if ch.Kind != earshot.WebhookChannel {
			return earshot.Errorf(earshot.Invalid, "Only webhooks have a signing key")
		}
		if of.URL == "" { // it was lost with the old key
			return earshot.Errorf(earshot.Invalid, "Enter the URL of the webhook again first, because the stored one cannot be read")
		}
		rotated := []signingKey{{Key: key}}
		if len(of.Keys) > 0 { // a receiver that knows an older one has had its time
			rotated = append(rotated, signingKey{of.Keys[0].Key, s.now().Add(keyOverlap)})
		}
		of.Keys = rotated
		return nil
	})
	return ch, key, err
}

// update changes a channel and its secrets on behalf of c. edits is as in [catalog.Owned].
func (s *Service) update(ctx context.Context, c *earshot.Caller, id earshot.ChannelID, edits *int64, change func(*earshot.Channel, *secrets) error) (Channel, error) {
	ch, err := s.channels().Edit(ctx, c, id, edits, func(ch *earshot.Channel) error {
		of, err := s.open(ch)
		if err != nil { // all of it has to be entered again
			of = secrets{}
		}
		if err := change(ch, &of); err != nil {
			return err
		}
		ch.Secret, err = s.seal(id, of)
		return err
	})
	if err != nil {
		return Channel{}, err
	}
	s.changed.Notify()
	return s.Describe(ch), nil
}

// Remove removes a channel with its deliveries, also from the rules and reports that use it.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.ChannelID) error {
	if _, err := s.find(c, id); err != nil {
		return err
	}
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		without := func(ids []earshot.ChannelID) []earshot.ChannelID {
			return slices.DeleteFunc(ids, func(other earshot.ChannelID) bool { return other == id })
		}
		for _, r := range s.Catalog.Rules.List() {
			if slices.Contains(r.Channels, id) {
				_, err := s.Catalog.Rules.Update(ctx, r.ID, func(r *earshot.Rule) error { r.Channels = without(r.Channels); return nil })
				if err != nil && !errors.Is(err, catalog.ErrNotFound) {
					return err
				}
			}
		}
		for _, r := range s.Catalog.Reports.List() {
			if slices.Contains(r.Channels, id) {
				_, err := s.Catalog.Reports.Update(ctx, r.ID, func(r *earshot.ScheduledReport) error { r.Channels = without(r.Channels); return nil })
				if err != nil && !errors.Is(err, catalog.ErrNotFound) {
					return err
				}
			}
		}
		if err := s.Catalog.Channels.Remove(ctx, id); errors.Is(err, catalog.ErrNotFound) {
			return noChannel(id)
		} else if err != nil {
			return err
		}
		return s.removeDeliveries(ctx, id)
	})
}

func (s *Service) removeDeliveries(ctx context.Context, id earshot.ChannelID) error {
	for _, d := range s.deliveriesOf(id) {
		if err := s.Catalog.Deliveries.Remove(ctx, d.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// Unavailable returns why channels of a kind cannot be added, or "".
func (s *Service) Unavailable(kind earshot.ChannelKind) string {
	switch {
	case s.Senders[kind] != nil:
		return ""
	case kind == earshot.EmailChannel:
		return "Email is not set up: an administrator has to set smtp.address and smtp.from"
	}
	return "This installation does not support " + string(kind) + " channels"
}
