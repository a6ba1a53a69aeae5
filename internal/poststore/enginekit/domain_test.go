package enginekit

import "testing"

func TestRegisteredDomain(t *testing.T) {
	f := func(host, want string) {
		t.Helper()
		if got := RegisteredDomain(host); got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
	f("example.com", "example.com")
	f("news.example.com", "example.com")
	f("a.b.example.co.uk", "example.co.uk")
	f("ann.blogspot.com", "ann.blogspot.com")
	f("co.uk", "co.uk")
	f("localhost", "localhost")
	f("192.0.2.1", "192.0.2.1")
	f("2001:db8::1", "2001:db8::1")
	f("bücher.example", "bücher.example")
	f("..", "..")
	f("", "")
}
