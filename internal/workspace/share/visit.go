package share

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"
	"time"

	"earshot"
	"earshot/internal/limit"
	"earshot/internal/secret/linktoken"
	"earshot/internal/secret/password"
)

// A Visit is a request of someone who has a link.
type Visit struct {
	Token   string
	Address string // of the visitor
	Cookie  string // that Unlock returned; empty: none
}

// A Page is what a link shows.
type Page struct {
	Name    string
	Range   string // of cards without days of their own
	Cards   []earshot.Card
	Expires time.Time // zero: never

	// Caller may see what belongs to the link's team, and nothing else.
	Caller *earshot.Caller
}

var (
	// errInvalid is the same for links that never existed, have expired, were revoked, or show
	// something that was removed, so that it does not reveal which.
	errInvalid  = earshot.Errorf(earshot.NotFound, "This link is not valid or has expired")
	errLocked   = earshot.Errorf(earshot.Unauthenticated, "This link requires a password")
	errPassword = earshot.Errorf(earshot.Unauthenticated, "The password is incorrect")
	errNoCard   = earshot.Errorf(earshot.NotFound, "This card does not exist")
)

// Open returns what a link shows, and counts the visit.
func (s *Service) Open(v Visit) (Page, error) {
	l, err := s.admit(v)
	if err != nil {
		return Page{}, err
	}
	if !s.unlocked(l, v.Cookie) {
		return Page{}, errLocked
	}
	s.record(l, v, "", true)
	return s.page(l), nil
}

// Card returns the page of a link with only one of its cards.
func (s *Service) Card(v Visit, id int64) (Page, error) {
	l, err := s.admit(v)
	if err != nil {
		return Page{}, err
	}
	if !s.unlocked(l, v.Cookie) {
		return Page{}, errLocked
	}
	page := s.page(l)
	i := slices.IndexFunc(page.Cards, func(c earshot.Card) bool { return c.ID == id })
	if i < 0 {
		return Page{}, errNoCard
	}
	s.record(l, v, "", false)
	page.Cards = page.Cards[i : i+1]
	return page, nil
}

// admit returns the link of a visit, which may still be locked.
func (s *Service) admit(v Visit) (*earshot.ShareLink, error) {
	now := s.Now()
	if err := s.visits.CountNetwork(v.Address, now); err != nil {
		return nil, err
	}
	hash := linktoken.Hash(v.Token)
	l, ok := s.tokens.Find(s.Catalog.ShareLinks, string(hash))
	if !ok || !linktoken.Equal(l.TokenHash, hash) {
		return nil, errInvalid
	}
	if err := s.visits.CountLink(int64(l.ID), now); err != nil {
		s.record(l, v, RefusedLimit, false)
		return nil, err
	}
	if state := s.State(l); state != Active {
		s.record(l, v, string(state), false)
		return nil, errInvalid
	}
	return l, nil
}

// page returns what a link shows.
func (s *Service) page(l *earshot.ShareLink) Page {
	p := Page{Name: l.Name, Range: l.Range, Cards: l.Cards, Expires: l.Expires, Caller: &earshot.Caller{Teams: []earshot.TeamID{l.Team}}}
	if d, ok := s.Catalog.Dashboards.Find(l.Dashboard); ok {
		p.Range, p.Cards = d.Range, d.Cards
	}
	return p
}

// An Unlocked is a cookie that opens a link until it expires or the password changes.
type Unlocked struct {
	Cookie  string // empty: the link has no password
	Expires time.Time
}

// unlockLife is how long a visitor does not have to enter the password again.
const unlockLife = 12 * time.Hour

// Unlock checks the password of a link. Failed attempts are throttled by link and network.
func (s *Service) Unlock(ctx context.Context, v Visit, given string) (Unlocked, error) {
	l, err := s.admit(v)
	if err != nil || l.PasswordHash == "" {
		return Unlocked{}, err
	}
	o := origin{link: fmt.Sprint(l.ID), network: networkOf(v.Address).String()}
	if wait := s.throttle.wait(s.Now(), o); wait > 0 {
		return Unlocked{}, tooManyFailures(wait)
	}
	busy := s.Hashing.Do(ctx, limit.Turn{Key: o.network}, func() {
		// Concurrent attempts are throttled like consecutive ones.
		if wait := s.throttle.wait(s.Now(), o); wait > 0 {
			err = tooManyFailures(wait)
			return
		}
		if !password.Verify(l.PasswordHash, given) {
			err = errPassword
			s.throttle.add(s.Now(), o)
			return
		}
		s.throttle.reset(o)
	})
	switch {
	case busy != nil:
		return Unlocked{}, busy
	case err != nil:
		s.record(l, v, RefusedPassword, false)
		return Unlocked{}, err
	}
	return s.newCookie(l), nil
}

// newCookie returns a cookie for l: the time at which it expires, and a signature.
func (s *Service) newCookie(l *earshot.ShareLink) Unlocked {
	expires := s.Now().Add(unlockLife).Truncate(time.Second).UTC()
	if !l.Expires.IsZero() && l.Expires.Before(expires) {
		expires = l.Expires
	}
	b := binary.BigEndian.AppendUint64(nil, uint64(expires.Unix()))
	return Unlocked{Cookie: base64.RawURLEncoding.EncodeToString(append(b, s.sign(l, b)...)), Expires: expires}
}

// unlocked reports whether a visitor with the cookie may see what the link shows.
func (s *Service) unlocked(l *earshot.ShareLink, cookie string) bool {
	if l.PasswordHash == "" {
		return true
	}
	const size = 8 + sha256.Size
	if len(cookie) != base64.RawURLEncoding.EncodedLen(size) {
		return false
	}
	b, err := base64.RawURLEncoding.DecodeString(cookie)
	if err != nil || !hmac.Equal(b[8:], s.sign(l, b[:8])) {
		return false
	}
	return s.Now().Before(time.Unix(int64(binary.BigEndian.Uint64(b)), 0))
}

// sign signs the expiry of a cookie for a link and its password. The hash of the password has a salt,
// so that the same password, set again, makes another signature.
func (s *Service) sign(l *earshot.ShareLink, expires []byte) []byte {
	h := hmac.New(sha256.New, s.Secret)
	h.Write([]byte("share")) // domain separation: no token of a user starts with these bytes
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(l.ID)))
	h.Write(expires)
	h.Write([]byte(l.PasswordHash))
	return h.Sum(nil)
}

// networkOf returns the network of an address, or the zero Prefix.
func networkOf(address string) netip.Prefix {
	addr, _ := netip.ParseAddr(address)
	return limit.Network(addr)
}
