package account

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// A Hasher holds argon2id's costs. They are written into each hash, so raising
// them leaves old passwords valid.
type Hasher struct {
	Memory  uint32 // KiB
	Passes  uint32
	Threads uint8
}

// DefaultHasher takes about 25 ms and 19 MiB a password.
var DefaultHasher = Hasher{Memory: 19 * 1024, Passes: 2, Threads: 1}

const hashFormat = "$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s"

// Hash returns the encoded hash of a password.
func (h Hasher) Hash(password string) string {
	salt := make([]byte, 16)
	rand.Read(salt) // never fails: crypto/rand
	b64 := base64.RawStdEncoding
	return fmt.Sprintf(hashFormat, argon2.Version, h.Memory, h.Passes, h.Threads,
		b64.EncodeToString(salt), b64.EncodeToString(h.key(password, salt)))
}

// Verify reports whether password belongs to an encoded hash.
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

func (h Hasher) key(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, h.Passes, h.Memory, h.Threads, 32)
}
