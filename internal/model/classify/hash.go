package classify

// FNV-1a, 64 bits. It takes one letter after another, so the hash of every part of a
// word that begins at one place is had by the way.
const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * hashPrime }

// Hash returns the hash that a token with this normalised form has.
func Hash(form string) uint64 {
	h := uint64(hashSeed)
	for i := range len(form) {
		h = hashByte(h, form[i])
	}
	return h
}

// Mix returns the hash of the features a and b standing together, in this order.
func Mix(a, b uint64) uint64 {
	h := (a ^ a>>29) * 0xbf58476d1ce4e5b9
	h ^= b
	h = (h ^ h>>32) * 0x94d049bb133111eb
	return h ^ h>>29
}
