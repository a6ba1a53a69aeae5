// Package vault encrypts the secrets that the catalog stores, such as tokens of live sources and
// addresses of channels, and removes secrets from texts and logs.
//
// Keys are derived from the secret of the installation, one for each purpose. A secret can be
// decrypted only with the ID that it was encrypted for, so a stored secret cannot be copied to
// another record.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"strconv"
)

// ErrUnreadable means that a stored secret was encrypted with another key or for another ID.
var ErrUnreadable = errors.New("the stored secret cannot be read, because the key of this installation was replaced; enter the secret again")

// A Vault encrypts and decrypts secrets with AES-256-GCM.
type Vault struct {
	Key     []byte // secret of the installation
	Purpose string // separates the derived key from others, for example "earshot live source secrets v1"
}

// Seal returns the stored form of a secret: a nonce and the encrypted text. That of an empty secret
// is empty.
func (v Vault) Seal(id int64, secret string) ([]byte, error) {
	if secret == "" {
		return nil, nil
	}
	c, err := v.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, c.NonceSize())
	rand.Read(nonce) // never fails
	return c.Seal(nonce, nonce, []byte(secret), additionalData(id)), nil
}

// Open is the inverse of Seal. It returns [ErrUnreadable] if the secret cannot be decrypted, which
// reveals nothing about it.
func (v Vault) Open(id int64, stored []byte) (string, error) {
	if len(stored) == 0 {
		return "", nil
	}
	c, err := v.cipher()
	if err != nil {
		return "", err
	}
	if len(stored) < c.NonceSize() {
		return "", ErrUnreadable
	}
	text, err := c.Open(nil, stored[:c.NonceSize()], stored[c.NonceSize():], additionalData(id))
	if err != nil {
		return "", ErrUnreadable
	}
	return string(text), nil
}

func (v Vault) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, v.Key, nil, v.Purpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func additionalData(id int64) []byte { return strconv.AppendInt(nil, id, 10) }
