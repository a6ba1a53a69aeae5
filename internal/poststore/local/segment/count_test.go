package segment

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	_ "time/tzdata" // makes the zones below available on every system

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/test/testenv"
)

// Segments of random posts give the same counts as the memory store.
func TestCountAndSum(t *testing.T) {
	testenv.SkipUnderRace(t)
	for seed := range uint64(20) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			rng := rand.New(rand.NewPCG(seed, 1))
			p := newSegmentPool(t, rng)
			for range 12 {
				p.compare(t, randomTallies(t, rng))
			}
		})
	}
}

// A segmentPool contains several segments, some rows of each, and a memory store with the same
// posts.
type segmentPool struct {
	files []*Segment
	rows  []*roaring.Bitmap
	store *memory.Store
}

func newSegmentPool(t *testing.T, rng *rand.Rand) *segmentPool {
	p := &segmentPool{store: memory.New()}
	step := pick(rng, time.Second, time.Minute, time.Hour)
	for i := range 1 + rng.IntN(4) {
		rows := make([]Row, rng.IntN(pick(rng, 20, 1000, 6000)))
		for j := range rows {
			rows[j] = Row{Post: oddPost(t, rng, fmt.Sprint(i, "-", j), step)}
		}
		p.add(t, rng, rows, rng.IntN(101))
	}
	return p
}

// add writes a segment of rows and counts share percent of them.
func (p *segmentPool) add(t *testing.T, rng *rand.Rand, rows []Row, share int) {
	t.Helper()
	f := writeSegment(t, rows)
	some := roaring.New()
	for row := range uint32(f.Rows()) {
		if rng.IntN(100) < share {
			some.Add(row)
		}
	}
	posts, err := f.Posts(some.ToArray())
	check(t, err)
	matched := make([]poststore.MatchedPost, len(posts))
	for i := range posts {
		matched[i].Post = posts[i]
	}
	p.files = append(p.files, f)
	p.rows = append(p.rows, some)
	check(t, p.store.Append(t.Context(), earshot.Position(len(p.files)), matched))
}

// compare checks that the segments give the same counts as the store.
func (p *segmentPool) compare(t *testing.T, ts []poststore.Tally) {
	t.Helper()
	want, err := p.store.Tallies(t.Context(), poststore.Selection{}, ts)
	check(t, err)
	budget := NewBudget(MaxQueryBytes)
	var counts []*Counts
	for i, f := range p.files {
		c, err := f.Count(t.Context(), p.rows[i], ts, nil, budget)
		check(t, err)
		counts = append(counts, c)
	}
	got, err := Sum(ts, counts)
	check(t, err)
	for i := range ts {
		compareRows(t, fmt.Sprintf("by %v of %v in %v, top %d, sources %v", ts[i].By, ts[i].Sum, ts[i].Zone, ts[i].Top, ts[i].Sources), got[i], want[i])
	}
}

func compareRows(t *testing.T, what string, got, want []poststore.Row) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: got %d rows, want %d", what, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("%s: row %d: got %+v, want %+v", what, i, got[i], want[i])
		}
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func randomTallies(t *testing.T, rng *rand.Rand) []poststore.Tally {
	t.Helper()
	ts := make([]poststore.Tally, 1+rng.IntN(6))
	for i := range ts {
		ts[i] = poststore.Tally{Zone: loadZone(t, pick(rng, zones...)), Top: pick(rng, 0, 0, 1, 3, 50)}
		for range pick(rng, 0, 1, 1, 1, 2, 2, 3) {
			ts[i].By = append(ts[i].By, pick(rng, poststore.Dims...))
		}
		for range pick(rng, 0, 0, 1, 3) {
			ts[i].Sum = append(ts[i].Sum, pick(rng, poststore.Measures...))
		}
		if rng.IntN(3) == 0 {
			ts[i].Sum = append(ts[i].Sum, poststore.Authors)
		}
		if rng.IntN(4) == 0 {
			ts[i].Sources = pick(rng, []earshot.Source{earshot.Twitter}, []earshot.Source{earshot.Blogs, "Shop reviews"}, []earshot.Source{"nowhere"})
		}
		if rng.IntN(10) == 0 {
			ts[i] = poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}, Sources: ts[i].Sources}
		}
		if len(ts[i].By) == 1 && ts[i].By[0] != poststore.ByEthnicity && rng.IntN(3) == 0 {
			ts[i].IncludeKeys = []string{"DEU", "ada", "tag1", "tag2", "parent7", "yes", "Sunday 23", "no such key"}
		}
	}
	return ts
}

