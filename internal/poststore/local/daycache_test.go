package local

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
	"earshot/internal/poststore/memory"
	"earshot/internal/test/testenv"
)

// TestDays runs the same queries for days repeatedly while posts and sets change, segments are
// compacted and the store is reopened. Each result must equal that of the memory store, and
// fingerprints must change exactly when those of the memory store do.
func TestDays(t *testing.T) {
	testenv.SkipUnderRace(t)
	rounds := 3
	if testing.Short() || testenv.Race {
		rounds = 1
	}
	for seed := range rounds {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			c := &dayComparison{T: t, restless: newRestless(t, uint64(seed)), plain: memory.New(), versions: map[string][2]poststore.Fingerprint{}}
			w := &randomChanges{Rand: rand.New(rand.NewPCG(uint64(seed), 6))}
			for at := earshot.Position(1); at <= 40; at++ {
				w.change(t, at, c.restless, c.plain)
				for range 2 { // the second result comes from the cache
					c.compare(t)
				}
				c.stir()
				c.compareFingerprints(t)
			}
			kept := 0
			if err := each(c.db, recDayCounts, func(_, _ []byte) error { kept++; return nil }); err != nil || kept == 0 {
				t.Errorf("got %d cached results of days, %v; this test requires some", kept, err)
			}
		})
	}
}

type dayComparison struct {
	*testing.T
	*restless
	plain    *memory.Store
	versions map[string][2]poststore.Fingerprint // last fingerprints of both stores, keyed by set and range
}

func (c *dayComparison) compare(t *testing.T) {
	t.Helper()
	for _, name := range []string{"UTC", "Australia/Lord_Howe"} {
		zone, err := earshot.Zone(name)
		check(t, err)
		starts := daysOf(zone, 24, 38)
		for _, of := range []poststore.Selection{
			{Set: 1}, {Set: 2, Sources: []earshot.Source{"Letters", earshot.Reddit}}, {Set: 1, Authors: []string{"author3"}},
		} {
			ts := dailyTallies(zone)
			got, err := c.Days(t.Context(), of, starts, ts)
			check(t, err)
			want, err := c.plain.Days(t.Context(), of, starts, ts)
			check(t, err)
			if fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", want) {
				t.Fatalf("days of %+v in %s:\ngot  %+v\nwant %+v", of, name, got, want)
			}
		}
		for monitor := poststore.SetID(1); monitor <= 2; monitor++ {
			for _, days := range [][]time.Time{starts, starts[5:9], starts[7:8:8]} {
				c.compareFingerprintsOf(t, monitor, days[0], days[len(days)-1].Add(time.Hour))
			}
		}
	}
}

// compareFingerprintsOf checks that a fingerprint is unchanged exactly if that of the memory store
// is.
func (c *dayComparison) compareFingerprintsOf(t *testing.T, m poststore.SetID, from, to time.Time) {
	t.Helper()
	got, err := c.Fingerprint(t.Context(), m, from, to)
	check(t, err)
	want, err := c.plain.Fingerprint(t.Context(), m, from, to)
	check(t, err)
	name := fmt.Sprint(m, from, to)
	if before, known := c.versions[name]; known && (before[0] == got) != (before[1] == want) {
		t.Fatalf("fingerprint of %s changed from %x to %x, that of the memory store from %x to %x", name, before[0], got, before[1], want)
	}
	c.versions[name] = [2]poststore.Fingerprint{got, want}
}

// compareFingerprints checks that cached prefixes lead to the same fingerprints as an empty cache.
func (c *dayComparison) compareFingerprints(t *testing.T) {
	t.Helper()
	for monitor := poststore.SetID(0); monitor <= 3; monitor++ {
		starts := daysOf(time.UTC, 20+c.IntN(9), 20)
		var got, want []segment.Fingerprint
		check(t, c.query(t.Context(), func(v *view) (err error) {
			if got, _, err = c.dayFingerprints(t.Context(), v, monitor, starts); err != nil {
				return err
			}
			remembered := c.fingerprints
			defer func() { c.fingerprints = remembered }()
			c.fingerprints = newPrefixCache()
			want, _, err = c.dayFingerprints(t.Context(), v, monitor, starts)
			return err
		}))
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("fingerprints of monitor %d from %v: got %x, want %x", monitor, starts[0], got, want)
		}
	}
}

// daysOf returns the starts of consecutive days beginning on a day of March 2024, followed by the
// end of the last day.
func daysOf(zone *time.Location, first, days int) (starts []time.Time) {
	for n := range days + 1 {
		starts = append(starts, earshot.Date{Year: 2024, Month: time.March, Day: 1}.AddDays(first-1+n).Start(zone))
	}
	return starts
}

func dailyTallies(zone *time.Location) []poststore.Tally {
	return []poststore.Tally{
		{Sum: []poststore.Measure{poststore.Authors, poststore.Likes}},
		{By: []poststore.Dim{poststore.ByLanguage}},
		{By: []poststore.Dim{poststore.ByHashtag}, Top: 1, IncludeKeys: []string{"tag3"}},
		{By: []poststore.Dim{poststore.ByHour}, Zone: zone},
	}
}

