package colfile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func openLists(t *testing.T, limit int, lists [][]uint32) *Lists {
	t.Helper()
	path := write(t, Options{Rows: len(lists)}, func(w *Writer) error {
		return w.Lists("l", limit, slices.Values(lists))
	})
	return must[*Lists](t)(reopen(t, path).Lists("l"))
}

// checkLists compares a column of lists with a slice.
func checkLists(t *testing.T, l *Lists, limit int, want [][]uint32) {
	t.Helper()
	total := 0
	for row, list := range want {
		got := l.Append([]uint32{42}, uint32(row))
		if !slices.Equal(got[1:], list) || got[0] != 42 {
			t.Fatalf("row %d: got %v, want 42 and %v", row, got, list)
		}
		if n := l.Len(uint32(row)); n != len(list) {
			t.Fatalf("row %d: got length %d, want %d", row, n, len(list))
		}
		total += len(list)
	}
	checkListReader(t, l.Reader(), want)
	if l.Total() != total || l.Limit() != limit {
		t.Errorf("got %d numbers below %d, want %d below %d", l.Total(), l.Limit(), total, limit)
	}
}

func checkListReader(t *testing.T, reader *ListReader, want [][]uint32) {
	t.Helper()
	for i := range 4 * len(want) { // in order, then at random
		row := i
		if i >= len(want) {
			row = i * 7919 / (1 + i%3) % len(want)
		}
		if got := reader.Append(nil, uint32(row)); !slices.Equal(got, want[row]) {
			t.Fatalf("row %d of a reader: got %v, want %v", row, got, want[row])
		}
		switch one, two, n := reader.Pair(uint32(row)); {
		case n != len(want[row]) && n != 3, n == 3 && len(want[row]) == 0:
			t.Fatalf("row %d of a reader: got %d numbers, want those of %v", row, n, want[row])
		case n == 1 || n == 2:
			if got := []uint32{one, two}[:n]; !slices.Equal(got, want[row]) {
				t.Fatalf("row %d of a reader: got %v, want %v", row, got, want[row])
			}
		}
	}
}

func TestLists(t *testing.T) {
	tests := []struct {
		name  string
		limit int
		lists [][]uint32
	}{
		{"no rows", 0, nil},
		{"one empty list", 0, [][]uint32{nil}},
		{"order and duplicates are preserved", 10, [][]uint32{{9, 0, 9, 3}, nil, {3}}},
		{"exactly one block", 100, slices.Repeat([][]uint32{{99, 1}}, 32)},
		{"one more than a block", 100, slices.Repeat([][]uint32{{99, 1}}, 33)},
		{"lists of more than 255 bytes among short ones", 70_000, [][]uint32{{1}, between(0, 300), {2}, between(1000, 1001)}},
		{"lists of more than 65,535 bytes among short ones", 200_000, [][]uint32{{1}, between(0, 40_000), {2}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			checkLists(t, openLists(t, tt.limit, tt.lists), tt.limit, tt.lists)
		})
	}
}

func TestRandomLists(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	for range 40 {
		limit := 1 << rng.IntN(21)
		frequency := rand.NewZipf(rng, 1.05+rng.Float64(), 3, uint64(limit-1))
		lists := make([][]uint32, rng.IntN(500))
		for row := range lists {
			for range rng.IntN(20) {
				// Spread the numbers, like words that are numbered in alphabetical order.
				lists[row] = append(lists[row], uint32(frequency.Uint64()*7919%uint64(limit)))
			}
		}
		checkLists(t, openLists(t, limit, lists), limit, lists)
	}
}

func TestFrequentNumbersTakeLessSpace(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	frequency := rand.NewZipf(rng, 1.3, 4, 299_999)
	lists := make([][]uint32, 20_000)
	for row := range lists {
		for range 15 {
			lists[row] = append(lists[row], uint32(frequency.Uint64()*7919%300_000))
		}
	}
	l := openLists(t, 300_000, lists)
	perNumber := float64(len(l.records.stream)+4*len(l.frequent)+8*len(l.records.offsets)) / float64(l.Total())
	if perNumber > 2 {
		t.Errorf("got %.2f bytes per number, want at most 2", perNumber)
	}
	checkLists(t, l, 300_000, lists)
}

func TestListsOfLargestNumbers(t *testing.T) {
	// Writer.Lists would allocate memory for each number below the limit, so the section is written
	// directly.
	path := write(t, Options{Rows: 1}, func(w *Writer) error {
		return w.section("l", KindLists, func(e *entry, s *sink) error {
			e.count, e.param[listsLimit], e.param[listsTotal] = 1, maxListLimit, 1
			c := listCode{frequent: []uint32{math.MaxUint32}}
			out := recordWriter{s: s}
			out.add([]byte{0x80, 0x80, 0x80, 0x80, 0x10}) // the code 1<<32
			out.flush()
			e.param[listsStream], e.param[listsFrequent] = s.n, uint64(len(c.frequent))
			s.pad()
			s.Write([]byte{0xff, 0xff, 0xff, 0xff})
			s.pad()
			s.uint64s(out.offsets)
			return s.err
		})
	})
	l := must[*Lists](t)(reopen(t, path).Lists("l"))
	if got, want := l.Append(nil, 0), []uint32{math.MaxUint32}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
