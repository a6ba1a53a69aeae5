package bench

import "math/bits"

// An rng is a random number generator that is cheap to create. Each post has its own, so that it
// can be generated independently of the others.
type rng uint64

// newRNG returns the generator for item i of a kind.
func newRNG(seed, kind uint64, i int) rng { return rng(mix(seed ^ mix(kind^mix(uint64(i))))) }

func (d *rng) next() uint64 {
	*d += 0x9e3779b97f4a7c15
	return mix(uint64(*d))
}

// below returns a number from 0 to n-1. n must be positive.
func (d *rng) below(n int) int {
	high, _ := bits.Mul64(d.next(), uint64(n))
	return int(high)
}

// skewed is below with smaller numbers more likely, like the frequencies of names and places: half
// of its results are less than n/8.
func (d *rng) skewed(n int) int {
	u := d.unit()
	return int(u * u * u * float64(n))
}

// chance returns true with a probability in percent.
func (d *rng) chance(percent int) bool { return d.below(100) < percent }

// unit returns a number in [0, 1).
func (d *rng) unit() float64 { return float64(d.next()>>11) / (1 << 53) }

// mix is the last step of SplitMix64. It is one-to-one, and each bit of the result depends on all
// bits of x.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
