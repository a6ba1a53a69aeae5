package demo

import (
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"earshot"
	"earshot/internal/geo"
)

// standard is the story of the demo: 90 days up to midnight on a Saturday.
var standard = Generator{Seed: 1, Days: 90, End: time.Date(2024, 6, 1, 0, 0, 0, 0, time.UTC)}

// standardPosts returns its posts, which tests must not modify.
var standardPosts = sync.OnceValue(func() []earshot.Post { return collect(standard) })

// collect returns the posts of a generator.
func collect(g Generator) []earshot.Post { return slices.Collect(g.Posts()) }

func TestEqualGeneratorsGenerateEqualPosts(t *testing.T) {
	g := Generator{Seed: 7, Days: 12, End: standard.End, PerDay: 100}
	first, second := collect(g), collect(g)
	if !reflect.DeepEqual(first, second) {
		t.Error("two runs of one generator differ")
	}
	g.Seed = 8
	if reflect.DeepEqual(first, collect(g)) {
		t.Error("another seed generates the same posts")
	}
}

func TestPostsCanBeStoppedEarly(t *testing.T) {
	n := 0
	for range standard.Posts() {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Errorf("got %d posts, want 10", n)
	}
}

func TestNoDaysGenerateNoPosts(t *testing.T) {
	g := Generator{Seed: 1, End: standard.End}
	if got := collect(g); len(got) != 0 {
		t.Errorf("got %d posts, want none", len(got))
	}
	if got := g.Snapshots(TwitterHandle); got != nil {
		t.Errorf("got %d snapshots, want none", len(got))
	}
}

func TestPostsAreInRangeAndInOrder(t *testing.T) {
	f := func(name string, g Generator) {
		t.Run(name, func(t *testing.T) {
			start := g.End.Add(-time.Duration(g.Days) * 24 * time.Hour)
			last := start
			for p := range g.Posts() {
				if p.Time.Before(last) || !p.Time.Before(g.End) {
					t.Fatalf("post at %v after one at %v, in %v to %v", p.Time, last, start, g.End)
				}
				last = p.Time
			}
		})
	}
	f("days that start at midnight", Generator{Seed: 1, Days: 30, End: standard.End})
	f("days that start in the afternoon", Generator{Seed: 1, Days: 5, End: standard.End.Add(15*time.Hour + 20*time.Minute)})
	f("a single day", Generator{Seed: 1, Days: 1, End: standard.End})
}

func TestPostsAreWellFormed(t *testing.T) {
	guids := map[string]bool{}
	for _, p := range standardPosts() {
		switch {
		case p.GUID == "" || guids[p.GUID]:
			t.Fatalf("guid %q is empty or used twice", p.GUID)
		case p.Contents == "" || !utf8.ValidString(p.Contents) || !utf8.ValidString(p.Author):
			t.Fatalf("post %s: contents %q by %q", p.GUID, p.Contents, p.Author)
		case p.ParentGUID != "" && !guids[p.ParentGUID]:
			t.Fatalf("post %s refers to %s, which is not an earlier post", p.GUID, p.ParentGUID)
		case (p.Engagement != earshot.OriginalPost) != (p.ParentGUID != ""):
			t.Fatalf("post %s is a %s with parent %q", p.GUID, p.Engagement, p.ParentGUID)
		case p.Geotagged != (p.Point != nil):
			t.Fatalf("post %s: geotagged %v with point %v", p.GUID, p.Geotagged, p.Point)
		case (p.Source == earshot.Reviews) != (p.Rating != nil):
			t.Fatalf("post %s of %s has rating %v", p.GUID, p.Source, p.Rating)
		}
		guids[p.GUID] = true
	}
}

func TestTweetsLookLikeTweets(t *testing.T) {
	for _, p := range collect(Generator{Seed: 3, Days: 2, End: standard.End}) {
		if p.Source != earshot.Twitter {
			continue
		}
		if want := "http://twitter.com/" + p.AuthorUsername + "/status/" + p.GUID; p.URL != want {
			t.Fatalf("URL is %s, want %s", p.URL, want)
		}
		if want := p.AuthorUsername + " ("; len(p.Author) <= len(want) || p.Author[:len(want)] != want {
			t.Fatalf("author is %q, want prefix %q", p.Author, want)
		}
	}
}

func TestEveryHomeIsAKnownPlace(t *testing.T) {
	for _, h := range homes() {
		if _, found := geo.Lookup(h.place); !found {
			t.Errorf("no place %s", h.place.ID())
		}
		if !slices.Contains(languages, h.language) {
			t.Errorf("%s has language %s, which has no sentences", h.city, h.language)
		}
	}
}

func BenchmarkPosts(b *testing.B) {
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		for range standard.Posts() {
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "posts/s")
}

func TestUpdatesChangeTheCountersOfOwnPosts(t *testing.T) {
	g := standard
	g.Days = 8
	first := map[earshot.PostKey]earshot.Post{}
	for p := range g.Posts() {
		first[p.Key()] = p
	}
	more, less := 0, 0
	for p := range g.Updates() {
		old, known := first[p.Key()]
		if !known || p.Contents != old.Contents || g.End.Sub(p.Time) > 5*24*time.Hour {
			t.Errorf("%s %s is not a post of the last days", p.Source, p.GUID)
		}
		switch {
		case p.Likes.Int() > old.Likes.Int():
			more++
		case p.Likes.Int() < old.Likes.Int():
			less++
		}
	}
	if more < 5 || less < 2 {
		t.Errorf("%d posts gained likes, %d lost some", more, less)
	}
}
