package delivery

import (
	"context"
	"fmt"
	"math/rand/v2"

	"earshot"
	"earshot/internal/notify/channel"
)

// Mail makes one attempt to send a message to an email address at once. Unlike [Service.Enqueue], it
// stores nothing, because the message may contain a secret. The error is for people.
func (s *Service) Mail(ctx context.Context, to string, m earshot.Message) error {
	if reason := s.Unavailable(earshot.EmailChannel); reason != "" {
		return earshot.Errorf(earshot.Invalid, "%s", reason)
	}
	if !isAddress(to) {
		return earshot.Errorf(earshot.Invalid, "'%s' is not an email address", earshot.Clip(to, 100))
	}
	ctx, cancel := context.WithTimeout(ctx, sendTimeout)
	defer cancel()
	out := channel.Outgoing{ID: fmt.Sprintf("msg_%x", rand.Uint64()), Time: s.now(), Link: s.PublicURL + m.Path, Message: m}
	if r := s.Senders[earshot.EmailChannel].Send(ctx, channel.Address{Recipients: []string{to}}, out); r.Outcome != channel.Sent {
		return earshot.Errorf(earshot.Unprocessable, "%s", earshot.Clip(r.Error, maxError))
	}
	return nil
}
