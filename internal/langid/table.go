package langid

import "math/bits"

// A table has what the n-grams of one script say about its languages. An n-gram that
// many languages share has a row: a weight for each language. The many others speak
// for one or two languages, and have those in the slot itself.
//
// Slots stand in buckets of four, found by the upper bits of a hash. That makes a
// lookup one line of memory, whatever the hash.
type table struct {
	languages []string // "" for those that are not among Codes
	bias      []int32  // of each language
	shift     int      // of a hash, to get its bucket
	slots     []slot
	width     int      // of a row, in words of eight weights
	rows      []uint64 // weights are bytes, 128 more than they mean
}

// A slot is, from the upper bits down: 10 bits of the hash, that tell n-grams of a bucket
// apart; 6 bits for a language, or isRow; then 16 bits for the row, or 5 bits weight,
// 6 bits for a second language, 5 bits its weight. 0 is an empty slot.
type slot uint32

const (
	bucketSize  = 4
	tagBits     = 10
	isRow       = 63 // in place of a language
	maxClasses  = 48 // of a table
	maxWidth    = maxClasses / 8
	rowZero     = 128 // the byte of a weight of 0
	slotUnit    = 2   // a weight in a slot is so many of a row
	maxInSlot   = 31
	unitsPerNat = 16               // of weights, in natural logarithms
	certain     = 12 * unitsPerNat // a lead that the rest of a text does not take back
	maxRows     = 255              // that lanes have room for
	enough      = 128              // n-grams that make certain
)

// sums are what the n-grams so far say. Rows are added eight weights at a time, in
// lanes of 16 bits: bytes of even and of odd places apart.
type sums struct {
	total [64]int32 // as many as a slot can name
	lanes [2 * maxWidth]uint64
	rows  int // in lanes
	seen  int // n-grams
}

const everyOther = 0x00FF00FF00FF00FF

// sum adds up what the n-grams of a text say. Words are taken in turns, a quarter of them
// from all over the text at a time, so that a text that begins in another language does
// not mislead; after a turn that has seen enough, a language that is certain ends it.
func (b *table) sum(s *sums, t *reading, longest int) {
	var space [maxGrams]gram
	copy(s.total[:], b.bias)
	for _, turn := range [...]int{0, 2, 1, 3} {
		word := 0
		for start := 0; start < t.n-1; word++ {
			if word%4 != turn {
				start = t.nextGap(start)
				continue
			}
			var grams []gram
			grams, start = t.grams(&space, start, longest)
			for _, g := range grams {
				b.add(s, g)
			}
			s.seen += len(grams)
		}
		b.flush(s)
		if s.seen >= enough && s.lead(len(b.languages)) >= certain {
			return
		}
	}
}

func (b *table) add(s *sums, g gram) {
	at, tag := b.place(g)
	bucket := b.slots[at : at+bucketSize : at+bucketSize]
	for _, e := range bucket {
		if e>>(32-tagBits) != tag || e == 0 {
			continue
		}
		if first := e >> 16 & 63; first == isRow {
			b.addRow(s, int(e&0xFFFF))
		} else {
			s.total[first] += int32(e>>11&31) * slotUnit
			s.total[e>>5&63] += int32(e&31) * slotUnit
		}
		return
	}
}

// place returns where the bucket of an n-gram starts, and what tells it from others there.
func (b *table) place(g gram) (at int, tag slot) {
	return int(g>>b.shift) * bucketSize, slot(g << (32 - b.shift) >> (32 - tagBits))
}

// addRow adds a row to the lanes.
func (b *table) addRow(s *sums, row int) {
	if s.rows == maxRows {
		b.flush(s)
	}
	s.rows++
	if b.width == 1 {
		s.addWord(0, b.rows[row])
		return
	}
	words := b.rows[row*b.width : (row+1)*b.width]
	if len(words) == maxWidth { // most posts are in Latin letters: no loop for them
		s.addWord(0, words[0])
		s.addWord(1, words[1])
		s.addWord(2, words[2])
		s.addWord(3, words[3])
		s.addWord(4, words[4])
		s.addWord(5, words[5])
		return
	}
	for i, w := range words {
		s.addWord(i, w)
	}
}

func (s *sums) addWord(i int, w uint64) {
	s.lanes[2*i] += w & everyOther
	s.lanes[2*i+1] += w >> 8 & everyOther
}

// flush moves the lanes into the totals before they overflow. All weights being 128 too
// large does not matter: it is the same for all languages.
func (b *table) flush(s *sums) {
	for i := range b.width {
		even, odd := s.lanes[2*i], s.lanes[2*i+1]
		for j := range 4 {
			s.total[8*i+2*j] += int32(even >> (16 * j) & 0xFFFF)
			s.total[8*i+2*j+1] += int32(odd >> (16 * j) & 0xFFFF)
		}
	}
	clear(s.lanes[:2*b.width])
	s.rows = 0
}

// lead returns how far the best language is ahead of the next.
func (s *sums) lead(languages int) int32 {
	var first, second int32 = -1 << 31, -1 << 31
	for _, v := range s.total[:languages] {
		if v > first {
			first, second = v, first
		} else if v > second {
			second = v
		}
	}
	return first - second
}

// shiftFor returns the shift for a number of buckets, which is a power of two.
func shiftFor(buckets int) int { return 33 - bits.Len32(uint32(buckets)) }
