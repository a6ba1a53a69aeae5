package colfile

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"
)

func openSets(t *testing.T, rows int, sets map[uint64][]uint32) *Sets {
	t.Helper()
	path := write(t, Options{Rows: rows}, func(w *Writer) error { return w.Sets("s", keyed(sets)) })
	return must[*Sets](t)(reopen(t, path).Sets("s"))
}

// checkSets compares sets with a map.
func checkSets(t *testing.T, s *Sets, rows uint32, want map[uint64][]uint32) {
	t.Helper()
	keys := slices.Sorted(maps.Keys(want))
	if got := slices.Collect(s.Keys()); !slices.Equal(got, keys) || s.Len() != len(keys) {
		t.Fatalf("got %d keys %v, want %v", s.Len(), got, keys)
	}
	for _, key := range keys {
		checkSet(t, s, key, rows, want[key])
	}
	missing := uint64(0)
	for ; want[missing] != nil; missing++ {
	}
	if _, empty := want[missing]; !empty {
		checkSet(t, s, missing, rows, nil)
	}
	checkSet(t, s, 1<<40, rows, nil)
}

func checkSet(t *testing.T, s *Sets, key uint64, limit uint32, want []uint32) {
	t.Helper()
	if got := s.Append(nil, key); !slices.Equal(got, want) {
		t.Fatalf("key %d: Append: got %d rows, want %d", key, len(got), len(want))
	}
	if got := slices.Collect(s.Rows(key)); !slices.Equal(got, want) {
		t.Fatalf("key %d: Rows: got %d rows, want %d", key, len(got), len(want))
	}
	if got := s.Cardinality(key); got != len(want) {
		t.Fatalf("key %d: Cardinality: got %d, want %d", key, got, len(want))
	}
	bitmap := s.Bitmap(key)
	if got := bitmap.ToArray(); !slices.Equal(got, want) {
		t.Fatalf("key %d: Bitmap: got %d rows, want %d", key, len(got), len(want))
	}
	if err := bitmap.Validate(); len(want) > 0 && err != nil {
		t.Fatalf("key %d: Bitmap: %v", key, err)
	}
	for _, row := range probes(want, limit) {
		if got, want := s.Contains(key, row), bitmap.Contains(row); got != want {
			t.Fatalf("key %d: Contains(%d): got %t, want %t", key, row, got, want)
		}
	}
	n := 0
	for range s.Rows(key) {
		if n++; n == 3 {
			break // iteration may stop early
		}
	}
}

// probes returns rows at and next to some of those in a set, and at both ends.
func probes(rows []uint32, limit uint32) []uint32 {
	all := []uint32{0, limit - 1, limit, 1<<32 - 1}
	for i := 0; i < len(rows); i += 1 + len(rows)/200 {
		all = append(all, rows[i]-1, rows[i], rows[i]+1)
	}
	return all
}

func TestSets(t *testing.T) {
	every := func(step, from, to uint32) (rows []uint32) {
		for row := from; row < to; row += step {
			rows = append(rows, row)
		}
		return rows
	}
	tests := []struct {
		name string
		rows int
		sets map[uint64][]uint32
	}{
		{"no rows and no keys", 0, nil},
		{"no rows and an empty set", 0, map[uint64][]uint32{0: {}}},
		{"one row", 1, map[uint64][]uint32{0: {0}}},
		{"small sets with consecutive keys", 1 << 30, map[uint64][]uint32{0: {0}, 1: {}, 2: {5, 6, 1 << 20, 1<<30 - 1}, 3: {1<<30 - 1}}},
		{"small sets with arbitrary keys", 100, map[uint64][]uint32{7: {99}, 9: {}, 1 << 63: {0, 1}, 1<<64 - 1: {3}}},
		{"key 0 is missing", 100, map[uint64][]uint32{1: {5}}},
		{"consecutive keys with a late gap", 100, map[uint64][]uint32{0: {1}, 1: {2}, 2: {3}, 4: {4}}},
		{"the largest small set and the smallest large one", 100_000, map[uint64][]uint32{0: every(300, 0, 256*300), 1: every(300, 0, 257*300)}},
		{"arrays", 300_000, map[uint64][]uint32{0: every(100, 0, 300_000), 1: every(64, 131_072, 200_000)}},
		{"bitsets", 300_000, map[uint64][]uint32{0: every(3, 0, 300_000), 1: every(2, 1, 70_000)}},
		{"runs", 300_000, map[uint64][]uint32{0: between(0, 300_000), 1: append(between(10, 70_000), between(200_000, 299_999)...), 2: between(65_536, 131_072)}},
		{"runs in four containers, which have offsets", 300_000, map[uint64][]uint32{0: append(between(0, 200_000), every(9, 200_003, 300_000)...)}},
		{"the last possible row", maxRows, map[uint64][]uint32{0: {maxRows - 1}, 1: append(every(1_000_000, 3, maxRows-1_000_000), maxRows-1)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkSets(t, openSets(t, tt.rows, tt.sets), uint32(tt.rows), tt.sets)
		})
	}
}

