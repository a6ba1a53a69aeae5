package earshot_test

import (
	"testing"

	"earshot"
)

func TestIsUnsafeLink(t *testing.T) {
	f := func(url string, want bool) {
		t.Helper()
		if got := earshot.IsUnsafeLink(url); got != want {
			t.Errorf("%q: got %v, want %v", url, got, want)
		}
	}
	for _, url := range []string{"javascript:alert(1)", " JavaScript:x", "java\nscript:x", "\x01javascript:x", "data:text/html,x", "vbscript:x", "file:///etc/passwd"} {
		f(url, true)
	}
	for _, url := range []string{"", "https://example.com/javascript:x", "http://a", "example.com/1", "urn:uuid:1", "at://did:plc:1/x", "17:30"} {
		f(url, false)
	}
}

func TestCanonicalLink(t *testing.T) {
	f := func(link, want string) {
		t.Helper()
		if got := earshot.CanonicalLink(link); got != want {
			t.Errorf("%s: got %q, want %q", link, got, want)
		}
	}
	f("https://www.Example.com/A/?utm_source=x&b=2&a=1&fbclid=z#top", "example.com/A?a=1&b=2")
	f("http://example.com", "example.com")
	f("http://example.com/?ref=x", "example.com")
	f("https://example.com/%C3%A4", "example.com/%C3%A4")
	f("mailto:ann@example.com", "")
	f("example.com/a", "")
	f("https://%", "")
}
