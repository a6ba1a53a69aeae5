package people

import (
	"testing"
	"time"
)

// newModel returns the built-in models.
func newModel(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

var (
	bare = Profile{
		Username: "emma_ludditt",
		Name:     "Emma Ludditt",
		Text:     "Missing girly nights with @Kentways_ and everybody else at home, cannot wait for Christmas https://t.co/ksLJdVXaQU",
	}
	full = Profile{
		Username: "AlexClifford92",
		Bio: "Founder, novelist and proud father of two. Formerly at the city museum, now writing about food, music and " +
			"football from a small flat in Leeds. Views are mine, retweets are not endorsements. http://t.co/127qfekKay",
		Text: bare.Text,
	}
	summer2015 = time.Date(2015, time.July, 1, 12, 0, 0, 0, time.UTC)
)

func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		newModel(b)
	}
}

func BenchmarkProfileWithoutBio(b *testing.B) { benchmark(b, bare) }

func BenchmarkProfileWithBio(b *testing.B) { benchmark(b, full) }

func benchmark(b *testing.B, p Profile) {
	m := newModel(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Gender(p)
		m.Age(p, summer2015)
	}
}

func BenchmarkSurname(b *testing.B) {
	m := newModel(b)
	m.Surname("")
	b.ReportAllocs()
	for b.Loop() {
		m.Surname("emma_ludditt (Emma García)")
	}
}
