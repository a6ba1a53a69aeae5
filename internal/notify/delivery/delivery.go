// Package delivery sends messages to where people work: email, webhooks, Slack, Microsoft Teams,
// Discord and ntfy.
//
//	Enqueue ──► waiting ──► sending ──► sent
//	               ▲           │
//	               │           ├──► failed        no more attempts
//	               └── retry ──┤
//	                           └──► interrupted   Earshot stopped in between
//
// A team manages channels, whose secrets are encrypted. [Service.Enqueue] writes one delivery for each
// channel of a notification; its ID is a hash of the channel and the key, so that nothing is enqueued
// twice. [Service.Run] sends deliveries, one at a time for each channel, in their order.
//
// The central idea is that the state "sending" is written before the first byte leaves. What is found
// in that state after a crash may have arrived. A webhook is sent again with the same ID, by which its
// receiver recognizes it. Nobody recognizes an email or a chat message, so these are not sent again
// unless a person decides to: docs/decisions/0066-deliveries.md.
package delivery

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// A Service manages channels and sends deliveries. It is safe for concurrent use.
type Service struct {
	Catalog *catalog.Catalog
	Secret  []byte // of the installation; encrypts the secrets of channels

	// Senders has the sender of each kind of channel. Kinds without one have no channels.
	Senders map[earshot.ChannelKind]channel.Sender

	// AllowHTTP permits URLs that do not start with https://, for servers of an intranet.
	AllowHTTP bool

	PublicURL string // of the web app, for links in messages, without a slash at the end

	// Render fills in the contents of a scheduled report, when it is sent. If it is nil, reports are
	// sent as they were enqueued.
	Render func(ctx context.Context, d *earshot.Delivery) (earshot.Message, error)

	Now func() time.Time // nil: time.Now
	Log *slog.Logger

	mu      sync.Mutex
	created time.Time // of the newest delivery; guarded by mu

	index   index
	changed sleep.Signal // for Run
	totals  totals
	tests   tests
	retried retried
}

func (s *Service) now() time.Time {
	if s.Now == nil {
		return time.Now().UTC().Round(0)
	}
	return s.Now().UTC().Round(0)
}
