package segment

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// TestCountBySets compares counts by set with a loop over all rows, for many and few sets and rows.
func TestCountBySets(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	const n = 6_000
	for _, sets := range []int{1, 8, 9, 31, 32, 33, 65, poststore.MaxSets} {
		for _, share := range []int{100, 50, 5, 1} {
			rows := roaring.New()
			for row := range uint32(n) {
				if rng.IntN(100) < share {
					rows.Add(row)
				}
			}
			ids, members := randomSets(rng, sets, 0, n)
			members.compare(t, fmt.Sprintf("%d sets, %d%% of the rows", sets, share), ids, rows)
		}
	}
}

// Consecutive rows, like those of a day, need not start at the first row.
func TestCountBySetsOfConsecutiveRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, from := range []uint32{0, 1, 4_000, 65_000, 65_536, 70_000} {
		ids, members := randomSets(rng, 33, max(from, 500)-500, from+7_000)
		rows := roaring.New()
		rows.AddRange(uint64(from), uint64(from)+6_000)
		members.compare(t, fmt.Sprint("from row ", from), ids, rows)
		rows.Add(from + 300_000) // in no set
		rows.Remove(from + 7)
		members.compare(t, fmt.Sprint("from row ", from, ", plus a distant one"), ids, rows)
	}
}

// Without a SetRows function, Count uses the sets in the segment.
func TestCountByStoredSets(t *testing.T) {
	rows := sampleRows(rand.New(rand.NewPCG(5, 7)), 3)
	set := poststore.CategorySet(1, 0)
	rows[1].Sets = []poststore.SetID{earshot.FirstID, set}
	f := writeSegment(t, rows)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.BySets}, Sets: []poststore.SetID{set}}}
	counts, err := f.Count(t.Context(), nil, ts, nil, nil)
	check(t, err)
	got, err := Sum(ts, []*Counts{counts})
	check(t, err)
	compareRows(t, "a set of the segment", got[0], []poststore.Row{{Key: []string{"\x00"}, Posts: 2, Sums: []int64{}}, {Key: []string{"\x01"}, Posts: 1, Sums: []int64{}}})
}

func TestCountBySetsFails(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 8))
	f := writeSegment(t, sampleRows(rng, 5_000))
	ids, members := randomSets(rng, 70, 0, 5_000)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.BySets}, Sets: ids}}
	if _, err := f.Count(t.Context(), nil, ts, members.rowsOf, NewBudget(50_000)); !errors.Is(err, ErrTooManyGroups) {
		t.Errorf("in little memory: got error %v, want %v", err, ErrTooManyGroups)
	}
	unknown := errors.New("unknown")
	if _, err := f.Count(t.Context(), nil, ts, func(poststore.SetID) (*roaring.Bitmap, error) { return nil, unknown }, nil); !errors.Is(err, unknown) {
		t.Errorf("without the sets: got error %v, want %v", err, unknown)
	}
}

// setRows maps sets to their rows.
type setRows map[poststore.SetID]*roaring.Bitmap

func (m setRows) rowsOf(id poststore.SetID) (*roaring.Bitmap, error) { return m[id], nil }

// randomSets returns sets of random rows in [from, to): none, few, half or almost all of them.
func randomSets(rng *rand.Rand, n int, from, to uint32) (ids []poststore.SetID, m setRows) {
	m = setRows{}
	for i := range n {
		id := poststore.CategorySet(earshot.CategoryID(i+1), 0)
		ids, m[id] = append(ids, id), roaring.New()
		share := pick(rng, 0, 1, 5, 50, 99)
		for row := from; row < to; row++ {
			if rng.IntN(100) < share {
				m[id].Add(row)
			}
		}
	}
	return ids, m
}

// count counts rows by sets, without a segment.
func (m setRows) count(t testing.TB, tally *poststore.Tally, rows *roaring.Bitmap) *Counts {
	t.Helper()
	q := &countQuery{sets: m.rowsOf, rows: rows, size: rows.GetCardinality(), stopped: func() error { return nil }, budget: NewBudget(MaxQueryBytes)}
	check(t, q.plan(tally))
	check(t, q.run())
	counts := &Counts{tallies: make([]partial, 1), budget: q.budget}
	check(t, q.collect(counts.tallies, []int{0}, &meter{budget: q.budget}))
	return counts
}

// compare checks that rows are counted like a loop counts them.
func (m setRows) compare(t *testing.T, what string, ids []poststore.SetID, rows *roaring.Bitmap) {
	t.Helper()
	tally := poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: ids}
	counts := m.count(t, &tally, rows)
	got, err := Sum([]poststore.Tally{tally}, []*Counts{counts, counts})
	check(t, err)
	posts := map[string]int64{}
	for row := range roaring.Values(rows) {
		posts[enginekit.SetsKey(ids, func(id poststore.SetID) bool { return m[id].Contains(row) })] += 2
	}
	var want []poststore.Row
	for key, n := range posts {
		want = append(want, poststore.Row{Key: []string{key}, Posts: n, Sums: []int64{}})
	}
	compareRows(t, what, got[0], enginekit.Truncate(&tally, want))
}

// BenchmarkCountBySets counts rows that are in four sets each.
func BenchmarkCountBySets(b *testing.B) {
	const rows = 1 << 20
	rng := rand.New(rand.NewPCG(5, 9))
	for _, sets := range []int{24, 200} {
		b.Run(fmt.Sprint(sets, " sets"), func(b *testing.B) {
			m, ids := setRows{}, make([]poststore.SetID, sets)
			for i := range ids {
				ids[i] = poststore.CategorySet(earshot.CategoryID(i+1), 0)
				m[ids[i]] = roaring.New()
			}
			all := roaring.New()
			all.AddRange(0, rows)
			for row := range uint32(rows) {
				for first, n := rng.IntN(sets), 0; n < 4; n++ {
					m[ids[(first+n)%sets]].Add(row)
				}
			}
			tally := &poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: ids}
			for b.Loop() {
				m.count(b, tally, all)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*rows), "ns/row")
		})
	}
}
