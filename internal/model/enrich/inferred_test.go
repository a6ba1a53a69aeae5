package enrich

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"earshot"
)

func tweet() earshot.Post {
	return earshot.Post{
		Source: earshot.Twitter, GUID: "1", URL: "https://twitter.com/jessica_m/status/1", Time: time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC),
		Author: "jessica_m (Jessica Miller)", Bio: "19 y/o student. Dog mom. Coffee lover", Location: "Brooklyn, NY",
		Contents: "I love this game so much, what a wonderful goal by Messi! #worldcup $NKE",
		Images:   []earshot.Image{{URL: "https://example.com/1.jpg", Alt: "A dog on a bench"}},
	}
}

func TestInferredAttributes(t *testing.T) {
	p := tweet()
	given := p.Images
	e := New()
	e.Post(&p)
	if p.Language != "en" || p.Gender != earshot.Female || p.Place.Country != "USA" || p.Place.State != "NY" || p.AgeGroup != earshot.EighteenToTwentyFour {
		t.Errorf("got language %q, gender %q, place %v, age %v", p.Language, p.Gender, p.Place, p.AgeGroup)
	}
	if p.Sentiment.Assigned() != earshot.Positive || p.Emotion.Assigned() != earshot.Joy {
		t.Errorf("got sentiment %v, emotion %v, want positive and joy", p.Sentiment, p.Emotion)
	}
	if len(p.Interests) == 0 || len(p.AuthorInterests) == 0 || !slices.Equal(p.Cashtags, []string{"nke"}) {
		t.Errorf("got interests %v, of the author %v, cashtags %q", p.Interests, p.AuthorInterests, p.Cashtags)
	}
	if len(p.Images[0].Objects) == 0 || len(given[0].Objects) > 0 {
		t.Errorf("got images %+v, and the caller's are now %+v", p.Images, given)
	}
	const all = earshot.InferredLanguage | earshot.InferredGender | earshot.InferredPlace | earshot.InferredImages
	if p.Inferred != all || p.InferredBy != Version {
		t.Errorf("got %b inferred by version %d, want %b by %d", p.Inferred, p.InferredBy, all, Version)
	}
}

