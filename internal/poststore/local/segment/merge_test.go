package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/test/testenv"
)

// deal distributes rows over n piles: randomly if mixed, otherwise in consecutive time ranges.
func deal(rng *rand.Rand, rows []Row, n int, mixed bool) [][]Row {
	slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
	piles := make([][]Row, n)
	for i, r := range rows {
		pile := i * n / len(rows)
		if mixed {
			pile = rng.IntN(n)
		}
		piles[pile] = append(piles[pile], r)
	}
	return piles
}

func mergeSegments(tb testing.TB, in []Input) (*Segment, [][]uint32) {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "merged")
	moved, err := Merge(context.Background(), path, in, Options{})
	if err != nil {
		tb.Fatal(err)
	}
	f := openSegment(tb, path)
	if err := f.Verify(); err != nil {
		tb.Fatal(err)
	}
	return f, moved
}

// TestMerge merges segments with dropped rows and changed sets, and compares the result with a
// segment written from the same rows directly.
func TestMerge(t *testing.T) {
	testenv.SkipUnderRace(t)
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rows := sampleRows(rng, 1+rng.IntN(2000))
		piles := deal(rng, rows, 1+rng.IntN(6), seed%2 == 0)
		var in []Input
		var want []Row
		for _, pile := range piles {
			input, kept := randomInput(t, rng, pile, seed%3 > 0)
			in = append(in, input)
			want = append(want, kept...)
		}
		got, moved := mergeSegments(t, in)
		compareSegments(t, got, writeSegment(t, want))
		checkMoved(t, got, in, moved)
		checkEverMatched(t, got, in, moved)
	}
}

// checkEverMatched checks that rows are marked as matched if they were matched in their segment or
// since.
func checkEverMatched(t *testing.T, got *Segment, in []Input, moved [][]uint32) {
	t.Helper()
	want := roaring.New()
	for i, input := range in {
		before, err := input.Segment.EverMatched()
		if err != nil {
			t.Fatal(err)
		}
		for row, to := range moved[i] {
			if to != NoRow && (before.Contains(uint32(row)) || input.EverMatched != nil && input.EverMatched.Contains(uint32(row))) {
				want.Add(to)
			}
		}
	}
	if rows, err := got.EverMatched(); err != nil || !rows.Equals(want) {
		t.Errorf("got %d matched rows, %v, want %d", rows.GetCardinality(), err, want.GetCardinality())
	}
}

// randomInput writes rows and returns the segment with random changes, and the rows after these
// changes.
func randomInput(t *testing.T, rng *rand.Rand, rows []Row, change bool) (Input, []Row) {
	t.Helper()
	in := Input{Segment: writeSegment(t, rows)}
	if !change {
		return in, rows
	}
	in.Drop, in.EverMatched, in.Overrides = roaring.New(), roaring.New(), map[poststore.SetID]*roaring.Bitmap{}
	slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
	override := poststore.SetID(earshot.FirstID + rng.IntN(8)) // a set in the segment or another one
	in.Overrides[override] = roaring.New()
	var kept []Row
	share := rng.IntN(4)
	for i, r := range rows {
		r.Sets = slices.DeleteFunc(slices.Clone(r.Sets), func(id poststore.SetID) bool { return id == override })
		if rng.IntN(5) == 0 {
			in.Overrides[override].Add(uint32(i))
			in.EverMatched.Add(uint32(i))
			r.Sets = append(r.Sets, override)
		}
		if rng.IntN(3) < share {
			in.Drop.Add(uint32(i))
			continue
		}
		kept = append(kept, r)
	}
	return in, kept
}

// compareSegments compares the contents of two segments section by section.
func compareSegments(t *testing.T, got, want *Segment) {
	t.Helper()
	if got.Rows() != want.Rows() {
		t.Fatalf("got %d rows, want %d", got.Rows(), want.Rows())
	}
	names := func(f *Segment) (names []string) {
		for _, s := range f.Sections() {
			names = append(names, fmt.Sprint(s.Name, " ", s.Kind, " ", s.Count))
		}
		return names
	}
	if !slices.Equal(names(got), names(want)) {
		t.Errorf("got sections %q, want %q", names(got), names(want))
	}
	for _, s := range want.Sections() {
		if g, w := dump(t, got, s), dump(t, want, s); !slices.Equal(g, w) {
			t.Errorf("section %s: got %.300q, want %.300q", s.Name, g, w)
		}
	}
}

