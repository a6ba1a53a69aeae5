package langid

import "math/bits"

// A table holds the weights of the n-grams of one script. An n-gram that many languages share has a
// row with a weight for each language. The many others vote for one or two languages, which are
// stored in the slot itself.
//
// Slots are grouped into buckets of four, selected by the upper bits of the hash, so that a lookup
// reads a single cache line.
type table struct {
	languages []string // "" for languages that are not in Codes
	bias      []int32  // bias of each language
	shift     uint32   // shift that maps a hash to its bucket
	buckets   []bucket
	width     int    // width of a row, in groups of eight weights
	rows      []byte // one byte per weight, offset by rowZero
}

// A slot contains, from the upper bits down: a 10-bit tag, which distinguishes the n-grams in a
// bucket; 6 bits for a language, or isRow; then either 16 bits for the row, or 5 bits for the
// weight, 6 bits for a second language and 5 bits for its weight. 0 is an empty slot.
type slot uint32

// A bucket holds slots with distinct tags.
type bucket [bucketSize]slot

const (
	bucketSize       = 4
	tagBits          = 10
	isRow            = 63  // replaces the language
	maxClasses       = 48  // maximum number of languages per table
	rowZero          = 128 // encoding of the weight 0
	slotUnit         = 2   // units of a row weight per unit of a slot weight
	maxSlotWeight    = 31
	unitsPerNat      = 16               // weight units per natural logarithm
	certainMargin    = 12 * unitsPerNat // a margin that the rest of a text does not reverse
	minCertainNGrams = 64               // minimum n-grams before stopping early
)

// shiftFor returns the shift for the given number of buckets, which must be a power of two and at
// least 2.
func shiftFor(buckets int) uint32 { return 33 - uint32(bits.Len32(uint32(buckets))) }

// locate returns the bucket and the tag of an n-gram.
func (b *table) locate(g ngram) (at ngram, tag slot) {
	return g >> b.shift, slot(g << (32 - b.shift) >> (32 - tagBits))
}