func TestReconcile(t *testing.T) {
	f := func(name string, s earshot.Sentiment, e, want earshot.Emotion) {
		t.Helper()
		if got := reconcile(s, e); got != want {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
	f("negative and joy", earshot.Sentiment{20, 10, 70}, earshot.Emotion{35, 10, 5, 10, 30, 5, 5}, earshot.Emotion{30, 10, 5, 10, 35, 5, 5})
	f("positive and fear", earshot.Sentiment{60, 40, 0}, earshot.Emotion{10, 20, 21, 5, 5, 9, 30}, earshot.Emotion{10, 20, 30, 5, 5, 9, 21})
	f("positive and sadness, anger is next", earshot.Sentiment{60, 40, 0}, earshot.Emotion{20, 28, 10, 5, 27, 5, 5}, earshot.Emotion{28, 20, 10, 5, 27, 5, 5})
	f("hardly negative", earshot.Sentiment{20, 21, 59}, earshot.Emotion{35, 10, 5, 10, 30, 5, 5}, earshot.Emotion{35, 10, 5, 10, 30, 5, 5})
	f("clearly joy", earshot.Sentiment{20, 10, 70}, earshot.Emotion{40, 10, 5, 10, 30, 5, 0}, earshot.Emotion{40, 10, 5, 10, 30, 5, 0})
	f("negative and anger", earshot.Sentiment{0, 0, 100}, earshot.Emotion{30, 10, 5, 10, 35, 5, 5}, earshot.Emotion{30, 10, 5, 10, 35, 5, 5})
	f("negative and surprise", earshot.Sentiment{0, 0, 100}, earshot.Emotion{30, 10, 5, 10, 5, 35, 5}, earshot.Emotion{30, 10, 5, 10, 5, 35, 5})
	f("unknown", earshot.Sentiment{0, 0, 100}, earshot.Emotion{}, earshot.Emotion{})
}

func TestStatedAttributesAreKept(t *testing.T) {
	p := tweet()
	p.Language, p.Gender, p.Place, p.Age = "fr", earshot.Male, earshot.Place{Country: "FRA"}, earshot.Counted(70)
	p.Images[0].Brands = []earshot.ImageBrand{{ID: "b", Name: "Acme"}}
	New().Post(&p)
	if p.Language != "fr" || p.Gender != earshot.Male || p.Place.Country != "FRA" || p.AgeGroup != earshot.ThirtyFiveAndOver {
		t.Errorf("got language %q, gender %q, place %v, age %v", p.Language, p.Gender, p.Place, p.AgeGroup)
	}
	if len(p.Images[0].Objects) > 0 || p.Inferred != 0 {
		t.Errorf("got images %+v, %b inferred", p.Images, p.Inferred)
	}
}

func TestInferredAttributesAreReinferred(t *testing.T) {
	e := New()
	want := tweet()
	e.Post(&want)
	p := want
	p.Language, p.Gender, p.Place, p.InferredBy = "fr", earshot.Male, earshot.Place{Country: "FRA"}, 0
	p.Sentiment, p.Interests = earshot.Sentiment{}, []earshot.InterestID{9999}
	posts := []earshot.Post{p}
	e.ClearInferred(posts)
	e.All(posts)
	if !reflect.DeepEqual(posts[0], want) {
		t.Errorf("got %+v\nwant %+v", posts[0], want)
	}
	e.SetGeneration(2)
	e.Post(&p)
	if p.InferredBy != 2<<16|Version || e.ModelVersion() != p.InferredBy {
		t.Errorf("got %x, %x, want generation 2 of version %d", p.InferredBy, e.ModelVersion(), Version)
	}
}

func TestPlaces(t *testing.T) {
	f := func(p earshot.Post, want string) {
		t.Helper()
		fillPlace(&p)
		if got := p.Place.ID(); got != want {
			t.Errorf("%v %q %q: got %q, want %q", p.Point, p.Zipcode, p.Location, got, want)
		}
	}
	f(earshot.Post{Point: &earshot.Point{Latitude: 48.8566, Longitude: 2.3522}, Location: "Berlin"}, "FRA.Île-de-France.Paris")
	f(earshot.Post{Point: &earshot.Point{Latitude: 0, Longitude: -30}, Location: "Austin, TX"}, "USA.TX.Austin")
	f(earshot.Post{Zipcode: "78701", Location: "nowhere"}, "USA.TX.Austin")
	f(earshot.Post{Zipcode: "none", Location: "earth"}, "")
	f(earshot.Post{}, "")
}

// BenchmarkPost runs all steps on a tweet.
func BenchmarkPost(b *testing.B) {
	post := earshot.Post{
		Source: earshot.Twitter, URL: "https://twitter.com/acme/status/1", Author: "sarahj (Sarah Johnson)", Location: "Austin, TX", Bio: "Mother, runner, coffee. Tweets are my own",
		Contents: "Just tried the new @acme phone at the store on 5th Ave, and it's great! Battery lasts 2 days #tech #acme https://example.com/review-1",
	}
	e := New()
	b.ReportAllocs()
	for b.Loop() {
		p := post
		e.Post(&p)
	}
}

// The sentiment of a document depends on the domain of its content source, and that of a post of a network on
// the network.
func TestDomainOfContentSource(t *testing.T) {
	domain := earshot.TextDomain("")
	e := New()
	e.ContentDomain = func(id earshot.ContentSourceID) earshot.TextDomain {
		if id != 7 {
			t.Errorf("got content source %d, want 7", id)
		}
		return domain
	}
	infer := func(source earshot.Source, content earshot.ContentSourceID) earshot.Sentiment {
		p := tweet()
		p.Language, p.Source, p.ContentSource = "en", source, content
		e.Post(&p)
		return p.Sentiment
	}
	for d, like := range map[earshot.TextDomain]earshot.Source{
		"": earshot.Twitter, "social": earshot.Twitter, "other": earshot.Twitter, "damaged": earshot.Twitter,
		"news": earshot.News, "reviews": earshot.Reviews, "survey": earshot.Reviews, "forums": earshot.Forums,
	} {
		domain = d
		if got, want := infer("Press", 7), infer(like, 0); got != want {
			t.Errorf("%q: got %v, want %v as for %s", d, got, want, like)
		}
	}
	if infer(earshot.News, 0) == infer(earshot.Twitter, 0) {
		t.Error("the text has the same scores in news and on Twitter")
	}
}
