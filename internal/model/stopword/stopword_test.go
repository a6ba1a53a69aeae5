package stopword

import (
	"strings"
	"testing"

	"earshot"
)

func TestHas(t *testing.T) {
	f := func(languages, word string, want bool) {
		t.Helper()
		if got := Of(strings.Fields(languages)...).Has(word); got != want {
			t.Errorf("%q in the list of %q: got %t, want %t", word, languages, got, want)
		}
	}
	f("en", "the", true)
	f("EN", "the", true)
	f("de", "the", false)
	f("", "the", false)
	f("xx", "the", false)

	f("de", "die", true) // a stop word in German, an ordinary word in English
	f("en", "die", false)
	f("de", "war", true)
	f("en", "war", false)
	f("de en", "war", true)

	f("en", "dont", true) // tokens have no apostrophes
	f("fr", "quil", true)
	f("it", "dellanno", true)
	f("fr", "école", false)
	f("ru", "который", true)
	f("ru", "москва", false)
	f("ar", "الذي", true)
	f("sr", "који", true)
	f("sr", "koji", true)
	f("ku", "jî", true)
	f("zh", "的", true)
	f("zh", "這", true)
	f("ko", "그리고", true)

	for _, word := range strings.Fields("ai tv uk microsoft world home free good hell") {
		f("en", word, false) // topics of posts
	}
}

// TestOperators checks that the query operators are English stop words, so that excluding stop
// words also excludes operators.
func TestOperators(t *testing.T) {
	for _, word := range strings.Fields("and or not near") {
		if !Of("en").Has(word) {
			t.Errorf("%q is not in the English list", word)
		}
	}
}

func TestEveryLanguageHasWords(t *testing.T) {
	counts := map[List]int{}
	for _, of := range table() {
		for i := range earshot.Languages {
			counts[of&(1<<i)]++
		}
	}
	for _, code := range earshot.Languages {
		if got := counts[Of(code)]; got < 5 {
			t.Errorf("%s has %d words", code, got)
		}
	}
}

func TestListHasRoomForAllLanguages(t *testing.T) {
	if len(earshot.Languages) > 64 {
		t.Errorf("a List has no room for %d languages", len(earshot.Languages))
	}
}
