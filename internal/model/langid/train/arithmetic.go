package train

import "math"

// exp and ln are here, and products are converted before they are added, because the
// processor decides how math.Exp is computed and whether a product and a sum are
// rounded once or twice. The models must not depend on it.

// exp returns e to the power of x, for x of 0 or less, to about nine digits.
func exp(x float64) float64 {
	if x < -700 {
		return 0
	}
	n := math.Floor(float64(x*math.Log2E) + 0.5)
	rest := x - float64(n*math.Ln2)
	sum, term := 1.0, 1.0
	for i := 1.0; i < 12; i++ {
		term = float64(term * rest / i)
		sum += term
	}
	return math.Ldexp(sum, int(n))
}

// ln returns the natural logarithm of x, for x above 0.
func ln(x float64) float64 {
	fraction, exponent := math.Frexp(x)
	t := (fraction - math.Sqrt2/2) / (fraction + math.Sqrt2/2)
	square := float64(t * t)
	sum, power := 0.0, t
	for i := 1.0; i < 24; i += 2 {
		sum += float64(power / i)
		power = float64(power * square)
	}
	return float64(2*sum) + float64((float64(exponent)-0.5)*math.Ln2)
}
