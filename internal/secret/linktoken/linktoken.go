// Package linktoken makes the secrets in the addresses of share links and feeds. Only their hashes are
// stored, so that nobody who reads the catalog or a backup can use the links.
package linktoken

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
)

// size is the size of a token in bytes before it is encoded.
const size = 32

// New returns a random token in base64url.
func New() string {
	var b [size]byte
	rand.Read(b[:]) // crypto/rand never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// Hash returns the hash of a token. Tokens are random, so that the hash needs neither a salt nor many
// rounds. It is nil for what cannot be a token.
//
// A link may be looked up by its hash: an attacker who measures how long that takes learns about a
// hash at most, which does not lead to a token.
func Hash(token string) []byte {
	if len(token) != base64.RawURLEncoding.EncodedLen(size) {
		return nil
	}
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// Equal reports whether two hashes are the same, and takes the same time for all that are not.
func Equal(a, b []byte) bool { return len(a) > 0 && subtle.ConstantTimeCompare(a, b) == 1 }
