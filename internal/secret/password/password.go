// Package password hashes passwords with argon2id and rejects those that are easy to guess.
package password

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// A Hasher has the cost parameters of argon2id. Each hash includes them, so passwords hashed with
// lower costs remain valid after the costs are raised.
type Hasher struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// DefaultHasher takes about 25 ms and 19 MiB per password.
var DefaultHasher = Hasher{Memory: 19 * 1024, Passes: 2, Threads: 1}

const hashFormat = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s"

// Hash returns the encoded hash of a password, with a random salt.
func (h Hasher) Hash(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt) // crypto/rand never fails
	b64 := base64.RawStdEncoding
	return fmt.Sprintf(hashFormat, argon2.Version, h.Memory, h.Passes, h.Threads,
		b64.EncodeToString(salt), b64.EncodeToString(h.key(password, salt)))
}

// Verify reports whether password matches an encoded hash. It compares in constant time.
func Verify(encoded, password string) bool {
	parts := strings.Split(encoded, "$")
	if len(parts) != 6 || parts[1] != "argon2id" {
		return false
	}
	var h Hasher
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &h.Memory, &h.Passes, &h.Threads); err != nil {
		return false
	}
	salt, err1 := base64.RawStdEncoding.DecodeString(parts[4])
	want, err2 := base64.RawStdEncoding.DecodeString(parts[5])
	if err1 != nil || err2 != nil || len(want) == 0 {
		return false
	}
	return subtle.ConstantTimeCompare(h.key(password, salt), want) == 1
}

// Spend takes as long as [Verify], so that the time of a response does not reveal that there is no
// hash to compare with.
func (h Hasher) Spend(password string) { h.key(password, make([]byte, 16)) }

func (h Hasher) key(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, h.Passes, h.Memory, h.Threads, 32)
}
