package bench

import "math/bits"

// A rng is a stream of random numbers that is as cheap to start as to go on with:
// every post has its own, so that each can be made without those before it.
type rng uint64

// newRNG returns the generator of the i-th thing of a kind.
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

// skewed is below with small numbers the likelier, as names and places are in life:
// half of what it returns is less than an eighth of n.
func (d *rng) skewed(n int) int {
	u := d.unit()
	return int(u * u * u * float64(n))
}

// chance is true in so many of a hundred cases.
func (d *rng) chance(percent int) bool { return d.below(100) < percent }

// unit returns a number from 0 up to but not including 1.
func (d *rng) unit() float64 { return float64(d.next()>>11) / (1 << 53) }

// mix is the last step of SplitMix64: one-to-one, and each bit of the outcome depends
// on all of x.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}
