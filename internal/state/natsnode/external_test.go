package natsnode

import (
	"strings"
	"testing"
)

func TestConnectingToAnUnreachableServerFails(t *testing.T) {
	_, err := Open(t.Context(), Options{URL: "nats://user:secret@127.0.0.1:1,nats://127.0.0.1:1"})
	if err == nil || !strings.HasPrefix(err.Error(), "connect to NATS at nats://127.0.0.1:1,nats://127.0.0.1:1: ") {
		t.Errorf("got %v, want connect to NATS at nats://127.0.0.1:1,…", err)
	}
	if strings.Contains(err.Error(), "secret") {
		t.Error("the error contains the password")
	}
}

func TestErrorsDoNotContainPasswords(t *testing.T) {
	f := func(url, shown string) {
		t.Helper()
		_, err := Open(t.Context(), Options{URL: url})
		if err == nil || !strings.HasPrefix(err.Error(), "connect to NATS at "+shown+": ") {
			t.Errorf("%s\ngot  %v\nwant connect to NATS at %s: …", url, err, shown)
			return
		}
		if strings.Contains(err.Error(), "user") || strings.Contains(err.Error(), "secr") {
			t.Errorf("%s: the error contains the password: %v", url, err)
		}
	}
	const unreadable = "(unreadable address)"
	f("nats://user:secr%zzet@127.0.0.1:1", unreadable)
	f("nats://user:secr et@127.0.0.1:1", unreadable)
	f("nats://user:secr/et@127.0.0.1:1", unreadable)
	f("nats://user:1/secret@127.0.0.1:1", unreadable)
	f("nats://user:1?secret@127.0.0.1:1", unreadable)
	f("nats://user:1#secret@127.0.0.1:1", unreadable)
	f("nats://user:secret\x7f@127.0.0.1:1", unreadable)
	f("nats://127.0.0.1:1, nats://user:secr%zzet@127.0.0.1:1", "nats://127.0.0.1:1,"+unreadable)
	f("user:secret@127.0.0.1:1", "nats://127.0.0.1:1")
	f("secret@127.0.0.1:1", "nats://127.0.0.1:1")
	f("nats://user:secr%40et@127.0.0.1:1", "nats://127.0.0.1:1")
	f("nats://user:secr@et@127.0.0.1:1", "nats://127.0.0.1:1")
	f("ws://user:secret@127.0.0.1:1/user?secret=secret", "ws://127.0.0.1:1")
}
