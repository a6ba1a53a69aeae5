package query

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestPositions compares set operations with a simple implementation per position.
func TestPositions(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		size := 1 + r.IntN(4)
		n := r.IntN(64*size + 70)
		a, b := randomPositions(r, size), randomPositions(r, size)
		check := func(name string, change func(positions), want func(i int) bool) {
			t.Helper()
			got, expected := append(positions(nil), a...), make(positions, size)
			change(got)
			for i := range 64 * size {
				if want(i) {
					expected.add(i)
				}
			}
			if !reflect.DeepEqual(got, expected) {
				t.Fatalf("%s by %d of %b and %b: got %b, want %b", name, n, a, b, got, expected)
			}
		}
		in := func(p positions, i int) bool { return i >= 0 && i < 64*size && p.has(i) }
		any := func(p positions, from, to int) bool {
			for i := max(from, 0); i <= min(to, 64*size-1); i++ {
				if p.has(i) {
					return true
				}
			}
			return false
		}
		check("and", func(p positions) { p.and(b) }, func(i int) bool { return in(a, i) && in(b, i) })
		check("or", func(p positions) { p.or(b) }, func(i int) bool { return in(a, i) || in(b, i) })
		check("orForward", func(p positions) { p.orForward(b, n) }, func(i int) bool { return in(a, i) || in(b, i-n) })
		check("orBack", func(p positions) { p.orBack(b, n) }, func(i int) bool { return in(a, i) || in(b, i+n) })
		check("andBack", func(p positions) { p.andBack(b, n) }, func(i int) bool { return in(a, i) && in(b, i+n) })
		check("spreadForward", func(p positions) { p.spreadForward(n) }, func(i int) bool { return any(a, i-n, i) })
		check("spreadBack", func(p positions) { p.spreadBack(n) }, func(i int) bool { return any(a, i, i+n) })
	}
}

// randomPositions returns a set with few positions, so that many words are empty.
func randomPositions(r *rand.Rand, size int) positions {
	p := make(positions, size)
	for range r.IntN(2 + 4*size) {
		p.add(r.IntN(64 * size))
	}
	return p
}
