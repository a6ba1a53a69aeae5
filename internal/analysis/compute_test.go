package analysis_test

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/state/ledger"
)

// everyKind returns a form that requests all kinds.
func everyKind() analysis.Form {
	f := coffee()
	f.Analysis = nil
	for _, kind := range ledger.Kinds {
		f.Analysis = append(f.Analysis, string(kind))
	}
	slices.Reverse(f.Analysis) // responses have their own order
	f.Sources = []string{"NEWS", "TWITTER", "BLUESKY", "CUSTOM:Survey"}
	return f
}

func TestEveryKind(t *testing.T) {
	w := newWorld(t)
	w.contentSources(t)
	for i := range 6 {
		p := post("Twitter", fmt.Sprint("t", i))
		p.Followers = earshot.Counted(100)
		p.Interests = []earshot.InterestID{41}
		if i < 5 {
			p.AuthorInterests = []earshot.InterestID{1, 41}
			p.Gender, p.Sentiment = earshot.Female, earshot.Sentiment{80, 10, 10}
		}
		p.Place = earshot.Place{Country: "USA", State: "CA"}
		p.Site = "twitter.com"
		w.add(t, p)
	}
	b := post("Bluesky", "b")
	b.Followers, b.Interests, b.Gender, b.Age = earshot.Counted(7), []earshot.InterestID{2}, earshot.Male, earshot.Counted(30)
	n := post("News", "n")
	n.Followers, n.Interests, n.Emotion, n.Place.Country = earshot.Counted(1000), []earshot.InterestID{1}, earshot.Emotion{0, 0, 0, 0, 100}, "FRA"
	n.Site = "news.bbc.co.uk"
	own, other := post("Survey", "own"), post("Survey", "other")
	own.Team, other.Team = 7, 8
	late, early, tea, forum := post("Twitter", "late"), post("Twitter", "early"), post("Twitter", "tea"), post("Forums", "forum")
	late.Time, early.Time = late.Time.Add(12*time.Hour), early.Time.Add(-12*time.Hour-1)
	tea.Contents = "tea"
	w.add(t, b, n, own, other, late, early, tea, forum)

	r, err := w.patientService().Submit(t.Context(), user(1, 7), everyKind())
	if err != nil {
		t.Fatal(err)
	}
	want := &ledger.Metrics{
		Posts:      9,
		Sentiments: []int64{5, 0, 0},
		Volume:     []int64{1, 6, 1, 1},
		Emotions:   []int64{0, 0, 0, 0, 1, 0, 0},
		Female:     5,
		Male:       1,
		Ages:       []int64{0, 0, 1, 0},
		Located:    7,
		Countries:  []ledger.NamedCount{{Name: "USA", Posts: 6}, {Name: "FRA", Posts: 1}},
		Sites:      []ledger.NamedCount{{Name: "twitter.com", Posts: 6}, {Name: "bbc.co.uk", Posts: 1}},
		Affinities: []ledger.AffinityCount{ // 5/7 is 71 times 1%, 6/7 is 9 times 10%
			{Interest: 1, Posts: 5, RequestPosts: 7, BaselinePosts: 10, BaselineTotal: 1000},
			{Interest: 41, Posts: 6, RequestPosts: 7, BaselinePosts: 100, BaselineTotal: 1000},
		},
		Reach: 607,
	}
	if !reflect.DeepEqual(r.Metrics, want) {
		t.Errorf("\ngot  %+v\nwant %+v", r.Metrics, want)
	}
	if !slices.Equal(r.Request.Kinds, ledger.Kinds) {
		t.Errorf("got kinds %v, want %v", r.Request.Kinds, ledger.Kinds)
	}
}

func TestOnlyRequestedKinds(t *testing.T) {
	w := newWorld(t)
	w.add(t, post("Twitter", "a"))
	f := coffee()
	f.Analysis = []string{"gender"}
	if got, want := submit(t, w.patientService(), f).Metrics, (&ledger.Metrics{Posts: 1}); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestNoPostsFound(t *testing.T) {
	w := newWorld(t)
	w.contentSources(t)
	r, err := w.patientService().Submit(t.Context(), user(1, 7), everyKind())
	if err != nil {
		t.Fatal(err)
	}
	want := &ledger.Metrics{
		Sentiments: make([]int64, 3), Volume: make([]int64, 4), Emotions: make([]int64, 7), Ages: make([]int64, 4),
		Countries: []ledger.NamedCount{}, Sites: []ledger.NamedCount{},
	}
	if !reflect.DeepEqual(r.Metrics, want) {
		t.Errorf("\ngot  %+v\nwant %+v", r.Metrics, want)
	}
	w.used(t, 1, 0)
}

func TestEthnicity(t *testing.T) {
	w := newWorld(t)
	surnames := []string{"Smith", "Garcia", "Nguyen", "Washington", "Jones", "Miller", "Lee", "Kim", "Patel", "Lopez",
		"Brown", "Davis", "Wilson", "Moore", "Taylor", "Thomas", "Jackson", "White", "Harris", "Martin"}
	f := coffee()
	f.Analysis = []string{"ethnicity"}
	s := w.patientService()
	for i, surname := range surnames {
		if got := submit(t, s, f).Metrics.Ethnicity; got != (ledger.EthnicityCounts{}) {
			t.Errorf("%d surnames: got %+v, want zero", i, got)
		}
		p := post("Twitter", surname)
		p.Author = "Emma " + surname
		w.add(t, p)
	}
	got := submit(t, s, f).Metrics.Ethnicity
	if sum := got.White + got.Latino + got.Black + got.Asian; got.White == 0 || got.Latino == 0 || got.Black == 0 || got.Asian == 0 || sum > 20 {
		t.Errorf("20 surnames: got %+v", got)
	}
}

func TestRelevance(t *testing.T) {
	f := func(c ledger.AffinityCount, want float64) {
		t.Helper()
		if got := analysis.Relevance(c); got != want {
			t.Errorf("%+v: got %v, want %v", c, got, want)
		}
	}
	f(ledger.AffinityCount{Posts: 5, RequestPosts: 10, BaselinePosts: 250, BaselineTotal: 1000}, 2)
	f(ledger.AffinityCount{Posts: 5, RequestPosts: 10, BaselinePosts: 0, BaselineTotal: 1023}, 512)
	f(ledger.AffinityCount{Posts: 5, RequestPosts: 10}, 0.5)
	f(ledger.AffinityCount{}, 0)
}

func TestMetricsAreNeverStale(t *testing.T) {
	w := newWorld(t)
	s := w.patientService()
	first := submit(t, s, coffee())
	w.add(t, post("Twitter", "a"))
	second := submit(t, s, coffee())
	w.add(t, post("Twitter", "b"))
	third := submit(t, s, coffee())
	if first.Metrics.Posts != 0 || second.Metrics.Posts != 1 || third.Metrics.Posts != 2 {
		t.Errorf("got %d, %d, %d posts, want 0, 1, 2", first.Metrics.Posts, second.Metrics.Posts, third.Metrics.Posts)
	}
	if first.ID == second.ID {
		t.Error("two requests have the same id")
	}
	if got := find(t, s, first.ID).Metrics.Posts; got != 0 {
		t.Errorf("the first result changed to %d posts", got)
	}
	w.used(t, 3, 0)
}
