package query

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"earshot"
)

// walkedTokens returns the tokens of a post, each with its sigil.
func walkedTokens(title, contents string) (words []string) {
	NewDocument(&earshot.Post{Title: title, Contents: contents}).WalkTokens(func(sigil byte, text []byte) {
		word := string(text)
		if sigil != 0 {
			word = string(sigil) + word
		}
		words = append(words, word)
	})
	return words
}

func TestWalkTokens(t *testing.T) {
	f := func(contents, want string) {
		t.Helper()
		if got := strings.Join(walkedTokens("", contents), " "); got != want {
			t.Errorf("%q: got %q, want %q", contents, got, want)
		}
	}
	f("", "")
	f("The Café, the CAFÉ!", "the café the café")
	f("#Fruit @Ann $ACME fruit $100", "#fruit @ann $acme fruit 100")
	f("#東京タワー 東京", "#東京タワー 東 京")
	f("a #東京 b", "a #東京 b")
	f("don't 10,000", "dont 10,000")

	f("see https://example.com/a?b=c#d now", "see now")
	f("see HTTP://EXAMPLE.COM", "see")
	f("http://a.b\nhttps://c.d\u3000e", "e")
	f("(https://example.com), and", "and")
	f("https://t.co/a,https://t.co/b c", "c")
	f("見てhttps://t.co/abc ね", "見 て ね")
	f("тутhttps://t.co/abc там", "там")
	f("#日本https://t.co/abc", "日 本")
	f("#http://a.b c", "c")
	f("n'http://a.b c", "c")
	f("www.example.com WWW.Example.COM/x y", "y")
	f("#www.example.com y", "y")
	f("awww.so cute", "awww so cute")
	f("_www.example.com y", "y")

	f("http https www", "http https www")
	f("http://", "http")
	f("http:// a", "http a")
	f("www. a", "www a")
	f("http:/a.b ftp://a.b xhttps:a", "http a b ftp a b xhttps a")
	f("httpx://a.b", "httpx a b")
	f("example.com", "example com")
}

func TestWalkTokensOfTitleAndContents(t *testing.T) {
	f := func(title, contents string, want ...string) {
		t.Helper()
		if got := walkedTokens(title, contents); !slices.Equal(got, want) {
			t.Errorf("%q, %q: got %q, want %q", title, contents, got, want)
		}
	}
	f("One", "two", "one", "two")
	f("One", "", "one")
	f("see https://a.b/c", "d e", "see", "d", "e")
	f("#東京 x", "#京都 y", "#東京", "x", "#京都", "y")
}

// FuzzWalkTokens checks that tokens come from the text, that none is part of a URL, and that the
// token IDs an index stores yield the same tokens.
func FuzzWalkTokens(f *testing.F) {
	f.Add("Title", "see https://example.com/ü?q=#tag www.x.y #東京https://a b")
	f.Add("http://", "\xffhttp://\xff www.\u3000")
	f.Add("", "a\u0301http://½ #___ #1️⃣ ﬁn")
	f.Fuzz(func(t *testing.T, title, contents string) {
		d := NewDocument(&earshot.Post{Title: title, Contents: contents})
		got := walkedTokens(title, contents)
		if want := tokensByKeys(d); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q as decoded from the keys", got, want)
		}
		without := walkedTokens(cutURLs(title), cutURLs(contents))
		if len(got) > d.Len() {
			t.Errorf("got %d tokens, want at most %d", len(got), d.Len())
		}
		if isPlain(title) && isPlain(contents) && !slices.Equal(got, without) {
			t.Errorf("got %q, want %q as in the text without URLs", got, without)
		}
	})
}

// tokensByKeys returns the tokens as an index of this document alone would decode them.
func tokensByKeys(d *Document) (words []string) {
	keys := []string{""}
	numbers := d.AppendTokenIDs(nil, func(i int) uint32 {
		keys = append(keys, string(d.AppendKey(nil, i)))
		return uint32(len(keys) - 1)
	})
	width := func(n uint32) int {
		t, _ := ParseKey([]byte(keys[n]))
		return t.Width
	}
	WalkTokenIDs(numbers, d.AppendURLRuns(nil), width, func(n uint32) {
		t, ok := ParseKey([]byte(keys[n]))
		if !ok {
			words = append(words, fmt.Sprintf("%q is not a key", keys[n]))
			return
		}
		words = append(words, strings.TrimPrefix(string(t.Sigil)+string(t.Text), "\x00"))
	})
	return words
}

// cutURLs removes URLs from a text. isPlain must hold for the text, so that each URL is a word with
// spaces around it.
func cutURLs(text string) string {
	fields := strings.FieldsFunc(text, unicode.IsSpace)
	return strings.Join(slices.DeleteFunc(fields, func(word string) bool {
		word = strings.ToLower(word)
		_, more, cut := strings.Cut(word, "www.")
		return len(word) > len("http://") && strings.HasPrefix(word, "http://") ||
			len(word) > len("https://") && strings.HasPrefix(word, "https://") || cut && more != "" && strings.HasPrefix(word, "www.")
	}), " ")
}

// isPlain reports whether cutURLs recognizes all URLs of a text.
func isPlain(text string) bool {
	if !isASCII(text) {
		return false
	}
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		for _, begin := range []string{"http://", "https://", "www."} {
			if strings.LastIndex(word, begin) > 0 {
				return false
			}
		}
	}
	return true
}
