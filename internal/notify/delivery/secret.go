package delivery

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"earshot"
	"earshot/internal/secret/vault"
)

// secretPurpose separates the key for secrets of channels from other keys.
const secretPurpose = "earshot channel secrets v1"

// secrets are the confidential settings of a channel. The URLs of chat services are secrets,
// because whoever has one can post to the channel.
type secrets struct {
	URL      string       `json:",omitempty"`
	Token    string       `json:",omitempty"` // of ntfy
	Username string       `json:",omitempty"` // of HTTP basic authentication
	Password string       `json:",omitempty"`
	Keys     []signingKey `json:",omitempty"` // of a webhook, newest first
}

// A signingKey signs webhooks.
type signingKey struct {
	Key   string    // starts with whsec_
	Until time.Time `json:",omitzero"` // zero: it is the current one
}

// keyOverlap is how long the previous key of a webhook signs along after a rotation.
const keyOverlap = 24 * time.Hour

// newSigningKey returns a random key in the form of Standard Webhooks.
func newSigningKey() string {
	key := make([]byte, 32)
	rand.Read(key) // never fails
	return keyPrefix + base64.StdEncoding.EncodeToString(key)
}

func (s *Service) vault() vault.Vault { return vault.Vault{Key: s.Secret, Purpose: secretPurpose} }

func (s *Service) seal(id earshot.ChannelID, of secrets) ([]byte, error) {
	text, err := json.Marshal(of)
	if err != nil {
		return nil, err
	}
	return s.vault().Seal(int64(id), string(text))
}

func (s *Service) open(ch *earshot.Channel) (of secrets, err error) {
	text, err := s.vault().Open(int64(ch.ID), ch.Secret)
	if err != nil || text == "" {
		return secrets{}, err
	}
	if err := json.Unmarshal([]byte(text), &of); err != nil {
		return secrets{}, fmt.Errorf("decode the secrets of channel %d: %w", ch.ID, vault.ErrUnreadable)
	}
	return of, nil
}

// redact removes the secrets from a text, for example from the error of a library. The host of the
// URL stays readable.
func (of secrets) redact(text string) string {
	parts := []string{of.URL, of.Token, of.Password}
	for _, k := range of.Keys {
		parts = append(parts, k.Key, strings.TrimPrefix(k.Key, keyPrefix))
	}
	if u, err := url.Parse(of.URL); err == nil {
		parts = append(parts, u.RequestURI(), u.RawQuery)
		for part := range strings.SplitSeq(u.Path, "/") {
			if len(part) >= minPathSecret {
				parts = append(parts, part)
			}
		}
	}
	for _, p := range parts {
		text = vault.Redact(text, p)
	}
	return text
}

// minPathSecret is the minimum length of a part of a path that may be a secret. Shorter ones, such as
// "services" or "api", are names.
const minPathSecret = 9

// keyPrefix is the prefix of a signing key in text form.
const keyPrefix = "whsec_"
