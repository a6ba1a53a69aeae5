package colfile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func serialize(t *testing.T, rows []uint32) []byte {
	t.Helper()
	b := roaring.New()
	b.AddMany(rows)
	b.RunOptimize()
	data, err := b.ToBytes()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCheckBitmap changes serialized bitmaps at random. Those that pass the check must be valid for
// the roaring library too, with the same rows.
func TestCheckBitmap(t *testing.T) {
	const limit = 100_000
	rng := rand.New(rand.NewPCG(5, 1))
	passed, refused := 0, 0
	for range 40 {
		rows := randomSet(rng, limit)
		if len(rows) == 0 {
			continue
		}
		data := serialize(t, rows)
		if n, ok := checkBitmap(data, limit); !ok || n != uint64(len(rows)) {
			t.Fatalf("a good bitmap: got %d, %t, want %d", n, ok, len(rows))
		}
		if _, ok := checkBitmap(data, uint64(rows[len(rows)-1])); ok {
			t.Fatal("a row at the limit was accepted")
		}
		for range 50 {
			changed := slices.Clone(data)
			for range 1 + rng.IntN(2) {
				changed[rng.IntN(min(len(changed), 1+rng.IntN(100)))] ^= 1 << rng.IntN(8)
			}
			changed = changed[:len(changed)-max(0, rng.IntN(20)-15)]
			n, ok := checkBitmap(changed, limit)
			if !ok {
				refused++
				continue
			}
			passed++
			compareWithLibrary(t, changed, n)
		}
	}
	if passed == 0 || refused == 0 {
		t.Errorf("%d bitmaps passed and %d were rejected; the test covers too little", passed, refused)
	}
}

func compareWithLibrary(t *testing.T, data []byte, n uint64) {
	t.Helper()
	b := roaring.New()
	if _, err := b.FromBuffer(data); err != nil {
		t.Fatal(err)
	}
	if err := b.Validate(); err != nil {
		t.Fatal(err)
	}
	want := b.ToArray()
	var got []uint32
	yieldBitmap(data, func(row uint32) bool {
		got = append(got, row)
		return true
	})
	if !slices.Equal(got, want) || n != uint64(len(want)) {
		t.Fatalf("got %d rows, counted %d, want %d", len(got), n, len(want))
	}
}

func TestSetRange(t *testing.T) {
	f := func(first, last uint, want ...uint64) {
		t.Helper()
		got := make([]uint64, 3)
		setRange(got, first, last)
		if !slices.Equal(got, want) {
			t.Errorf("%d to %d: got %x, want %x", first, last, got, want)
		}
	}
	const all = 1<<64 - 1
	f(0, 0, 1, 0, 0)
	f(3, 5, 0b111000, 0, 0)
	f(63, 64, 1<<63, 1, 0)
	f(0, 63, all, 0, 0)
	f(64, 127, 0, all, 0)
	f(1, 191, all-1, all, all)
	f(191, 191, 0, 0, 1<<63)
}
