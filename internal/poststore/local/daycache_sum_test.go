package local

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
	_ "time/tzdata" // makes the zones below available on every system

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/watchlist"
	"earshot/internal/test/testenv"
)

// TestDayResults runs the same queries repeatedly, so that most results come from the day cache,
// while posts and sets change. Each result must equal that of the memory store, which always
// counts.
func TestDayResults(t *testing.T) {
	testenv.SkipUnderRace(t)
	rounds := 3
	if testing.Short() || testenv.Race {
		rounds = 1
	}
	for seed := range rounds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) { compareDays(t, uint64(seed)) })
	}
}

func compareDays(t *testing.T, seed uint64) {
	r := newRestless(t, seed)
	plain := memory.New()
	w := &randomChanges{Rand: rand.New(rand.NewPCG(seed, 5))}
	for at := earshot.Position(1); at <= 40; at++ {
		w.change(t, at, r, plain)
		for _, q := range dayCases(t) {
			rows, err := poststore.TallyOne(t.Context(), plain, q.of, q.tally)
			if err != nil {
				t.Fatal(err)
			}
			want := fmt.Sprintf("%+v", rows)
			for range 3 { // the second and third results come from the cache
				rows, err := poststore.TallyOne(t.Context(), r, q.of, q.tally)
				if err != nil {
					t.Fatal(err)
				}
				if got := fmt.Sprintf("%+v", rows); got != want {
					t.Fatalf("after change %d, %+v:\ngot  %s\nwant %s", at, q, got, want)
				}
			}
		}
		r.stir()
	}
	kept := 0
	if err := each(r.db, recDayCounts, func(_, _ []byte) error { kept++; return nil }); err != nil || kept == 0 {
		t.Errorf("got %d cached results of days, %v; this test requires some", kept, err)
	}
}

type dayCase struct {
	of    poststore.Selection
	tally poststore.Tally
}

// dayCases cover complete days in several time zones, including a complete month.
func dayCases(t *testing.T) (all []dayCase) {
	for _, name := range []string{"UTC", "Europe/Berlin", "Australia/Lord_Howe"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		day := func(n int) time.Time {
			return earshot.Date{Year: 2024, Month: time.March, Day: 25}.AddDays(n).Start(zone)
		}
		for monitor := poststore.SetID(1); monitor <= 2; monitor++ {
			of := poststore.Selection{Set: monitor, From: day(0), To: day(38)}
			all = append(all,
				dayCase{of, poststore.Tally{Zone: zone}},
				dayCase{of, poststore.Tally{Zone: zone, By: []poststore.Dim{poststore.ByDay}, Sum: []poststore.Measure{poststore.Authors, poststore.Likes}}},
				dayCase{of, poststore.Tally{Zone: zone, By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes}, Top: 3}},
				dayCase{of, poststore.Tally{Zone: zone, By: []poststore.Dim{poststore.ByHour, poststore.BySource}}},
				dayCase{of, poststore.Tally{Zone: zone, By: []poststore.Dim{poststore.ByLanguage}, Sum: []poststore.Measure{poststore.Authors}}},
			)
		}
	}
	return all
}

// randomChanges generates random changes.
type randomChanges struct{ *rand.Rand }

