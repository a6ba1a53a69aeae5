package segment

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/test/testenv"
)

// TestCorruptSections flips bits of a segment. Every query must then return the same result as
// before, or an error that reports the segment as corrupt.
func TestCorruptSections(t *testing.T) {
	testenv.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 1))
	whole := writeSegment(t, sortedSample(1, 60))
	data, err := os.ReadFile(whole.Path())
	if err != nil {
		t.Fatal(err)
	}
	want := queryAll(t, whole)
	dir := t.TempDir()
	for range 1500 {
		flipped := slices.Clone(data)
		flipped[rng.IntN(len(data))] ^= 1 << rng.IntN(8)
		path := filepath.Join(dir, "damaged")
		if err := os.WriteFile(path, flipped, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := Open(path)
		if err != nil {
			checkCorrupt(t, "Open", err, path)
			continue
		}
		for name, got := range queryAll(t, f) {
			if got.err != nil {
				checkCorrupt(t, name, got.err, path)
			} else if !slices.Equal(got.rows, want[name].rows) {
				t.Fatalf("%s: got %v, want %v", name, got.rows, want[name].rows)
			}
		}
		f.Close()
	}
}

func checkCorrupt(t *testing.T, what string, err error, path string) {
	t.Helper()
	var corrupt *colfile.CorruptError
	if !errors.As(err, &corrupt) || corrupt.Path != path {
		t.Fatalf("%s: got %v, want an error that %s is damaged", what, err, path)
	}
}

type result struct {
	rows []uint32
	err  error
}

// queryAll runs all kinds of queries.
func queryAll(t *testing.T, f *Segment) map[string]result {
	t.Helper()
	all := map[string]result{}
	bitmap := func(name string, b *roaring.Bitmap, err error) {
		a := result{err: err}
		if err == nil {
			a.rows = b.ToArray()
		}
		all[name] = a
	}
	b, err := f.DeletionRows(context.Background(), earshot.Deletion{ContentSource: earshot.FirstID + 100, Batch: "batch-1", URLs: []string{"https://example.com/7"}})
	bitmap("DeletionRows", b, err)
	b, err = f.ArrivedUpTo(7)
	bitmap("ArrivedUpTo", b, err)
	b, err = f.IngestedBefore(sampleStart.AddDate(0, 0, 2))
	bitmap("IngestedBefore", b, err)
	b, err = f.InferredBefore(2)
	bitmap("InferredBefore", b, err)
	b, err = f.Set(earshot.FirstID)
	bitmap("Set", b, err)
	_, err = f.SetIDs()
	all["SetIDs"] = result{nil, err}
	n, err := f.RowsBefore(sampleStart)
	all["RowsBefore"] = result{[]uint32{n}, err}
	found, err := f.Find([]Target{{Key{1, 2}, Seconds(sampleStart)}})
	all["Find"] = result{found, err}
	_, err = f.Posts([]uint32{0, 59, 30})
	all["Posts"] = result{nil, err}
	_, err = f.ReinferredRows([]uint32{0, 59}, make([]earshot.Post, 2))
	all["ReinferredRows"] = result{nil, err}
	moved, err := Merge(context.Background(), filepath.Join(t.TempDir(), "merged"), []Input{{Segment: f, Drop: roaring.BitmapOf(3)}}, Options{})
	all["Merge"] = result{slices.Concat(moved...), err}
	return all
}

