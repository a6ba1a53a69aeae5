package vault

import (
	"bytes"
	"encoding/base64"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

func TestRedact(t *testing.T) {
	f := func(text, secret, want string) {
		t.Helper()
		if got := Redact(text, secret); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f("token a+b&c was rejected", "a+b&c", "token … was rejected")
	f("/?t=a%2Bb%26c failed", "a+b&c", "/?t=… failed")
	f("old-secret is wrong", "new-secret old-secret", "… is wrong")
	f("new-secret old-secret", "new-secret old-secret", "…")
	f("a cat", "cat", "a cat") // too short: it occurs in ordinary words
}

func TestSeal(t *testing.T) {
	v := Vault{Key: []byte("an installation key of 32 bytes."), Purpose: "test v1"}
	stored, err := v.Seal(7, "whsec_new")
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := v.Seal(7, "whsec_new"); bytes.Equal(again, stored) {
		t.Error("the same secret looks the same when it is stored again")
	}
	f := func(v Vault, id int64, stored []byte, want string, wantErr error) {
		t.Helper()
		if got, err := v.Open(id, stored); got != want || !errors.Is(err, wantErr) {
			t.Errorf("got %q %v, want %q %v", got, err, want, wantErr)
		}
	}
	f(v, 7, stored, "whsec_new", nil)
	f(v, 7, nil, "", nil)
	f(v, 8, stored, "", ErrUnreadable)
	f(v, 7, stored[:5], "", ErrUnreadable)
	f(Vault{v.Key, "test v2"}, 7, stored, "", ErrUnreadable)
	f(Vault{[]byte("another key"), v.Purpose}, 7, stored, "", ErrUnreadable)
}

// Secrets that earlier versions stored stay readable.
func TestOpenStored(t *testing.T) {
	stored, err := base64.StdEncoding.DecodeString("VMV0KCdwY94vdW2YQgQeIsYKPNo7lPlMLNP2IPUyXli1FcpGRw==")
	if err != nil {
		t.Fatal(err)
	}
	v := Vault{Key: []byte("an installation key of 32 bytes."), Purpose: "earshot live source secrets v1"}
	if got, err := v.Open(2147483655, stored); got != "whsec_old" || err != nil {
		t.Errorf("got %q %v, want whsec_old", got, err)
	}
}

func TestRedactLog(t *testing.T) {
	var out strings.Builder
	log := RedactLog(slog.New(slog.NewTextHandler(&out, nil)), "hunter22").With("with", "hunter22")
	log.WithGroup("g").Info("a hunter22", "plain", "x hunter22", "error", errors.New("bad hunter22"), slog.Group("in", "deep", "hunter22"))
	if text := out.String(); strings.Contains(text, "hunter22") || strings.Count(text, "…") != 5 {
		t.Errorf("got %s", text)
	}
}
