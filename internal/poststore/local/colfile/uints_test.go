package colfile

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

func TestUints(t *testing.T) {
	tests := []struct {
		name   string
		values []uint64
		width  int
		base   uint64
	}{
		{"no rows", nil, 1, 0},
		{"one row", []uint64{0}, 1, 0},
		{"largest one-byte number", []uint64{0, 255}, 1, 0},
		{"one more than one byte", []uint64{0, 256}, 2, 0},
		{"largest two-byte number", []uint64{0, 65_535}, 2, 0},
		{"one more than two bytes", []uint64{0, 65_536}, 4, 0},
		{"largest four-byte number", []uint64{0, math.MaxUint32}, 4, 0},
		{"one more than four bytes", []uint64{0, math.MaxUint32 + 1}, 8, 0},
		{"largest number", []uint64{0, math.MaxUint64}, 8, 0},
		{"close large numbers take one byte with a base", []uint64{1_700_000_255, 1_700_000_000}, 1, 1_700_000_000},
		{"a base that saves nothing is omitted", []uint64{10, 200}, 1, 0},
		{"equal large numbers", []uint64{math.MaxUint64, math.MaxUint64}, 1, math.MaxUint64},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := write(t, Options{Rows: len(tt.values)}, func(w *Writer) error {
				return w.Uints("n", slices.Values(tt.values))
			})
			u := must[*Uints](t)(reopen(t, path).Uints("n"))
			checkUints(t, u, tt.values)
			if u.width != tt.width || u.Base() != tt.base {
				t.Errorf("got width %d and base %d, want %d and %d", u.width, u.Base(), tt.width, tt.base)
			}
		})
	}
}

// checkUints compares a column with a slice.
func checkUints(t *testing.T, u *Uints, want []uint64) {
	t.Helper()
	for row, v := range want {
		if got := u.At(uint32(row)); got != v {
			t.Fatalf("row %d: got %d, want %d", row, got, v)
		}
	}
	var got []uint64
	u.Visit(
		func(v []uint8) { got = widen(v, u.Base()) },
		func(v []uint16) { got = widen(v, u.Base()) },
		func(v []uint32) { got = widen(v, u.Base()) },
		func(v []uint64) { got = widen(v, u.Base()) })
	if !slices.Equal(got, want) {
		t.Errorf("Visit: got %v, want %v", got, want)
	}
	lo, hi := uint64(0), uint64(0)
	if len(want) > 0 {
		lo, hi = slices.Min(want), slices.Max(want)
	}
	if u.Min() != lo || u.Max() != hi {
		t.Errorf("got %d to %d, want %d to %d", u.Min(), u.Max(), lo, hi)
	}
}

func widen[T uint8 | uint16 | uint32 | uint64](s []T, base uint64) []uint64 {
	var wide []uint64
	for _, v := range s {
		wide = append(wide, base+uint64(v))
	}
	return wide
}

func TestRandomUints(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 50 {
		values := make([]uint64, rng.IntN(3000))
		shift, base := rng.IntN(64), rng.Uint64()>>rng.IntN(64)
		for i := range values {
			values[i] = base + rng.Uint64()>>shift // may wrap around, which is fine
		}
		path := write(t, Options{Rows: len(values)}, func(w *Writer) error {
			return w.Uints("n", slices.Values(values))
		})
		checkUints(t, must[*Uints](t)(reopen(t, path).Uints("n")), values)
	}
}

func TestValues(t *testing.T) {
	type id uint16
	got := slices.Collect(Values([]id{3, 65_535, 0}))
	if want := []uint64{3, 65_535, 0}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
