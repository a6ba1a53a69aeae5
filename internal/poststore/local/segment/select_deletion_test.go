package segment

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// checkRows compares rows of a segment with those that a function selects.
func checkRows(t *testing.T, what string, got *roaring.Bitmap, err error, rows []Row, want func(r Row) bool) {
	t.Helper()
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	wanted := roaring.New()
	for i, r := range rows {
		if want(r) {
			wanted.Add(uint32(i))
		}
	}
	if !got.Equals(wanted) {
		t.Errorf("%s: got %v, want %v", what, got, wanted)
	}
}

func sortedSample(seed uint64, n int) []Row {
	rows := sampleRows(rand.New(rand.NewPCG(seed, 1)), n)
	slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
	return rows
}

func TestDeletionRows(t *testing.T) {
	const first, second = earshot.FirstID + 100, earshot.FirstID + 101
	rows := sortedSample(1, 1000)
	f := writeSegment(t, rows)
	guids := []string{"", rows[3].Post.GUID, "no such guid"}
	for i := range 200 {
		guids = append(guids, rows[i*5].Post.GUID)
	}
	deletions := []earshot.Deletion{
		{},
		{ContentSource: first},
		{ContentSource: second},
		{ContentSource: 7},
		{Batch: "batch-1"},
		{GUIDs: guids},
		{Accounts: []string{rows[1].Post.Author, rows[2].Post.AuthorUsername, rows[9].Post.AuthorProfileID}},
		{ContentSource: first, Accounts: []string{rows[1].Post.Author, rows[2].Post.AuthorUsername}},
		{Source: rows[5].Post.Source, Accounts: []string{rows[5].Post.Author, rows[5].Post.PageID}},
		{Accounts: []string{rows[1].Post.Author}, GUIDs: guids},
		{ContentSource: first, Batch: "batch-1"},
		{ContentSource: first, Batch: "no such batch"},
		{ContentSource: first, GUIDs: guids},
		{ContentSource: second, GUIDs: guids, URLs: []string{"", "https://example.com/7"}},
		{ContentSource: first, URLs: []string{"https://example.com/7", "https://example.com/8", "other"}},
		{ContentSource: first, URLs: []string{""}},
		{ContentSource: first, GUIDs: []string{""}},
		{ContentSource: first, Batch: "batch-2", GUIDs: guids, URLs: []string{"https://example.com/9"}},
	}
	for _, d := range deletions {
		got, err := f.DeletionRows(t.Context(), d)
		named := enginekit.DeletionMatcher(d)
		checkRows(t, fmt.Sprintf("%.200v", d), got, err, rows, func(r Row) bool { return named(r.Post) })
	}
}

func TestArrivedUpTo(t *testing.T) {
	rows := sortedSample(2, 1000)
	f := writeSegment(t, rows)
	for _, at := range []earshot.Position{0, 1, 7, 19, 20, 21, earshot.EndOfJournal} {
		got, err := f.ArrivedUpTo(at)
		checkRows(t, fmt.Sprint("up to ", at), got, err, rows, func(r Row) bool { return r.Arrived <= at })
	}
}

func TestIngestedBefore(t *testing.T) {
	rows := sortedSample(3, 1000)
	f := writeSegment(t, rows)
	for days := -1; days < 7; days++ {
		day := sampleStart.AddDate(0, 0, days)
		for _, at := range []time.Time{day, day.Add(23 * time.Hour)} {
			got, err := f.IngestedBefore(at)
			checkRows(t, fmt.Sprint("before ", at), got, err, rows, func(r Row) bool { return r.Ingested.Before(day) })
		}
	}
	got, err := f.IngestedBefore(time.Time{})
	checkRows(t, "before the first year", got, err, rows, func(Row) bool { return false })
}

func TestSetIDs(t *testing.T) {
	rows := sortedSample(4, 1000)
	f := writeSegment(t, rows)
	all, err := f.SetIDs()
	if err != nil {
		t.Fatal(err)
	}
	var want []poststore.SetID
	for i := range 6 {
		want = append(want, poststore.SetID(earshot.FirstID+i))
	}
	if got := slices.Collect(all); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, id := range append(want, 0, 7, -1) {
		got, err := f.Set(id)
		checkRows(t, fmt.Sprint("set ", id), got, err, rows, func(r Row) bool { return slices.Contains(r.Sets, id) })
	}
}

func TestTimes(t *testing.T) {
	rows := sortedSample(5, 500)
	f := writeSegment(t, rows)
	first, last, err := f.TimeRange()
	if err != nil || !first.Equal(rows[0].Post.Time) || !last.Equal(rows[499].Post.Time) {
		t.Errorf("got %v to %v, %v", first, last, err)
	}
	times, err := f.Times([]uint32{499, 0, 77})
	if err != nil || !slices.EqualFunc(times, []Row{rows[499], rows[0], rows[77]}, func(t time.Time, r Row) bool { return t.Equal(r.Post.Time) }) {
		t.Errorf("got %v, %v", times, err)
	}
	at := []time.Time{{}, sampleStart.AddDate(-100, 0, 0), sampleStart.AddDate(1000, 0, 0)}
	for _, r := range rows {
		at = append(at, r.Post.Time, r.Post.Time.Add(1), r.Post.Time.Add(-1), r.Post.Time.Add(time.Second))
	}
	for _, moment := range at {
		want := 0
		for want < len(rows) && rows[want].Post.Time.Before(moment) {
			want++
		}
		if got, err := f.RowsBefore(moment); err != nil || int(got) != want {
			t.Fatalf("before %v: got %d, %v, want %d", moment, got, err, want)
		}
	}
}

func TestTimesOfEmptySegment(t *testing.T) {
	f := writeSegment(t, nil)
	if first, last, err := f.TimeRange(); err != nil || !first.IsZero() || !last.IsZero() {
		t.Errorf("got %v to %v, %v", first, last, err)
	}
	if n, err := f.RowsBefore(sampleStart); err != nil || n != 0 {
		t.Errorf("got %d, %v", n, err)
	}
}
