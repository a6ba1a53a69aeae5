package share

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"sync"

	"earshot"
	"earshot/internal/state/catalog"
)

// tokenSize is the size of a token in bytes before it is encoded.
const tokenSize = 32

// newToken returns a random token in base64url.
func newToken() string {
	var b [tokenSize]byte
	rand.Read(b[:]) // crypto/rand never fails
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// hashToken returns the hash under which a link is stored. Tokens are random, so that the hash needs
// neither a salt nor many rounds.
func hashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// A tokenIndex finds links by the hashes of their tokens. It follows the catalog's table, so that a
// change by another process takes effect, too.
type tokenIndex struct {
	mu      sync.Mutex                     // guards the fields below
	version uint64                         // of the table
	ids     map[string]earshot.ShareLinkID // by hash
	hashes  map[earshot.ShareLinkID]string // what ids has for each link
}

// find returns the link of a token.
func (x *tokenIndex) find(table *catalog.Table[earshot.ShareLinkID, earshot.ShareLink], token string) (*earshot.ShareLink, bool) {
	if len(token) != base64.RawURLEncoding.EncodedLen(tokenSize) {
		return nil, false
	}
	hash := hashToken(token)
	l, ok := table.Find(x.lookup(table, string(hash)))
	if !ok || subtle.ConstantTimeCompare(l.TokenHash, hash) == 0 {
		return nil, false
	}
	return l, true
}

// lookup returns the ID of the link with a hash, or 0. An attacker who measures how long it takes
// learns about a hash at most, which does not lead to a token.
func (x *tokenIndex) lookup(table *catalog.Table[earshot.ShareLinkID, earshot.ShareLink], hash string) earshot.ShareLinkID {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.ids == nil {
		x.ids, x.hashes = map[string]earshot.ShareLinkID{}, map[earshot.ShareLinkID]string{}
	}
	changed, version := table.Changes(x.version)
	for _, id := range changed {
		if old, ok := x.hashes[id]; ok {
			delete(x.ids, old)
			delete(x.hashes, id)
		}
		if l, ok := table.Find(id); ok {
			x.ids[string(l.TokenHash)], x.hashes[id] = id, string(l.TokenHash)
		}
	}
	x.version = version
	return x.ids[hash]
}
