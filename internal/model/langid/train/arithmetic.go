package train

import "math"

// exp and ln are implemented here, and products are converted before they are added, because the
// result of math.Exp and the rounding of fused multiply-add depend on the processor. The models
// must not.

// exp returns e**x for x <= 0, to about nine digits.
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

// ln returns the natural logarithm of x for x > 0.
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
