package people

import (
	"strings"
	"testing"
	"time"

	"earshot"
)

func FuzzProfile(f *testing.F) {
	m := newModel(f)
	f.Add("jsmith (John Smith)", "jsmith", "19yo • she/her • class of '24", "RT @x: hello", int64(1_400_000_000))
	f.Add("\xff", "\x00", "c/o 2k", "http://", int64(0))
	f.Add(strings.Repeat("Aa", 8000), strings.Repeat("é", 8000), strings.Repeat("19 ", 5000), strings.Repeat("/", 16384), int64(1e15))
	f.Add(strings.Repeat("a", maxNameLetters)+" b", strings.Repeat("a", maxNameLetters)+"_b", "", "", int64(0))
	f.Fuzz(func(t *testing.T, name, username, bio, text string, seconds int64) {
		p := Profile{Name: name, Username: username, Bio: bio, Text: text, Language: "en"}
		g, confidence := m.Gender(p)
		if g != "" && (m.Organization(p) || confidence < 0.5 || confidence > 1) {
			t.Errorf("%+v: %q with confidence %v", p, g, confidence)
		}
		if again, _ := m.Gender(p); again != g {
			t.Errorf("%+v: %q, then %q", p, g, again)
		}
		if age := m.Age(p, time.Unix(seconds, 0)); age > earshot.ThirtyFiveAndOver {
			t.Errorf("%+v: age group %d", p, age)
		}
		m.Surname(name)
	})
}