func (w *randomChanges) change(t *testing.T, at earshot.Position, stores ...poststore.Store) {
	t.Helper()
	var do func(s poststore.Store) error
	switch w.IntN(7) {
	case 0:
		d := earshot.Deletion{ContentSource: 3, GUIDs: []string{fmt.Sprint(w.IntN(40)), fmt.Sprint(w.IntN(40))}}
		do = func(s poststore.Store) error { return s.Delete(t.Context(), at, d) }
	case 1:
		where, err := watchlist.Compile(7, earshot.Criteria{Keywords: []string{"apple", "pear", "apple OR plum"}[w.IntN(3)]})
		if err != nil {
			t.Fatal(err)
		}
		m := poststore.Rematch{Rules: poststore.Rules{poststore.SetID(1 + w.IntN(2)): {Where: where, UpTo: earshot.EndOfJournal}}}
		if w.IntN(2) == 0 {
			m.From = time.Date(2024, time.March, 20+w.IntN(20), 0, 0, 0, 0, time.UTC)
		}
		do = func(s poststore.Store) error { return s.Rematch(t.Context(), m) }
	case 2:
		models, few := uint32(at), uint32(w.IntN(3)) // some posts keep their attributes
		do = func(s poststore.Store) error {
			return s.Reinfer(t.Context(), poststore.Reinfer{Models: models, Infer: func(posts []earshot.Post) {
				for i := range posts {
					if p := &posts[i]; uint32(len(p.Contents))%3 >= few {
						p.Language = []string{"en", "fr", ""}[(len(p.Language)+int(models))%3]
					}
					posts[i].InferredBy = models
				}
			}})
		}
	default:
		posts := make([]poststore.MatchedPost, 1+w.IntN(20))
		for i := range posts {
			posts[i] = w.post()
		}
		do = func(s poststore.Store) error { return s.Append(t.Context(), at, posts) }
	}
	for _, s := range stores {
		if err := do(s); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *randomChanges) post() poststore.MatchedPost {
	p := earshot.Post{
		Source: earshot.Twitter, GUID: fmt.Sprint(w.IntN(200)),
		Time:           time.Date(2024, time.March, 24, 0, w.IntN(42*24*60), 0, 0, time.UTC),
		Contents:       []string{"an apple", "a pear", "a plum", "pear and apple"}[w.IntN(4)],
		Language:       []string{"en", "fr", ""}[w.IntN(3)],
		AuthorUsername: fmt.Sprint("author", w.IntN(9)),
		Hashtags:       []string{fmt.Sprint("tag", w.IntN(6))},
		Likes:          earshot.Counted(int64(w.IntN(100))),
	}
	if w.IntN(4) == 0 {
		p.Source, p.ContentSource, p.Team, p.GUID = "Letters", 3, 7, fmt.Sprint(w.IntN(40))
	}
	m := poststore.MatchedPost{Post: p}
	for id := poststore.SetID(1); id <= 2; id++ {
		if w.IntN(2) == 0 {
			m.Sets = append(m.Sets, id)
		}
	}
	return m
}

// TestDayResultsAfterRestart changes a monitor after a restart. Cached results of the previous
// query must not be used for the new one.
func TestDayResultsAfterRestart(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	day := time.Date(2024, time.March, 1, 0, 0, 0, 0, time.UTC)
	var posts []poststore.MatchedPost
	for i := range 2 {
		posts = append(posts, poststore.MatchedPost{Post: earshot.Post{Source: earshot.Twitter, GUID: fmt.Sprint(i), Contents: "apple", Time: day}})
	}
	if err := s.Append(t.Context(), 1, posts); err != nil {
		t.Fatal(err)
	}
	rematch := func(keywords string) {
		t.Helper()
		where, err := watchlist.Compile(1, earshot.Criteria{Keywords: keywords})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{9: {Where: where, UpTo: earshot.EndOfJournal}}}); err != nil {
			t.Fatal(err)
		}
	}
	want := func(posts int64) {
		t.Helper()
		rows, err := poststore.TallyOne(t.Context(), s, poststore.Selection{Set: 9, From: day, To: day.AddDate(0, 0, 1)}, poststore.Tally{})
		if err != nil || rows[0].Posts != posts {
			t.Errorf("got %v, %v, want %d posts", rows, err, posts)
		}
	}
	rematch("apple")
	want(2)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openAt(t, dir)
	want(2)
	rematch("nothing")
	want(0)
}

func TestFingerprintsAreCachedInEveryZone(t *testing.T) {
	s := openAt(t, t.TempDir())
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	day := earshot.Date{Year: 2024, Month: time.March, Day: 1}
	post := earshot.Post{Source: earshot.Twitter, GUID: "a", Time: day.Start(zone)}
	if err := s.Append(t.Context(), 1, []poststore.MatchedPost{{Post: post, Sets: []poststore.SetID{1}}}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		again, err := time.LoadLocation("Europe/Berlin")
		if err != nil {
			t.Fatal(err)
		}
		of := poststore.Selection{Set: 1, From: day.Start(again), To: day.AddDays(2).Start(again)}
		if _, err := poststore.TallyOne(t.Context(), s, of, poststore.Tally{Zone: again}); err != nil {
			t.Fatal(err)
		}
	}
	for name, kept := range s.fingerprints.entries {
		if len(s.fingerprints.entries) != 1 || len(kept.list) != 2 {
			t.Errorf("got %d entries after the same query ran three times, %v with %d prefixes, want 1 with 2", len(s.fingerprints.entries), name, len(kept.list))
		}
	}
}
