package detect

import (
	"math"
	"testing"
)

// exactTail sums the masses of a negative binomial distribution from the definition: the mixture of
// Poisson distributions has P(k+1)/P(k) = q·(k+r)/(k+1).
func exactTail(x int, mean, dispersion float64) float64 {
	below := 0.0
	if dispersion == 1 {
		mass := math.Exp(-mean)
		for k := range x {
			below += mass
			mass *= mean / float64(k+1)
		}
		return 1 - below
	}
	r, q := mean/(dispersion-1), 1-1/dispersion
	mass := math.Pow(1-q, r)
	for k := range x {
		below += mass
		mass *= q * (float64(k) + r) / float64(k+1)
	}
	return 1 - below
}

func TestNegativeBinomialTail(t *testing.T) {
	for _, mean := range []float64{0.01, 0.3, 1, 5, 17.5, 120} {
		for _, dispersion := range []float64{1, 1.2, 2, 8} {
			for _, x := range []int{0, 1, 2, 5, 10, 20, 50, 130} {
				got, want := negativeBinomialTail(float64(x), mean, dispersion), exactTail(x, mean, dispersion)
				if math.Abs(got-want) > 1e-11 {
					t.Errorf("mean %v, dispersion %v: P(X >= %d) = %g, want %g", mean, dispersion, x, got, want)
				}
			}
		}
	}
}

// Values far out in the tail, where summing from below loses all digits, computed with 50 digits.
func TestNegativeBinomialFarTail(t *testing.T) {
	f := func(x, mean, dispersion, want float64) {
		t.Helper()
		if got := negativeBinomialTail(x, mean, dispersion); math.Abs(got/want-1) > 1e-9 {
			t.Errorf("P(X >= %v | %v, %v) = %g, want %g", x, mean, dispersion, got, want)
		}
	}
	f(25, 5, 1, 1.5995863984870060e-10)
	f(60, 5, 2, 3.6815223179026413e-14)
	f(200, 50, 2, 3.9302918090574181e-23)
	f(750, 500, 8, 2.3656710346668900e-4)
	f(18000, 12000, 8, 6.3834151198541464e-65)
}

func TestNegativeBinomialMass(t *testing.T) {
	for _, dispersion := range []float64{1, 1.5, 8} {
		for x := range 30 {
			got := negativeBinomialMass(float64(x), 6, dispersion)
			want := exactTail(x, 6, dispersion) - exactTail(x+1, 6, dispersion)
			if math.Abs(got-want) > 1e-12 {
				t.Errorf("dispersion %v: P(X = %d) = %g, want %g", dispersion, x, got, want)
			}
		}
	}
}

func TestNegativeBinomialQuantile(t *testing.T) {
	for _, mean := range []float64{0, 0.2, 5, 300} {
		for _, p := range []float64{0, 0.005, 0.5, 0.995, 0.999999} {
			q := negativeBinomialQuantile(p, mean, 2)
			if mean == 0 && q != 0 {
				t.Errorf("quantile %v of nothing is %v", p, q)
			}
			if mean > 0 && p > 0 && (1-negativeBinomialTail(q+1, mean, 2) < p-1e-12 || q > 0 && 1-negativeBinomialTail(q, mean, 2) >= p) {
				t.Errorf("mean %v: quantile %v = %v is not the smallest", mean, p, q)
			}
		}
	}
}

func TestBetaBinomialTail(t *testing.T) {
	// With a = b = 1, every number of posts is as likely as any other.
	for k := range 12 {
		if got, want := betaBinomialTail(float64(k), 10, 1, 1), (11-float64(k))/11; math.Abs(got-want) > 1e-12 {
			t.Errorf("P(K >= %d) = %g, want %g", k, got, want)
		}
	}
	// With a large precision, it is the binomial distribution: P(K >= 8 | 10, 1/2) = 56/1024.
	if got, want := betaBinomialTail(8, 10, 5e8, 5e8), 56.0/1024; math.Abs(got-want) > 1e-6 {
		t.Errorf("P(K >= 8) = %g, want %g", got, want)
	}
	for k := 0.0; k < 40; k++ {
		if betaBinomialTail(k+1, 40, 2.5, 7) > betaBinomialTail(k, 40, 2.5, 7) {
			t.Errorf("the tail rises after %v", k)
		}
	}
}
