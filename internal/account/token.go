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

// A token is a 34-byte payload followed by its HMAC-SHA-256, encoded in base64url. The fields and
// their sizes in bytes:
//
//	version 1 | kind 1 | user 8 | until 8 | nonce 16 | mac 32
//
// The MAC also covers the user's TokenEpoch, which is not part of the token, so incrementing the
// epoch revokes every token of the user. A session is a token of a kind that is accepted only from
// a cookie. Its MAC also covers the SessionEpoch.
const (
	tokenVersion = 1
	payloadSize  = 34
	tokenSize    = payloadSize + sha256.Size

	kindExpiring  = 'e' // the until field contains Unix seconds
	kindPermanent = 'p' // the until field contains the user's TokenGeneration
	kindSession   = 's' // the until field contains Unix seconds
)

// tokenLife is a trade-off between how often programs must sign in and how long a leaked token
// works.
const tokenLife = 24 * time.Hour

// A Token authenticates a caller. Expires is zero if the token is permanent.
type Token struct {
	Text    string
	Expires time.Time
}

// expiringToken returns a new token that expires after tokenLife.
func (s *Service) expiringToken(u *earshot.User) Token { return s.newToken(u, kindExpiring, tokenLife) }

// newToken returns a unique token that expires after life.
func (s *Service) newToken(u *earshot.User, kind byte, life time.Duration) Token {
	expires := s.now().Add(life).Truncate(time.Second).UTC()
	var nonce [16]byte
	rand.Read(nonce[:]) // crypto/rand never fails
	return Token{s.signToken(u, kind, uint64(expires.Unix()), nonce), expires}
}

// permanentToken returns the user's non-expiring token. It is always the same until TokenGeneration
// is incremented.
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

// Authenticate returns the caller that a token identifies, or [earshot.ErrNotAuthenticated].
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

// tokenClaims are the contents of a token whose MAC is valid. The token may have expired.
type tokenClaims struct {
	user  *earshot.User
	kind  byte
	until uint64
	nonce []byte
	bytes []byte // the whole token
}

// expires returns the expiry time of an expiring token or a session.
func (o tokenClaims) expires() time.Time { return time.Unix(int64(o.until), 0).UTC() }

// verifyToken parses a token and checks its MAC.
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
