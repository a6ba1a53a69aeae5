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
// raising the epoch ends every token of the user. A session is a token too, of a
// kind that only a cookie may hold; its mac covers the SessionEpoch as well.
const (
	tokenVersion = 1
	payloadSize  = 34
	tokenSize    = payloadSize + sha256.Size

	kindExpiring  = 'e' // until holds Unix seconds
	kindPermanent = 'p' // until holds the user's TokenGeneration
	kindSession   = 's' // until holds Unix seconds
)

// tokenLife trades how often programs must sign in against how long a leaked token works.
const tokenLife = 24 * time.Hour

// A Token authenticates a caller. Expires is zero for a permanent one.
type Token struct {
	Text    string
	Expires time.Time
}

// expiringToken returns a new token that expires after tokenLife.
func (s *Service) expiringToken(u *earshot.User) Token { return s.newToken(u, kindExpiring, tokenLife) }

// newToken returns a unique token that expires.
func (s *Service) newToken(u *earshot.User, kind byte, life time.Duration) Token {
	expires := s.now().Add(life).Truncate(time.Second).UTC()
	var nonce [16]byte
	rand.Read(nonce[:]) // never fails: crypto/rand
	return Token{s.signToken(u, kind, uint64(expires.Unix()), nonce), expires}
}

// permanentToken returns the user's non-expiring token: the same one each time until
// the generation is raised.
func (s *Service) permanentToken(u *earshot.User) Token {
	return Token{Text: s.signToken(u, kindPermanent, uint64(u.TokenGeneration), [16]byte{})}
}

func (s *Service) signToken(u *earshot.User, kind byte, until uint64, nonce [16]byte) string {
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
	if payload[1] == kindSession {
		h.Write(binary.BigEndian.AppendUint64(nil, uint64(u.SessionEpoch)))
	}
	return h.Sum(nil)
}

// Authenticate returns the caller that a token belongs to, or
// earshot.ErrNotAuthenticated.
func (s *Service) Authenticate(_ context.Context, token string) (*earshot.Caller, error) {
	o, ok := s.verifyToken(token)
	if !ok || !o.user.APIAccess {
		return nil, earshot.ErrNotAuthenticated
	}
	valid := false
	switch o.kind {
	case kindExpiring:
		valid = s.now().Before(o.expires())
	case kindPermanent:
		valid = o.until == uint64(o.user.TokenGeneration)
	}
	if !valid {
		return nil, earshot.ErrNotAuthenticated
	}
	return earshot.NewCaller(o.user), nil
}

// tokenClaims are the contents of a token with a valid mac. It may have expired.
type tokenClaims struct {
	user  *earshot.User
	kind  byte
	until uint64
	nonce []byte
	bytes []byte // the whole token
}

// expires returns the expiry of a token whose kind has one.
func (o tokenClaims) expires() time.Time { return time.Unix(int64(o.until), 0).UTC() }

// verifyToken parses a token and checks its mac.
func (s *Service) verifyToken(token string) (tokenClaims, bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenSize) {
		return tokenClaims{}, false
	}
	b, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(b) != tokenSize || b[0] != tokenVersion {
		return tokenClaims{}, false
	}
	payload, mac := b[:payloadSize], b[payloadSize:]
	u, ok := s.catalog.Users.Find(earshot.UserID(binary.BigEndian.Uint64(payload[2:])))
	if !ok || !hmac.Equal(mac, s.mac(payload, u)) {
		return tokenClaims{}, false
	}
	return tokenClaims{u, payload[1], binary.BigEndian.Uint64(payload[10:]), payload[18:], b}, true
}
