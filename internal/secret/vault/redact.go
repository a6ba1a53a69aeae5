package vault

import (
	"context"
	"log/slog"
	"net/url"
	"strings"
)

// Redact replaces a secret in a text by an ellipsis, also where it is part of a URL. If the secret
// has several words, it replaces each of them.
func Redact(text, secret string) string {
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

// RedactError returns err with a text that does not contain the secret.
func RedactError(err error, secret string) error {
	text := err.Error()
	if clean := Redact(text, secret); clean != text {
		return &redactedError{clean, err}
	}
	return err
}

type redactedError struct {
	text string
	err  error
}

func (e *redactedError) Error() string { return e.text }
func (e *redactedError) Unwrap() error { return e.err }

// RedactLog returns a logger that replaces a secret in messages and values.
func RedactLog(log *slog.Logger, secret string) *slog.Logger {
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
	clean := slog.NewRecord(r.Time, r.Level, Redact(r.Message, h.secret), r.PC)
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
		if text := v.String(); strings.Contains(text, h.secret) || Redact(text, h.secret) != text {
			return slog.String(a.Key, Redact(text, h.secret))
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
