package segment

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
	"earshot/internal/state/journal"
)

var wordTexts = strings.Fields(`apple Apple café #apple @ada #東京タワー 東京 #東 東 👍🏽 don't https://t.co/aBc_d?e=f#g
	http www.example.com/x 見てhttps://t.co/x #日本http://a.b awww.so http:// #1️⃣ #one the the the`)

// wordRows returns rows of random words.
func wordRows(rng *rand.Rand, n int) []Row {
	rows := sampleRows(rng, n)
	for i := range rows {
		var words []string
		for range rng.IntN(12) {
			words = append(words, pick(rng, wordTexts...))
		}
		cut := rng.IntN(len(words) + 1)
		rows[i].Post.Title, rows[i].Post.Contents = strings.Join(words[:cut], " "), strings.Join(words[cut:], " ")
	}
	return rows
}

// compareWords checks the words that a segment returns.
func compareWords(t *testing.T, f *Segment) {
	t.Helper()
	var rows []uint32
	for row := range uint32(f.Rows()) {
		rows = append(rows, row)
	}
	posts, err := f.Posts(rows)
	check(t, err)
	got, err := f.Words(rows)
	check(t, err)
	var doc query.Document
	for i := range posts {
		want := enginekit.WordsOf(&posts[i], &doc)
		slices.SortFunc(got[i], func(a, b poststore.Word) int { return strings.Compare(a.Text, b.Text) })
		if len(got[i])+len(want) > 0 && !reflect.DeepEqual(got[i], want) {
			t.Errorf("%q, %q: got %v, want %v", posts[i].Title, posts[i].Contents, got[i], want)
		}
	}
}

func TestWordsOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	var in []Input
	for range 3 {
		f := writeSegment(t, wordRows(rng, 300))
		compareWords(t, f)
		drop := roaring.New()
		drop.AddRange(0, uint64(rng.IntN(50)))
		in = append(in, Input{Segment: f, Drop: drop})
	}
	path := filepath.Join(t.TempDir(), "merged")
	_, err := Merge(context.Background(), path, in, Options{})
	check(t, err)
	compareWords(t, openSegment(t, path))
}

// TestSegmentsWithoutURLRuns reads a segment written before segments recorded which words belong to
// URLs.
func TestSegmentsWithoutURLRuns(t *testing.T) {
	rows := wordRows(rand.New(rand.NewPCG(2, 2)), 200)
	f, err := colfile.Build("earlier", colfile.Options{Rows: len(rows)}, func(w *colfile.Writer) error {
		return w.Blobs(blobPosts, func(yield func([]byte, error) bool) {
			for i := range rows {
				if !yield(journal.AppendPost(nil, rows[i].Post), nil) {
					return
				}
			}
		})
	})
	check(t, err)
	earlier := &Segment{File: f}
	compareWords(t, earlier)
	lists, err := earlier.Lists(listURLRuns)
	check(t, err)
	for i, r := range rows {
		got, want := lists.Append(nil, uint32(i)), query.NewDocument(r.Post).AppendURLRuns(nil)
		if !slices.Equal(got, want) {
			t.Errorf("%q, %q: got URL runs %v, want %v", r.Post.Title, r.Post.Contents, got, want)
		}
	}
}

func TestSampleRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	f := writeSegment(t, sampleRows(rng, 10_000))
	all, err := f.SampleRows(nil, 1<<64-1)
	check(t, err)
	if len(all) != f.Rows() {
		t.Fatalf("got %d rows of %d", len(all), f.Rows())
	}
	keys, err := f.keys()
	check(t, err)
	some := roaring.New()
	for range 6000 {
		some.Add(rng.Uint32N(10_000))
	}
	for _, most := range []uint64{0, 1 << 60, 1 << 63, all[5].Hash} {
		got, err := f.SampleRows(some, most)
		check(t, err)
		var want []RowHash
		for row := range roaring.Values(some) {
			if hash := keys.high.At(row); hash <= most {
				want = append(want, RowHash{hash, row})
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("up to %x: got %d rows, want %d", most, len(got), len(want))
		}
	}
}

func TestCounters(t *testing.T) {
	rows := sampleRows(rand.New(rand.NewPCG(4, 4)), 500)
	f := writeSegment(t, rows)
	slices.SortFunc(rows, func(a, b Row) int { return earshot.ComparePosts(b.Post, a.Post) })
	got, err := f.Counters([]uint32{7, 0, 499, 7})
	check(t, err)
	for i, row := range []int{7, 0, 499, 7} {
		p := rows[row].Post
		if want := (earshot.Post{Likes: p.Likes, Shares: p.Shares, Comments: p.Comments}); !reflect.DeepEqual(got[i], want) {
			t.Errorf("row %d: got %v, %v and %v, want %v, %v and %v", row, got[i].Likes, got[i].Shares, got[i].Comments, p.Likes, p.Shares, p.Comments)
		}
	}
}
