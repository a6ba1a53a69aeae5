package query

import (
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// A smallIndex is the simplest index of posts.
type smallIndex struct {
	posts []*earshot.Post
	keys  []string
	words [][]uint32
	rows  map[uint32]*roaring.Bitmap
}

func newSmallIndex(posts []*earshot.Post) *smallIndex {
	x := &smallIndex{posts: posts, keys: []string{""}, rows: map[uint32]*roaring.Bitmap{}}
	for _, p := range posts {
		d := NewDocument(p)
		for i := range d.Len() {
			x.keys = append(x.keys, string(d.AppendKey(nil, i)))
		}
	}
	slices.Sort(x.keys)
	x.keys = slices.Compact(x.keys)
	for row, p := range posts {
		d := NewDocument(p)
		x.words = append(x.words, d.AppendTokenIDs(nil, func(i int) uint32 {
			n, _ := slices.BinarySearch(x.keys, string(d.AppendKey(nil, i)))
			if x.rows[uint32(n)] == nil {
				x.rows[uint32(n)] = roaring.New()
			}
			x.rows[uint32(n)].Add(uint32(row))
			return uint32(n)
		}))
	}
	return x
}

func (x *smallIndex) Prefix(prefix string) (from, to uint32) {
	first, _ := slices.BinarySearch(x.keys, prefix)
	last := first
	for last < len(x.keys) && strings.HasPrefix(x.keys[last], prefix) {
		last++
	}
	return uint32(first), uint32(last)
}

func (x *smallIndex) Keys(from, to uint32) iter.Seq2[uint32, []byte] {
	return func(yield func(uint32, []byte) bool) {
		for i := from; i < to && yield(i, []byte(x.keys[i])); i++ {
		}
	}
}

func (x *smallIndex) All() *roaring.Bitmap {
	all := roaring.New()
	all.AddRange(0, uint64(len(x.posts)))
	return all
}

func (x *smallIndex) Any(tokens []uint32, scope *roaring.Bitmap) *roaring.Bitmap {
	if !slices.IsSorted(tokens) {
		panic("tokens are not in ascending order")
	}
	any := roaring.New()
	for _, n := range tokens {
		if rows := x.rows[n]; rows != nil {
			any.Or(rows)
		}
	}
	if scope != nil {
		any.And(scope)
	}
	return any
}

func (x *smallIndex) Cardinality(tokens []uint32) int {
	return int(x.Any(tokens, nil).GetCardinality())
}

// Field does not store the language, and stores custom fields only for every other post.
func (x *smallIndex) Field(name string, accept func(p *earshot.Post) bool, scope *roaring.Bitmap) RowSet {
	f := RowSet{roaring.New(), roaring.New()}
	for i, p := range x.posts {
		switch row := uint32(i); {
		case scope != nil && !scope.Contains(row):
		case name == "language" || strings.HasPrefix(name, "custom.") && i%2 == 0:
			f.Candidates.Add(row)
		case accept(p):
			f.Matches.Add(row)
		}
	}
	return f
}

func (x *smallIndex) Scan(rows *roaring.Bitmap, accept func(words []uint32) bool) *roaring.Bitmap {
	kept := roaring.New()
	for _, row := range rows.ToArray() {
		if accept(x.words[row]) {
			kept.Add(row)
		}
	}
	return kept
}

// TestSelectAgreesWithMatch compares Select and Candidates with Match.
func TestSelectAgreesWithMatch(t *testing.T) {
	g := generator{rand.New(rand.NewPCG(5, 6))}
	decided, sures := 0, 0
	for range 60 {
		var posts []*earshot.Post
		for range 40 {
			p := g.post()
			if g.IntN(4) == 0 {
				p.Contents = ""
			}
			posts = append(posts, p)
		}
		x := newSmallIndex(posts)
		for range 60 {
			q, err := Parse(g.query(g.IntN(4)))
			if err != nil {
				continue
			}
			scope := g.rows(len(posts))
			d, s := checkSelect(t, q, x, scope)
			decided, sures = decided+d, sures+s
		}
	}
	if decided < 40_000 || sures < 4_000 {
		t.Errorf("%d rows decided, %d selected: the cases are not varied enough", decided, sures)
	}
}

// rows returns a random subset of n rows, or nil for all.
func (g generator) rows(n int) *roaring.Bitmap {
	if g.IntN(2) == 0 {
		return nil
	}
	rows := roaring.New()
	for row := range n {
		if g.IntN(3) > 0 {
			rows.Add(uint32(row))
		}
	}
	return rows
}

// checkSelect returns the number of rows that the index decided, and how many of them are selected.
func checkSelect(t *testing.T, q *Query, x *smallIndex, scope *roaring.Bitmap) (decided, sure int) {
	t.Helper()
	within := x.All()
	if scope != nil {
		within = scope.Clone()
	}
	b := q.Bind(x)
	found, narrowed := b.Select(x, scope), b.Candidates(x, scope)
	if scope != nil && !scope.Equals(within) {
		t.Fatalf("%s modifies the scope", q)
	}
	for row, p := range x.posts {
		row := uint32(row)
		want := within.Contains(row) && q.Match(NewDocument(p))
		maybe := found.Candidates != nil && found.Candidates.Contains(row)
		switch got := found.Matches.Contains(row); {
		case maybe && (got || !within.Contains(row)):
			t.Fatalf("%s on %q, %q: unexpected candidate, in matches: %t", q, p.Title, p.Contents, got)
		case maybe:
			continue
		case got != want:
			t.Fatalf("%s on %q, %q: got %t, want %t", q, p.Title, p.Contents, got, want)
		case want && !narrowed.Contains(row):
			t.Fatalf("%s selects %q, %q, which is not among the candidates", q, p.Title, p.Contents)
		case want:
			sure++
		}
		decided++
	}
	return decided, sure
}