// randomSet returns ascending rows below limit, few or many, single or in runs.
func randomSet(rng *rand.Rand, limit uint32) []uint32 {
	var rows []uint32
	step := uint32(1) << rng.IntN(18)
	run := 1 + rng.Uint32N(1<<rng.IntN(14))
	for row := rng.Uint32N(step) % limit; row < limit; row += 1 + rng.Uint32N(step) {
		for range run {
			if row < limit {
				rows = append(rows, row)
				row++
			}
		}
	}
	return rows
}

func randomSets(rng *rand.Rand, limit uint32) map[uint64][]uint32 {
	sets := map[uint64][]uint32{}
	numberedKeys := rng.IntN(2) == 0
	for i := range uint64(rng.IntN(70)) {
		key := i
		if !numberedKeys {
			key = rng.Uint64N(1000)
		}
		sets[key] = randomSet(rng, limit)
		if rng.IntN(3) > 0 {
			sets[key] = sets[key][:min(len(sets[key]), rng.IntN(5))]
		}
	}
	return sets
}

func TestRandomSets(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for range 15 {
		limit := 1 + rng.Uint32N(1<<(4+rng.IntN(15)))
		sets := randomSets(rng, limit)
		checkSets(t, openSets(t, int(limit), sets), limit, sets)
	}
}

func TestOr(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	for range 25 {
		limit := 1 + rng.Uint32N(1<<(4+rng.IntN(15)))
		sets := randomSets(rng, limit)
		s := openSets(t, int(limit), sets)
		into, want := roaring.New(), roaring.New()
		if rng.IntN(2) == 0 {
			there := randomSet(rng, limit)
			into.AddMany(there)
			want.AddMany(there)
		}
		var keys []uint64
		for key, rows := range sets {
			if rng.IntN(2) == 0 {
				keys = append(keys, key)
				want.AddMany(rows)
			}
		}
		keys = append(keys, 1<<40) // missing
		for range 2 {              // the second call adds nothing
			s.Or(slices.Values(keys), into)
			if !into.Equals(want) {
				t.Fatalf("got %d rows, want %d", into.GetCardinality(), want.GetCardinality())
			}
		}
	}
}

func TestOrSparse(t *testing.T) {
	sets := map[uint64][]uint32{0: {5, 900_000}, 1: {1, 5, 70_000}, 2: {999_999}}
	s := openSets(t, 1_000_000, sets)
	into := roaring.New()
	s.Or(s.Keys(), into)
	if got, want := into.ToArray(), []uint32{1, 5, 70_000, 900_000, 999_999}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// The result of Or is used after the file is closed. If it referred to memory of the file, the
// process would crash here.
func TestOrCopiesMemory(t *testing.T) {
	sets := map[uint64][]uint32{0: between(0, 100_000), 1: between(150_000, 150_300)}
	path := write(t, Options{Rows: 200_000}, func(w *Writer) error { return w.Sets("s", keyed(sets)) })
	f := must[*File](t)(Open(path))
	s := must[*Sets](t)(f.Sets("s"))
	into := roaring.New()
	s.Or(s.Keys(), into)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if got := into.ToArray(); len(got) != 100_300 {
		t.Errorf("got %d rows, want 100300", len(got))
	}
}

func TestBitmapIsModifiable(t *testing.T) {
	s := openSets(t, 100_000, map[uint64][]uint32{0: between(0, 90_000), 1: {3}})
	for key := range s.Keys() {
		b := s.Bitmap(key)
		b.Add(99_999)
		b.Remove(3)
		if s.Contains(key, 99_999) || !s.Contains(key, 3) {
			t.Errorf("key %d: the file was modified", key)
		}
	}
}
