package segment

import (
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func TestInferredBefore(t *testing.T) {
	f := writeSegment(t, sampleRows(rand.New(rand.NewPCG(3, 1)), 200))
	posts, err := f.Posts(f.allRows())
	check(t, err)
	for models := range uint32(5) {
		want := roaring.New()
		for row, p := range posts {
			if p.InferredBy < models {
				want.Add(uint32(row))
			}
		}
		got, err := f.InferredBefore(models)
		check(t, err)
		if !got.Equals(want) {
			t.Errorf("before models %d: got %v, want %v", models, got, want)
		}
	}
}

// TestReinferredRows writes some posts of a segment again. Only their sets must be missing.
func TestReinferredRows(t *testing.T) {
	f := writeSegment(t, sampleRows(rand.New(rand.NewPCG(3, 2)), 100))
	rows := []uint32{2, 3, 50, 99}
	posts, err := f.Posts(rows)
	check(t, err)
	for i := range posts {
		posts[i].InferredBy, posts[i].Language = 7, "pt"
	}
	revised, err := f.ReinferredRows(rows, posts)
	check(t, err)
	path := filepath.Join(t.TempDir(), "revised")
	check(t, Write(path, revised, Options{}))
	again := openSegment(t, path)

	got, err := again.Posts(again.allRows())
	check(t, err)
	if !reflect.DeepEqual(got, posts) {
		t.Errorf("got %+v, want %+v", got, posts)
	}
	for _, name := range []string{colTime, colNanos, colKeyHigh, colKeyLow, colArrived, colIngested, colURL, colFollowers} {
		before, err := f.Uints(name)
		check(t, err)
		after, err := again.Uints(name)
		check(t, err)
		for i, row := range rows {
			if got, want := after.At(uint32(i)), before.At(row); got != want {
				t.Errorf("%s of row %d: got %d, want %d", name, row, got, want)
			}
		}
	}
	if matched, err := again.EverMatched(); err != nil || !matched.IsEmpty() {
		t.Errorf("got matched rows %v, %v, want none", matched, err)
	}
}
