package detect

import "math"

// negativeBinomialTail returns P(X >= x) of a negative binomial distribution with the given mean and
// a variance of dispersion·mean. A dispersion of 1 is the Poisson distribution. x may be between
// integers, where the tail is interpolated smoothly.
func negativeBinomialTail(x, mean, dispersion float64) float64 {
	switch {
	case x <= 0:
		return 1
	case mean <= 0:
		return 0
	case dispersion < 1+1e-6:
		return gammaLower(x, mean)
	}
	return betaIncomplete((dispersion-1)/dispersion, x, mean/(dispersion-1))
}

// negativeBinomialMass returns P(X = x) of the same distribution.
func negativeBinomialMass(x, mean, dispersion float64) float64 {
	if dispersion < 1+1e-6 {
		return math.Exp(x*math.Log(mean) - mean - lgamma(x+1))
	}
	r := mean / (dispersion - 1)
	return math.Exp(lgamma(x+r) - lgamma(r) - lgamma(x+1) + x*math.Log1p(-1/dispersion) - r*math.Log(dispersion))
}

// negativeBinomialQuantile returns the smallest integer x with P(X <= x) >= p.
func negativeBinomialQuantile(p, mean, dispersion float64) float64 {
	if mean <= 0 || p <= 0 {
		return 0
	}
	// P(X <= x) >= p means P(X >= x+1) <= 1-p.
	high := math.Ceil(mean + 3*math.Sqrt(dispersion*mean) + 3*dispersion)
	for negativeBinomialTail(high+1, mean, dispersion) > 1-p {
		high *= 2
	}
	low := -1.0 // too small
	for high-low > 1 {
		middle := math.Floor((low + high) / 2)
		if negativeBinomialTail(middle+1, mean, dispersion) > 1-p {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// betaBinomialTail returns P(K >= k) of a beta-binomial distribution: n trials whose probability has
// a beta distribution with parameters a and b.
func betaBinomialTail(k, n, a, b float64) float64 {
	k = math.Ceil(k)
	if k <= 0 {
		return 1
	}
	if k > n {
		return 0
	}
	mean := n * a / (a + b)
	if k <= mean { // sum the shorter and smaller side
		return 1 - betaBinomialSum(n-k+1, n, b, a)
	}
	return betaBinomialSum(k, n, a, b)
}

// betaBinomialSum sums the masses from k up.
func betaBinomialSum(k, n, a, b float64) float64 {
	mass := betaBinomialMass(k, n, a, b)
	sum := 0.0
	for ; k <= n; k++ {
		sum += mass
		if mass < sum*1e-12 {
			break
		}
		mass *= betaBinomialRatio(k, n, a, b)
	}
	return min(sum, 1)
}

// betaBinomialMass returns P(K = k).
func betaBinomialMass(k, n, a, b float64) float64 {
	return math.Exp(lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1) +
		lgamma(k+a) + lgamma(n-k+b) - lgamma(n+a+b) + lgamma(a+b) - lgamma(a) - lgamma(b))
}

// betaBinomialRatio returns P(K = k+1)/P(K = k).
func betaBinomialRatio(k, n, a, b float64) float64 {
	return (n - k) / (k + 1) * (k + a) / (n - k - 1 + b)
}

// gammaLower returns the regularized lower incomplete gamma function P(a, x).
func gammaLower(a, x float64) float64 {
	if x <= 0 {
		return 0
	}
	front := math.Exp(a*math.Log(x) - x - lgamma(a))
	if x < a+1 {
		term := 1 / a
		sum := term
		for n := 1.0; n < maxTerms && term > sum*1e-15; n++ {
			term *= x / (a + n)
			sum += term
		}
		return front * sum
	}
	// Continued fraction of the upper function, by Lentz's method.
	b := x + 1 - a
	c, d := 1/tiny, 1/b
	h := d
	for n := 1.0; n < maxTerms; n++ {
		an := -n * (n - a)
		b += 2
		d = 1 / nonzero(an*d+b)
		c = nonzero(b + an/c)
		h *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return 1 - front*h
}

// betaIncomplete returns the regularized incomplete beta function I_x(a, b).
func betaIncomplete(x, a, b float64) float64 {
	front := math.Exp(lgamma(a+b) - lgamma(a) - lgamma(b) + a*math.Log(x) + b*math.Log1p(-x))
	if x < (a+1)/(a+b+2) {
		return front * betaFraction(x, a, b) / a
	}
	return 1 - front*betaFraction(1-x, b, a)/b
}

// betaFraction evaluates the continued fraction of the incomplete beta function by Lentz's method.
func betaFraction(x, a, b float64) float64 {
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1))
	h := d
	for m := 1.0; m < maxTerms; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / nonzero(1+even*d)
		c = nonzero(1 + even/c)
		h *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / nonzero(1+odd*d)
		c = nonzero(1 + odd/c)
		h *= d * c
		if math.Abs(d*c-1) < 1e-14 {
			break
		}
	}
	return h
}

const (
	maxTerms = 10_000 // of series and fractions; counts of a million posts need about a thousand
	tiny     = 1e-300
)

func nonzero(x float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}

func lgamma(x float64) float64 {
	y, _ := math.Lgamma(x)
	return y
}