// TestMalformedSections reads segments with valid checksums but malformed contents.
func TestMalformedSections(t *testing.T) {
	testenv.SkipUnderRace(t)
	good := writeSegment(t, sortedSample(1, 50))
	zeros := slices.Repeat([]uint64{0}, 50)
	large := slices.Concat(zeros[:49], []uint64{200})
	tests := []struct {
		name    string
		section string
		write   func(w *colfile.Writer) error
	}{
		{"an unknown name", colSite, func(w *colfile.Writer) error { return w.Uints(colSite, slices.Values(large)) }},
		{"an unknown hashtag", listHashtags, func(w *colfile.Writer) error {
			return w.Lists(listHashtags, 100, slices.Values(slices.Repeat([][]uint32{{99}}, 50)))
		}},
		{"an unknown word", listTokens, func(w *colfile.Writer) error {
			return w.Lists(listTokens, 10_000, slices.Values(slices.Repeat([][]uint32{{0, 9999}}, 50)))
		}},
		{"an unknown tag", listTokens, func(w *colfile.Writer) error {
			return w.Lists(listTokens, 10_000, slices.Values(slices.Repeat([][]uint32{{1, 0, 9999}}, 50)))
		}},
		{"more tags than numbers", listTokens, func(w *colfile.Writer) error {
			return w.Lists(listTokens, 10_000, slices.Values(slices.Repeat([][]uint32{{9000, 0, 9999}}, 50)))
		}},
		{"posting lists of other words", setPostings, func(w *colfile.Writer) error {
			return w.Sets(setPostings, func(yield func(uint64, []uint32) bool) { yield(0, []uint32{1}) })
		}},
		{"no empty name", dictSite, func(w *colfile.Writer) error {
			return w.Strings(dictSite, slices.Values([][]byte{[]byte("a"), []byte("b"), []byte("c"), []byte("d")}))
		}},
		{"malformed posts", blobPosts, func(w *colfile.Writer) error {
			return w.Blobs(blobPosts, func(yield func([]byte, error) bool) {
				for range 50 {
					yield([]byte("nonsense"), nil)
				}
			})
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			f := replaceSection(t, good, tt.section, tt.write)
			_, err := f.Posts(f.allRows())
			if err == nil {
				// Drop some rows of f, so that rows of both segments with the same time are
				// compared.
				some := roaring.New()
				some.AddRange(0, 20)
				dir := t.TempDir()
				_, err = Merge(context.Background(), filepath.Join(dir, "merged"), []Input{{Segment: good}, {Segment: f, Drop: some}}, Options{})
				if left, _ := os.ReadDir(dir); len(left) > 0 {
					t.Errorf("%v is left", left)
				}
			}
			checkCorrupt(t, "Merge", err, f.Path())
		})
	}
}

// replaceSection returns a copy of a segment in which one section is replaced.
func replaceSection(t *testing.T, f *Segment, section string, write func(w *colfile.Writer) error) *Segment {
	t.Helper()
	path := filepath.Join(t.TempDir(), "nonsense")
	w, err := colfile.Create(path, colfile.Options{Rows: f.Rows()})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for _, s := range f.Sections() {
		if s.Name == section {
			err = write(w)
		} else {
			err = copySection(w, f, s)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return openSegment(t, path)
}

func copySection(w *colfile.Writer, f *Segment, s colfile.Section) error {
	switch s.Kind {
	case colfile.KindUints:
		u, err := f.Uints(s.Name)
		if err != nil {
			return err
		}
		values := make([]uint64, f.Rows())
		for row := range values {
			values[row] = u.At(uint32(row))
		}
		return w.Uints(s.Name, slices.Values(values))
	case colfile.KindStrings:
		d, err := f.Strings(s.Name)
		if err != nil {
			return err
		}
		texts := make([][]byte, d.Len())
		for id := range texts {
			texts[id] = []byte(d.At(uint32(id)))
		}
		return w.Strings(s.Name, slices.Values(texts))
	case colfile.KindLists:
		l, err := f.Lists(s.Name)
		if err != nil {
			return err
		}
		lists := make([][]uint32, f.Rows())
		for row := range lists {
			lists[row] = l.Append(nil, uint32(row))
		}
		return w.Lists(s.Name, l.Limit(), slices.Values(lists))
	case colfile.KindSets:
		sets, err := f.Sets(s.Name)
		if err != nil {
			return err
		}
		return w.Sets(s.Name, func(yield func(uint64, []uint32) bool) {
			for key := range sets.Keys() {
				yield(key, sets.Append(nil, key))
			}
		})
	}
	b, err := f.Blobs(s.Name)
	if err != nil {
		return err
	}
	return w.CopyBlobs(s.Name, func(yield func(colfile.Run, error) bool) {
		yield(colfile.Run{Blobs: b, To: uint32(f.Rows())}, nil)
	})
}
