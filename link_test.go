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