// In St. John's, clocks were once set back to the previous day at one minute past midnight.
var zones = []string{"", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia", "Africa/Monrovia"}

// loadZone returns a time zone, or nil for an empty name.
func loadZone(t testing.TB, name string) *time.Location {
	t.Helper()
	if name == "" {
		return nil
	}
	zone, err := time.LoadLocation(name)
	check(t, err)
	return zone
}

// clockChanges are times near clock changes in one of the zones.
var clockChanges = []time.Time{
	time.Date(2024, 3, 31, 1, 0, 0, 0, time.UTC),   // Berlin
	time.Date(2024, 10, 27, 1, 0, 0, 0, time.UTC),  // Berlin
	time.Date(2024, 4, 6, 15, 0, 0, 0, time.UTC),   // Lord Howe
	time.Date(2024, 10, 5, 15, 30, 0, 0, time.UTC), // Lord Howe
	time.Date(2005, 10, 30, 2, 31, 0, 0, time.UTC), // St. John's
	time.Date(2011, 12, 30, 10, 0, 0, 0, time.UTC), // Apia, which skipped a day
	time.Date(1972, 1, 7, 0, 44, 30, 0, time.UTC),  // Monrovia
	time.Date(1969, 12, 31, 23, 59, 59, 0, time.UTC),
	time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC),
	time.Date(9999, 12, 31, 23, 0, 0, 0, time.UTC),
}

// oddPost returns a post with values that counting could get wrong.
func oddPost(t *testing.T, rng *rand.Rand, guid string, step time.Duration) *earshot.Post {
	t.Helper()
	p := samplePost(rng, 0)
	p.GUID = guid
	p.Time = pick(rng, clockChanges...).Add(time.Duration(rng.IntN(200)-100) * step).Add(pick(rng, 0, 1, time.Second-1))
	p.AuthorUsername = pick(rng, "", "ada", "Ada", "ADA", "İda", "ÉMILE", "émile", fmt.Sprint("user", rng.IntN(500)), fmt.Sprint("USER", rng.IntN(500)))
	p.Author = pick(rng, "", "ada", "Ada\x00B", "bob", "Bob", "b\xffb", "Ada "+pick(rng, surnameSample...), "bob (Bob "+pick(rng, surnameSample...)+")")
	p.Place = pick(rng, oddPlaces...)
	p.Age = pick(rng, earshot.Count{}, earshot.Counted(rng.Int64N(50)), earshot.Counted(pick[int64](rng, 17, 18, 24, 25, 34, 35, 1<<40)))
	p.Hashtags = nil
	for range rng.IntN(4) {
		p.Hashtags = append(p.Hashtags, pick(rng, "", "go", "news", "Go", "münchen", fmt.Sprint("tag", rng.IntN(300))))
	}
	p.ParentGUID = pick(rng, "", "", fmt.Sprint("parent", rng.IntN(2000)))
	if p.ContentSource != 0 {
		p.ContentSource += earshot.ContentSourceID(pick(rng, 0, 0, 1, 1<<52))
	}
	for _, figure := range []*earshot.Count{&p.Followers, &p.Likes, &p.Views} {
		*figure = pick(rng, *figure, earshot.Count{}, earshot.Counted(0), earshot.Counted(math.MaxInt64-1), earshot.Counted(1<<62))
	}
	return &p
}

var oddPlaces = []earshot.Place{
	{},
	{Country: "DEU"},
	{Country: "DEU", State: "Berlin"},
	{Country: "DEU", State: "Berlin", City: "Berlin"},
	{Country: "DEU", State: "Berlin", City: "Spandau"},
	{Country: "DEU", City: "Berlin"},
	{State: "Berlin"},
	{City: "Berlin"},
	{Country: "JAM", State: "St. Elizabeth", City: "Black River"},
	{Country: "USA", State: "CA", City: "San Diego"},
	{Country: "IND"}, // half-hour offset
	{Country: "NPL"}, // quarter-hour offset
	{Country: "WSM"}, // Apia
	{Country: "LBR"}, // Monrovia
}
