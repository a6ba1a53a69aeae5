package account

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"earshot"
)

// A token is 34 bytes of payload and 32 of HMAC-SHA-256, in base64url:
//
//	version 1 | kind 1 | user 8 | expiry or generation 8 | nonce 16 | mac 32
//
// The mac also covers the user's TokenEpoch, which is not in the token, so
// raising the epoch ends every token of the user.
const (
	tokenVersion = 1
	payloadSize  = 34
	tokenSize    = payloadSize + sha256.Size

	kindExpiring  = 'e' // until holds Unix seconds
	kindPermanent = 'p' // until holds the user's TokenGeneration
)

// tokenLife is how long an expiring token is valid.
const tokenLife = 24 * time.Hour

// A Token is what a caller signs in for. Expires is zero for a permanent one.
type Token struct {
	Text    string
	Expires time.Time
}

// expiring returns a fresh token that ends after tokenLife.
func (s *Service) expiring(u *earshot.User) Token {
	expires := s.now().Add(tokenLife).Truncate(time.Second).UTC()
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails: crypto/rand
	return Token{s.seal(u, kindExpiring, uint64(expires.Unix()), nonce), expires}
}

// permanent returns the user's non-expiring token: the same one each time until
// the generation is raised.
func (s *Service) permanent(u *earshot.User) Token {
	return Token{Text: s.seal(u, kindPermanent, uint64(u.TokenGeneration), [16]byte{})}
}

func (s *Service) seal(u *earshot.User, kind byte, until uint64, nonce [16]byte) string {
	b := make([]byte, 0, tokenSize)
	b = append(b, tokenVersion, kind)
	b = binary.BigEndian.AppendUint64(b, uint64(u.ID))
	b = binary.BigEndian.AppendUint64(b, until)
	b = append(b, nonce[:]...)
	return base64.RawURLEncoding.EncodeToString(append(b, s.mac(b, u)...))
}

func (s *Service) mac(payload []byte, u *earshot.User) []byte {
	h := hmac.New(sha256.New, s.secret)
	h.Write(payload)
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(u.TokenEpoch)))
	return h.Sum(nil)
}

// Authenticate returns the caller that a token belongs to, or
// earshot.ErrNotAuthenticated.
func (s *Service) Authenticate(_ context.Context, token string) (*earshot.Caller, error) {
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != tokenSize || b[0] != tokenVersion {
		return nil, earshot.ErrNotAuthenticated
	}
	payload, mac := b[:payloadSize], b[payloadSize:]
	u, ok := s.catalog.Users.Find(earshot.UserID(binary.BigEndian.Uint64(payload[2:])))
	if !ok || !hmac.Equal(mac, s.mac(payload, u)) || !u.APIAccess {
		return nil, earshot.ErrNotAuthenticated
	}
	until := binary.BigEndian.Uint64(payload[10:])
	valid := false
	switch payload[1] {
	case kindExpiring:
		valid = s.now().Before(time.Unix(int64(until), 0))
	case kindPermanent:
		valid = until == uint64(u.TokenGeneration)
	}
	if !valid {
		return nil, earshot.ErrNotAuthenticated
	}
	return earshot.NewCaller(u), nil
}
