package source

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/url"
	"strconv"
	"strings"

	"earshot"
)

// secretPurpose separates the key for source secrets from other keys that are derived from the
// installation's secret.
const secretPurpose = "earshot live source secrets v1"

// encrypt returns the stored form of a secret: a nonce and the text, encrypted with AES-256-GCM. It
// can be decrypted only for the same source.
func (s *Service) encrypt(id earshot.LiveSourceID, secret string) ([]byte, error) {
	if secret == "" {
		return nil, nil
	}
	c, err := s.cipher()
	if err != nil {
		return nil, err
	}
	nonce := make([]byte, c.NonceSize())
	rand.Read(nonce) // never fails
	return c.Seal(nonce, nonce, []byte(secret), additionalData(id)), nil
}

// decrypt is the inverse of encrypt.
func (s *Service) decrypt(id earshot.LiveSourceID, stored []byte) (string, error) {
	if len(stored) == 0 {
		return "", nil
	}
	c, err := s.cipher()
	if err != nil {
		return "", err
	}
	if len(stored) < c.NonceSize() {
		return "", errSecret
	}
	text, err := c.Open(nil, stored[:c.NonceSize()], stored[c.NonceSize():], additionalData(id))
	if err != nil {
		return "", errSecret // reveals nothing about the secret
	}
	return string(text), nil
}

var errSecret = errors.New("the stored secret cannot be read, because the key of this installation was replaced; enter the secret again")

func (s *Service) cipher() (cipher.AEAD, error) {
	key, err := hkdf.Key(sha256.New, s.Secret, nil, secretPurpose, 32)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

func additionalData(id earshot.LiveSourceID) []byte { return strconv.AppendInt(nil, int64(id), 10) }

// redact replaces a secret in a text. Connectors must not reveal secrets; this covers library
// errors, which may contain a whole request.
func redact(text, secret string) string {
	for _, part := range append([]string{secret}, strings.Fields(secret)...) { // a webhook may have two secrets
		if len(part) < minRedacted {
			continue
		}
		for _, form := range []string{part, url.QueryEscape(part), url.PathEscape(part)} {
			text = strings.ReplaceAll(text, form, "…")
		}
	}
	return text
}

// minRedacted is the minimum length of a secret to redact. Shorter ones occur in ordinary words.
const minRedacted = 4

// redactLog returns a logger that replaces a secret in messages and values.
func redactLog(log *slog.Logger, secret string) *slog.Logger {
	if len(secret) < minRedacted {
		return log
	}
	return slog.New(&redactingHandler{log.Handler(), secret})
}

type redactingHandler struct {
	slog.Handler
	secret string
}

func (h *redactingHandler) Handle(ctx context.Context, r slog.Record) error {
	clean := slog.NewRecord(r.Time, r.Level, redact(r.Message, h.secret), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		clean.AddAttrs(h.redact(a))
		return true
	})
	return h.Handler.Handle(ctx, clean)
}

func (h *redactingHandler) redact(a slog.Attr) slog.Attr {
	v := a.Value.Resolve()
	switch v.Kind() {
	case slog.KindGroup:
		var members []any
		for _, m := range v.Group() {
			members = append(members, h.redact(m))
		}
		return slog.Group(a.Key, members...)
	case slog.KindString, slog.KindAny:
		if text := v.String(); strings.Contains(text, h.secret) || redact(text, h.secret) != text {
			return slog.String(a.Key, redact(text, h.secret))
		}
	}
	return slog.Attr{Key: a.Key, Value: v}
}

func (h *redactingHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	clean := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		clean[i] = h.redact(a)
	}
	return &redactingHandler{h.Handler.WithAttrs(clean), h.secret}
}

func (h *redactingHandler) WithGroup(name string) slog.Handler {
	return &redactingHandler{h.Handler.WithGroup(name), h.secret}
}
