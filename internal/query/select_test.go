package query

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// A smallIndex is the plainest index of posts.
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
		x.words = append(x.words, d.AppendWords(nil, func(i int) uint32 {
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

func (x *smallIndex) Len() int             { return len(x.keys) }
func (x *smallIndex) At(number int) string { return x.keys[number] }

func (x *smallIndex) Prefix(prefix string) (from, to int) {
	from, _ = slices.BinarySearch(x.keys, prefix)
	for to = from; to < len(x.keys) && strings.HasPrefix(x.keys[to], prefix); to++ {
	}
	return from, to
}

func (x *smallIndex) All() *roaring.Bitmap {
	all := roaring.New()
	all.AddRange(0, uint64(len(x.posts)))
	return all
}

func (x *smallIndex) Any(tokens []uint32) *roaring.Bitmap {
	any := roaring.New()
	for _, n := range tokens {
		if rows := x.rows[n]; rows != nil {
			any.Or(rows)
		}
	}
	return any
}

func (x *smallIndex) Field(name string, accept func(p *earshot.Post) bool) (*roaring.Bitmap, bool) {
	if name == "language" {
		return nil, false
	}
	rows := roaring.New()
	for i, p := range x.posts {
		if accept(p) {
			rows.Add(uint32(i))
		}
	}
	return rows, true
}

// TestAnIndexSelectsWhatMatchDoes compares Select, and Match of numbers, with Match
// of posts.
func TestAnIndexSelectsWhatMatchDoes(t *testing.T) {
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
			b := q.Bind(x)
			sure, maybe := b.Select(x)
			for row, p := range posts {
				want := q.Match(NewDocument(p))
				if sure.Contains(uint32(row)) {
					if sures++; !want {
						t.Fatalf("%s surely selects %q, %q", q, p.Title, p.Contents)
					}
				} else if want && !maybe.Contains(uint32(row)) {
					t.Fatalf("%s does not select %q, %q", q, p.Title, p.Contents)
				}
				if b.Decides() {
					if decided++; b.Match(x.words[row]) != want {
						t.Fatalf("%s on %q, %q by numbers: got %t, want %t", q, p.Title, p.Contents, !want, want)
					}
				}
			}
		}
	}
	if decided < 10_000 || sures < 1_000 {
		t.Errorf("%d decided, %d sure: the cases are too much alike", decided, sures)
	}
}
