package langid

import "math/bits"

// A table has the weights of the n-grams of one script. An n-gram that many languages share has a
// row: a weight for each language. The many others vote for one or two languages, which are in the
// slot itself.
//
// Slots stand in buckets of four, found by the upper bits of a hash. That makes a
// lookup one line of memory, whatever the hash.
type table struct {
	languages []string // "" for those that are not among Codes
	bias      []int32  // of each language
	shift     uint32   // of a hash, to get its bucket
	buckets   []bucket
	width     int    // of a row, in words of eight weights
	rows      []byte // a weight each, 128 more than it means
}

// A slot is, from the upper bits down: 10 bits of the hash, that tell n-grams of a bucket
// apart; 6 bits for a language, or isRow; then 16 bits for the row, or 5 bits weight,
// 6 bits for a second language, 5 bits its weight. 0 is an empty slot.
type slot uint32

// A bucket has slots that differ in their tags.
type bucket [bucketSize]slot

const (
	bucketSize       = 4
	tagBits          = 10
	isRow            = 63  // in place of a language
	maxClasses       = 48  // of a table
	rowZero          = 128 // the byte of a weight of 0
	slotUnit         = 2   // a weight in a slot is so many of a row
	maxSlotWeight    = 31
	unitsPerNat      = 16               // of weights, in natural logarithms
	certainMargin    = 12 * unitsPerNat // a margin that the rest of a text does not reverse
	minCertainNGrams = 64               // n-grams before stopping early
)

// shiftFor returns the shift for a number of buckets, which is a power of two, at least 2.
func shiftFor(buckets int) uint32 { return 33 - uint32(bits.Len32(uint32(buckets))) }

// locate returns the bucket and tag of an n-gram.
func (b *table) locate(g ngram) (at ngram, tag slot) {
	return g >> b.shift, slot(g << (32 - b.shift) >> (32 - tagBits))
}
