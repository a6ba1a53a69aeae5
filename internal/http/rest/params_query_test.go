package rest

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	f := func(raw, name, want string) {
		t.Helper()
		if got := parseQuery(raw).get(name); got != want {
			t.Errorf("%s of %q: got %q, want %q", name, raw, got, want)
		}
	}
	f("", "a", "")
	f("a=1&b=2", "b", "2")
	f("documentSource=X", "documentsource", "X")
	f("documentsource=X", "documentSource", "X")
	f("a=1&A=2", "a", "1")
	f("a=&a=2", "a", "2")
	f("a&a=2", "a", "2")
	f("filter=site:a.com|geolocation:USA.CA;USA.NY", "filter", "site:a.com|geolocation:USA.CA;USA.NY")
	f("a=x;b=1&c=2", "a", "x;b=1")
	f("a=b=c", "a", "b=c")
	f("a=b+c%2Bd%20e", "a", "b c+d e")
	f("%61=1", "a", "1")
	f("a=100%&b=%zz%4", "a", "100%")
	f("a=100%&b=%zz%4", "b", "%zz%4")
	f("a=%E2%82%aC", "a", "€")
	f("a=%ff", "a", "\xff")
	f("&&=&=1&a=1&", "a", "1")
}

func FuzzParseQuery(f *testing.F) {
	for _, seed := range []string{"", "a=1&B=2", "a=%zz&a=+", "a=x;y=1", "=%", "a=%e2%82%ac&%41=2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		got := parseQuery(raw)
		for name, values := range got {
			if len(values) == 0 || slices.Contains(values, "") || name != strings.ToLower(name) {
				t.Errorf("%q gives %q the values %q", raw, name, values)
			}
		}
		// If net/url accepts the query string, both must agree on the first value of every
		// parameter.
		want, err := url.ParseQuery(raw)
		if err != nil {
			return
		}
		for pair := range strings.SplitSeq(raw, "&") {
			name, _, _ := strings.Cut(pair, "=")
			name = unescape(name)
			if values := want[name]; len(values) == 1 && len(want) == 1 && got.get(name) != values[0] {
				t.Errorf("%q: %q is %q, want %q", raw, name, got.get(name), values[0])
			}
		}
	})
}