// TestDaysAreCountedAgain queries days whose cached results are missing, damaged, or about other
// posts.
func TestDaysAreCountedAgain(t *testing.T) {
	s := openAt(t, t.TempDir())
	w := &randomChanges{Rand: rand.New(rand.NewPCG(1, 7))}
	posts := make([]poststore.MatchedPost, 300)
	for i := range posts {
		posts[i] = w.post()
	}
	check(t, s.Append(t.Context(), 1, posts))
	check(t, s.Flush(t.Context()))
	ask := func() string {
		t.Helper()
		s.dayCache = newDayCache()
		answers, err := s.Days(t.Context(), poststore.Selection{Set: 1}, daysOf(time.UTC, 24, 38), dailyTallies(time.UTC))
		check(t, err)
		return fmt.Sprintf("%+v", answers)
	}
	kept := func() map[string]string {
		t.Helper()
		all := map[string]string{}
		check(t, each(s.db, recDayCounts, func(key, value []byte) error { all[string(key)] = string(value); return nil }))
		return all
	}
	want := ask()
	before := kept()
	if len(before) < 30 {
		t.Fatalf("got cached results of %d days, want most of 38", len(before))
	}
	spoil := map[string]func(value string) []byte{
		"missing":             func(string) []byte { return nil },
		"empty":               func(string) []byte { return []byte{} },
		"truncated":           func(value string) []byte { return []byte(value[:len(value)-1]) },
		"too long":            func(value string) []byte { return []byte(value + "x") },
		"unterminated number": func(value string) []byte { return append([]byte(value[:16]), 0xff, 0xff, 0xff) },
		"other posts":         func(value string) []byte { return append([]byte{value[0] + 1}, value[1:]...) },
		"unchanged":           func(value string) []byte { return []byte(value) },
	}
	for name, change := range spoil {
		for key, value := range before {
			if spoilt := change(value); spoilt != nil {
				check(t, s.db.Set([]byte(key), spoilt, nil))
			} else {
				check(t, s.db.Delete([]byte(key), nil))
			}
		}
		if got := ask(); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
		if !reflect.DeepEqual(kept(), before) {
			t.Errorf("%s: the cached results differ from the original ones", name)
		}
	}
}

// TestDayCountsAreDeletedWithTheirSet checks that removing a set deletes its cached counts.
func TestDayCountsAreDeletedWithTheirSet(t *testing.T) {
	s := openAt(t, t.TempDir())
	post := earshot.Post{Source: earshot.Twitter, GUID: "a", Time: daysOf(time.UTC, 24, 0)[0]}
	check(t, s.Append(t.Context(), 1, []poststore.MatchedPost{{Post: post, Sets: []poststore.SetID{1, 2}}}))
	check(t, s.Flush(t.Context()))
	for monitor := poststore.SetID(1); monitor <= 2; monitor++ {
		s.dayCache = newDayCache() // the posts are the same, so the result would come from memory
		_, err := s.Days(t.Context(), poststore.Selection{Set: monitor}, daysOf(time.UTC, 24, 1), []poststore.Tally{{}})
		check(t, err)
	}
	check(t, s.Rematch(t.Context(), poststore.Rematch{Rules: poststore.Rules{1: {}}}))
	var monitors []uint64
	check(t, each(s.db, recDayCounts, func(key, _ []byte) error { monitors = append(monitors, readID(key, 0)); return nil }))
	if !reflect.DeepEqual(monitors, []uint64{2}) {
		t.Errorf("got cached results of sets %v, want those of set 2", monitors)
	}
}

