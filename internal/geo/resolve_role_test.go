package geo

import (
	"strings"
	"testing"
)

func TestEveryWordHasOneRole(t *testing.T) {
	seen := map[string]role{}
	for _, v := range roleVocabulary {
		for word := range strings.FieldsSeq(v.words) {
			key := Normalize(word)
			if other, taken := seen[key]; taken && other != v.role {
				t.Errorf("%s has two roles", word)
			}
			seen[key] = v.role
		}
	}
}

func TestRolesOfMentions(t *testing.T) {
	f := func(text string, want ...role) {
		t.Helper()
		var l location
		l.tokenize(text)
		l.findMentions()
		if l.mentionCount != len(want) {
			t.Fatalf("%q: got %d places, want %d", text, l.mentionCount, len(want))
		}
		for k, w := range want {
			if got := l.mentions[k].role; got != w {
				t.Errorf("%q: place %d has role %d, want %d", text, k, got, w)
			}
		}
	}
	f("Chicago", noRole)
	f("in Chicago", preposition)
	f("North Chicago, Chicago", noRole, noRole)
	f("born in Chicago living in Houston", birthplace, residence)
	f("born and raised in Chicago", birthplace)
	f("Lagos born, London based", birthplace, residence)
	f("from Ohio, now in NYC", birthplace, residence)
	f("Texas native", birthplace)
	f("nacido en Sevilla, vivo en Madrid", birthplace, residence)
}
