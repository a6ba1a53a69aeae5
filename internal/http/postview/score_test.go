package postview

import (
	"math/rand/v2"
	"testing"
)

func TestRoundedSharesAddUpToOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		shares, sum := make([]float32, 2+r.IntN(49)), float32(0)
		for i := range shares {
			shares[i] = r.Float32() * r.Float32()
			sum += shares[i]
		}
		for i := range shares {
			shares[i] /= sum
		}
		hundredths := 0
		for i, got := range roundShares(shares) {
			hundredths += int(got*100 + 0.5)
			if off := got - float64(shares[i]); off > 0.01 || off < -0.01 {
				t.Fatalf("%v became %v", shares[i], got)
			}
		}
		if hundredths != 100 {
			t.Fatalf("%v add up to %d hundredths, want 100", shares, hundredths)
		}
	}
}
