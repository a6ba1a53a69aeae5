package colfile

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestListMatcher compares matching with reading the lists. Numbers have codes of one to three
// bytes, and rows have no, few or many numbers.
func TestListMatcher(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 9))
	const limit = 40_000
	for _, most := range []int{0, 1, 4, 300} {
		lists := make([][]uint32, 1000+rng.IntN(100))
		for row := range lists {
			for range rng.IntN(most + 1) {
				lists[row] = append(lists[row], rng.Uint32N([]uint32{5, 1000, limit}[rng.IntN(3)]))
			}
		}
		l := openLists(t, limit, lists)
		for _, some := range []int{1, 2, 9} {
			for range 20 {
				numbers := make([]uint32, some)
				for i := range numbers {
					numbers[i] = rng.Uint32N([]uint32{5, 1000, limit}[rng.IntN(3)])
				}
				checkMatcher(t, rng, l, lists, numbers)
			}
		}
		checkMatcher(t, rng, l, lists, nil)
	}
}

func checkMatcher(t *testing.T, rng *rand.Rand, l *Lists, lists [][]uint32, numbers []uint32) {
	t.Helper()
	m := l.Matcher(numbers)
	from := rng.IntN(len(lists))
	to := from + rng.IntN(len(lists)-from+1)
	words := make([]uint64, (len(lists)+63)/64)
	m.MatchRange(uint32(from), uint32(to), words)
	for row, list := range lists {
		want := slices.ContainsFunc(list, func(n uint32) bool { return slices.Contains(numbers, n) })
		if got := words[row/64]>>(row%64)&1 != 0; got != want && row >= from && row < to {
			t.Fatalf("%v of rows %d to %d: row %d is %v, want %v", numbers, from, to, row, got, want)
		}
	}
	for range 50 {
		row := rng.IntN(len(lists))
		want := slices.ContainsFunc(lists[row], func(n uint32) bool { return slices.Contains(numbers, n) })
		if got := m.Match(uint32(row)); got != want {
			t.Fatalf("%v: row %d is %v, want %v", numbers, row, got, want)
		}
	}
}
