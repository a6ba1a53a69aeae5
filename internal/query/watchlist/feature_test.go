package watchlist

import (
	"slices"
	"testing"

	"earshot"
	"earshot/internal/query"
)

// TestHandlesMatchIgnoringCase includes letters of other scripts that fold to ASCII, and handles
// without letters.
func TestHandlesMatchIgnoringCase(t *testing.T) {
	tests := []struct {
		name   string
		handle string
		post   earshot.Post
	}{
		{"upper case", "acme", earshot.Post{AuthorUsername: "ACME"}},
		{"the Kelvin sign is a k", "skunk", earshot.Post{AuthorUsername: "SKUN\u212A"}},
		{"the Kelvin sign in the handle", "skun\u212A", earshot.Post{AuthorUsername: "skunk"}},
		{"a long s is an s", "skunk", earshot.Post{AuthorUsername: "\u017Fkunk"}},
		{"a mark that is a letter in the other case", "acme\u0345", earshot.Post{AuthorUsername: "acme\u03B9"}},
		{"non-ASCII letters", "kösel", earshot.Post{Contents: "thanks @KÖSEL!"}},
		{"no letters", "-", earshot.Post{AuthorUsername: "-"}},
		{"a handle of two words", "a b", earshot.Post{Contents: "@a b"}},
		{"a handle with a dot", "acme.co", earshot.Post{Contents: "@Acme.Co."}},
		{"a mention after an email address", "acme", earshot.Post{Contents: "joe@mail.com @acme"}},
		{"a mention after an @", "acme", earshot.Post{Title: "@@acme"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.post.Source = earshot.Instagram
			l, errs := New([]*earshot.Monitor{{
				ID: 1, Enabled: true, Type: earshot.Social, Account: earshot.Account{Network: earshot.Instagram, Handle: tt.handle},
			}}, 1)
			if len(errs) > 0 {
				t.Fatal(errs)
			}
			if got := l.Match(query.NewDocument(&tt.post), nil); !slices.Contains(got, 1) {
				t.Errorf("got %v, want it to contain 1", got)
			}
		})
	}
}

func TestPrefixFeatures(t *testing.T) {
	const word = "appliances"
	for length := 1; length <= len(word); length++ {
		got, kinds := literalFeature(query.Literal{Prefix: word[:length]})
		bytes := min(length, maxPrefix)
		if want := prefixFeature(packPrefix(word), bytes); got != want || kinds != 1<<bytes {
			t.Errorf("%d bytes: got %x of %b, want %x of %b", length, got, kinds, want, 1<<bytes)
		}
		if length < maxPrefix && got == prefixFeature(packPrefix("apricots"), length) && length > 2 {
			t.Errorf("%d bytes: another word has the same feature", length)
		}
	}
}
