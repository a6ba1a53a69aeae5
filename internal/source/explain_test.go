package source

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"earshot/internal/connector"
)

func TestRedact(t *testing.T) {
	f := func(text, secret, want string) {
		t.Helper()
		if got := redact(text, secret); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f("token a+b&c was rejected", "a+b&c", "token … was rejected")
	f("/?t=a%2Bb%26c failed", "a+b&c", "/?t=… failed")
	f("old-secret is wrong", "new-secret old-secret", "… is wrong")
	f("new-secret old-secret", "new-secret old-secret", "…")
	f("a cat", "cat", "a cat") // too short: it occurs in ordinary words
}

func TestExplain(t *testing.T) {
	f := func(err error, want string) {
		t.Helper()
		if got := explain(err); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	refused := &url.Error{Op: "Get", URL: "https://a.example/?token=secret", Err: errors.New("connection refused")}
	f(fmt.Errorf("connect to a.example: %w", refused), "connect to a.example: connection refused")
	f(fmt.Errorf("%w: the token was revoked", connector.ErrAttention), "the token was revoked")
	f(fmt.Errorf("%w: %w", connector.ErrAttention, refused), "connection refused")
}
