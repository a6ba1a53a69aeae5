package account

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"time"

	"earshot"
)

// A user has a good record in the networks from which they signed in. There, no failures of others
// keep them out. The record is in the user's record, so it survives a restart.
const (
	maxKnownNetworks = 20                  // per user; the one that was not used for the longest time makes room
	recordLife       = 90 * 24 * time.Hour // how long a record lasts after the last sign-in
	recordUpdates    = 24 * time.Hour      // how often a sign-in updates the record
)

// networkID returns the name of a network in user records. It does not reveal the address.
func (s *Service) networkID(network string) string {
	h := hmac.New(sha256.New, s.secret)
	h.Write([]byte("network")) // domain separation: no token starts with these bytes
	h.Write([]byte(network))
	return base64.RawURLEncoding.EncodeToString(h.Sum(nil)[:12])
}

// hasRecord reports whether u signed in from the network before.
func (s *Service) hasRecord(u *earshot.User, network string) bool {
	if u == nil {
		return false
	}
	id := s.networkID(network)
	return slices.ContainsFunc(u.KnownNetworks, func(k earshot.KnownNetwork) bool {
		return k.ID == id && s.now().Sub(k.LastSignIn) < recordLife
	})
}

// record notes that u signed in from a network. It writes in the background, at most once a day
// for each network: signing in must not wait for storage, and works without it.
func (s *Service) record(ctx context.Context, u *earshot.User, network string) {
	id, now := s.networkID(network), s.now()
	fresh := func(k earshot.KnownNetwork) bool { return k.ID == id && now.Sub(k.LastSignIn) < recordUpdates }
	if slices.ContainsFunc(u.KnownNetworks, fresh) {
		return
	}
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
		defer cancel()
		_, err := s.catalog.Users.Update(ctx, u.ID, func(u *earshot.User) error {
			list := slices.DeleteFunc(u.KnownNetworks, func(k earshot.KnownNetwork) bool {
				return k.ID == id || now.Sub(k.LastSignIn) >= recordLife
			})
			list = append(list, earshot.KnownNetwork{ID: id, LastSignIn: now.UTC().Truncate(time.Second)})
			u.KnownNetworks = list[max(0, len(list)-maxKnownNetworks):]
			return nil
		})
		if err != nil {
			s.log.Warn("recording a sign-in failed", "user", u.Username, "error", err)
		}
	})
}