func TestQueryID(t *testing.T) {
	berlin, err := earshot.Zone("Europe/Berlin")
	check(t, err)
	plain := poststore.Tally{By: []poststore.Dim{poststore.BySource}, Top: 3, IncludeKeys: []string{"a", "b"}}
	of := poststore.Selection{Set: 1}
	first, ok := enginekit.NewQueryID(&of, []poststore.Tally{plain}, nil)
	if !ok {
		t.Fatal("results of a simple query are not cached")
	}
	f := func(what string, same, kept bool, change func(of *poststore.Selection, t *poststore.Tally)) {
		t.Helper()
		of, tally := of, plain
		change(&of, &tally)
		id, ok := enginekit.NewQueryID(&of, []poststore.Tally{tally}, nil)
		if ok != kept || ok && (id == first) != same {
			t.Errorf("%s: got same query %v, cached %v; want %v, %v", what, id == first, ok, same, kept)
		}
	}
	f("another time", true, true, func(of *poststore.Selection, _ *poststore.Tally) { of.From = time.Now() })
	f("another order", true, true, func(_ *poststore.Selection, t *poststore.Tally) { t.IncludeKeys = []string{"b", "a", "b"} })
	f("another zone without days", true, true, func(_ *poststore.Selection, t *poststore.Tally) { t.Zone = berlin })
	f("sources", false, true, func(of *poststore.Selection, _ *poststore.Tally) { of.Sources = []earshot.Source{earshot.Twitter} })
	f("sources of the tally", false, true, func(_ *poststore.Selection, t *poststore.Tally) { t.Sources = []earshot.Source{earshot.Twitter} })
	f("ethnicities", false, false, func(_ *poststore.Selection, t *poststore.Tally) { t.By = []poststore.Dim{poststore.ByEthnicity} })
	f("fewer rows", false, true, func(_ *poststore.Selection, t *poststore.Tally) { t.Top = 2 })
	f("other keys", false, true, func(_ *poststore.Selection, t *poststore.Tally) { t.IncludeKeys = []string{"a"} })
	f("sums", false, true, func(_ *poststore.Selection, t *poststore.Tally) { t.Sum = []poststore.Measure{poststore.Likes} })
	f("hours", false, true, func(_ *poststore.Selection, t *poststore.Tally) { t.By = []poststore.Dim{poststore.ByHour} })
	f("hours of a zone without a name", false, false, func(_ *poststore.Selection, t *poststore.Tally) {
		t.By, t.Zone = []poststore.Dim{poststore.ByHour}, time.FixedZone("half past", 1800)
	})
	f("all posts", false, false, func(of *poststore.Selection, _ *poststore.Tally) { of.Set = 0 })
	f("some authors", false, false, func(of *poststore.Selection, _ *poststore.Tally) { of.Authors = []string{"ann"} })
	f("a set without its dimension", true, true, func(_ *poststore.Selection, t *poststore.Tally) { t.Sets = []poststore.SetID{firstSet} })
	f("some sets", false, false, func(of *poststore.Selection, _ *poststore.Tally) { of.Categories.Sets = []poststore.SetID{firstSet} })
	f("an emotion", false, false, func(of *poststore.Selection, _ *poststore.Tally) { of.Categories.Emotions = 1 })
}

// TestQueryIDOfSets checks that the id depends on the sets, their order and their generations.
func TestQueryIDOfSets(t *testing.T) {
	known := map[enginekit.QueryID]string{}
	for _, sets := range [][]poststore.SetID{{firstSet}, {secondSet}, {firstSet, secondSet}, {secondSet, firstSet}, {firstSet, firstSet}} {
		for generation := range uint64(3) {
			what := fmt.Sprint(sets, " generation ", generation)
			id, ok := enginekit.NewQueryID(&poststore.Selection{Set: 1}, []poststore.Tally{{By: []poststore.Dim{poststore.BySets}, Sets: sets}}, map[poststore.SetID]uint64{sets[0]: generation})
			if !ok {
				t.Errorf("%s: results are not cached", what)
			}
			if other := known[id]; other != "" {
				t.Errorf("%s has the same id as %s", what, other)
			}
			known[id] = what
		}
	}
}

func TestDayRowsAreBounded(t *testing.T) {
	d := newDayRows(newDayQuery(poststore.Selection{Set: 1}, daysOf(time.UTC, 1, 1), []poststore.Tally{{}}, nil))
	if err := d.add(0, make([][]poststore.Row, 1)); err != nil {
		t.Errorf("few rows: %v", err)
	}
	d.budget = segment.NewBudget(2 * enginekit.RowBytes)
	if err := d.add(0, [][]poststore.Row{make([]poststore.Row, 3)}); !errors.Is(err, segment.ErrTooManyGroups) {
		t.Errorf("many rows: got error %v, want %v", err, segment.ErrTooManyGroups)
	}
}

func TestDayCacheIsBounded(t *testing.T) {
	c := newDayCache()
	rows := [][]poststore.Row{make([]poststore.Row, 1000)}
	for i := range uint64(2000) {
		c.put(dayCacheKey{posts: segment.Fingerprint{i}}, rows)
		if c.bytes > maxDayCacheBytes || c.bytes != int64(len(c.entries))*memorySize(rows) {
			t.Fatalf("after %d entries: %d of them in %d bytes", i, len(c.entries), c.bytes)
		}
	}
	c.put(dayCacheKey{posts: segment.Fingerprint{1 << 60}}, [][]poststore.Row{make([]poststore.Row, maxDayBytes)})
	if _, known := c.entries[dayCacheKey{posts: segment.Fingerprint{1 << 60}}]; known {
		t.Error("an entry that is too large was cached")
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestOldCachesAreDropped opens a store with records of caches of earlier versions.
func TestOldCachesAreDropped(t *testing.T) {
	dir := t.TempDir()
	s := openAt(t, dir)
	for _, letter := range oldCaches {
		check(t, s.db.Set(recID(letter, 1, 2), []byte("counts"), nil))
	}
	check(t, s.db.Set(recID(recGeneration, 1), []byte{2}, nil))
	check(t, s.Close())
	s = openAt(t, dir)
	for _, letter := range oldCaches {
		from, to := recKind(letter)
		if n := countKeys(t, s.db, from, to); n != 0 {
			t.Errorf("%d records of kind %c are left", n, letter)
		}
	}
	if generations, err := s.Generations(t.Context()); err != nil || generations[1] != 1 {
		t.Errorf("got generations %v, %v, want generation 1 for set 1", generations, err)
	}
}