// dump returns the contents of a section as text.
func dump(t *testing.T, f *Segment, s colfile.Section) (lines []string) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	switch s.Kind {
	case colfile.KindUints:
		u, err := f.Uints(s.Name)
		must(err)
		for _, row := range f.allRows() {
			lines = append(lines, fmt.Sprint(u.At(row)))
		}
	case colfile.KindStrings:
		d, err := f.Strings(s.Name)
		must(err)
		for c := d.Cursor(0); c.Next(); {
			lines = append(lines, string(c.Text()))
		}
	case colfile.KindLists:
		l, err := f.Lists(s.Name)
		must(err)
		for _, row := range f.allRows() {
			lines = append(lines, fmt.Sprint(l.Append(nil, row)))
		}
	case colfile.KindSets:
		sets, err := f.Sets(s.Name)
		must(err)
		for key := range sets.Keys() {
			if s.Name != setFlags || key != flagEverMatched { // also includes past matches
				lines = append(lines, fmt.Sprint(key, sets.Append(nil, key)))
			}
		}
	case colfile.KindBlobs:
		b, err := f.Blobs(s.Name)
		must(err)
		r := b.Reader()
		for _, row := range f.allRows() {
			record, err := r.Get(row)
			must(err)
			lines = append(lines, string(record))
		}
	}
	return lines
}

// checkMoved checks that every row is at the position that moved states.
func checkMoved(t *testing.T, f *Segment, in []Input, moved [][]uint32) {
	t.Helper()
	for i := range in {
		before, err := in[i].Segment.Posts(in[i].Segment.allRows())
		if err != nil {
			t.Fatal(err)
		}
		for row, to := range moved[i] {
			if drop := in[i].Drop != nil && in[i].Drop.Contains(uint32(row)); drop != (to == NoRow) {
				t.Fatalf("row %d of %d: moved to %d, dropped: %t", row, i, to, drop)
			}
			if to == NoRow {
				continue
			}
			after, err := f.Posts([]uint32{to})
			if err != nil {
				t.Fatal(err)
			}
			if before[row].Key() != after[0].Key() {
				t.Fatalf("row %d of %d: got %v in row %d, want %v", row, i, after[0].Key(), to, before[row].Key())
			}
		}
	}
}

func TestMergeWithoutInputs(t *testing.T) {
	f, moved := mergeSegments(t, nil)
	compareSegments(t, f, writeSegment(t, nil))
	if len(moved) > 0 {
		t.Errorf("got %v", moved)
	}
	rows := sampleRows(rand.New(rand.NewPCG(1, 1)), 10)
	all := roaring.New()
	all.AddRange(0, 1000) // includes rows beyond the segment
	f, moved = mergeSegments(t, []Input{{Segment: writeSegment(t, rows), Drop: all}})
	compareSegments(t, f, writeSegment(t, nil))
	if want := slices.Repeat([]uint32{NoRow}, 10); !slices.Equal(moved[0], want) {
		t.Errorf("got %v", moved)
	}
}

func TestMergeIsCanceled(t *testing.T) {
	in := []Input{{Segment: writeSegment(t, sampleRows(rand.New(rand.NewPCG(1, 1)), 100))}}
	for after := range 60 {
		dir := t.TempDir()
		ctx := &countdown{Context: context.Background(), left: after}
		_, err := Merge(ctx, filepath.Join(dir, "merged"), in, Options{})
		if ctx.left < 0 != errors.Is(err, context.Canceled) {
			t.Fatalf("canceled after %d checks: got %v", after, err)
		}
		left, _ := os.ReadDir(dir)
		if err != nil && len(left) > 0 {
			t.Errorf("canceled after %d checks: %v is left", after, left)
		}
	}
}

// A countdown is a context that is canceled after its error has been checked a number of times.
type countdown struct {
	context.Context
	left int
}

func (c *countdown) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}
