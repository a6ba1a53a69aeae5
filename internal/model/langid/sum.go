package langid

import "encoding/binary"

// sums are what the n-grams so far say about each language.
type sums struct {
	total [64]int32 // as many as a slot can name
	seen  int       // n-grams
}

// sum adds up what the n-grams of a text say. Words are taken in turns, an eighth of them
// from all over the text at a time, so that a text that begins in another language does
// not mislead; after a turn that has seen enough, a language that is certain ends it.
func (b *table) sum(s *sums, t *reading, longest int) {
	var q queue
	copy(s.total[:], b.bias)
	gaps := t.gaps(&q.gaps)
	for _, turn := range [turns]int{0, 4, 2, 6, 1, 5, 3, 7} {
		for word := turn; word+1 < len(gaps); word += turns {
			if q.n > maxQueued {
				b.addAll(s, &q)
			}
			q.n += t.grams(q.grams[q.n:], int(gaps[word]), int(gaps[word+1]), longest)
		}
		if s.seen+q.n < enough {
			continue
		}
		b.addAll(s, &q)
		if s.lead(len(b.languages)) >= certain {
			return
		}
	}
	b.addAll(s, &q)
}

const (
	turns      = 8   // in which words are taken
	maxRows    = 255 // that lanes have room for
	everyOther = 0x00FF00FF00FF00FF
)

// maxQueued is how many n-grams wait to be looked up before the next word.
const maxQueued = 255

// A queue has n-grams that are looked up together.
type queue struct {
	gaps  [maxLetters + 1]uint16 // of the text
	grams [maxQueued + maxGrams]gram
	n     int
}

// addAll adds what is in the queue. Everything is looked up before any of it is added:
// the processor then waits for many places in memory at a time, not for one after the
// other.
func (b *table) addAll(s *sums, q *queue) {
	grams := q.grams[:q.n]
	s.seen += len(grams)
	q.n = 0
	b.findAll(grams)
	rows := 0
	for _, g := range grams {
		e := slot(g)
		if first := e >> 16 & 63; first == isRow {
			grams[rows] = g & 0xFFFF
			rows++
		} else {
			s.total[first] += int32(e>>11&31) * slotUnit
			s.total[e>>5&63] += int32(e&31) * slotUnit
		}
	}
	for rest := grams[:rows]; len(rest) > 0; {
		n := min(len(rest), maxRows)
		b.addRows(s, rest[:n])
		rest = rest[n:]
	}
}

// findAll replaces n-grams by their slots, 0 when there is none. Slots of a bucket differ in
// their tags, so at most one of them is taken; there is nothing to guess for the processor.
func (b *table) findAll(grams []gram) {
	shift := b.shift & 31
	for i, g := range grams {
		tag := slot(g << (-shift & 31) >> (32 - tagBits))
		u := &b.buckets[g>>shift]
		grams[i] = gram(u[0].ifTag(tag) | u[1].ifTag(tag) | u[2].ifTag(tag) | u[3].ifTag(tag))
	}
}

// ifTag returns the slot if it has the tag, else 0.
func (e slot) ifTag(tag slot) slot {
	differs := e>>(32-tagBits) ^ tag
	return e & -((differs - 1) >> 31)
}

// addRows adds some rows, maxRows at most, eight weights at a time: in lanes of 16 bits,
// bytes of even and of odd places apart. All weights being 128 too large does not matter:
// it is the same for all languages.
func (b *table) addRows(s *sums, rows []gram) {
	size := 8 * b.width
	at := 0
	for ; at+16 <= size; at += 16 { // two words at a time, for the many languages of Latin letters
		var even, odd, nextEven, nextOdd uint64
		for _, row := range rows {
			from := int(row)*size + at
			words := b.rows[from : from+16 : from+16]
			w, next := binary.LittleEndian.Uint64(words), binary.LittleEndian.Uint64(words[8:])
			even += w & everyOther
			odd += w >> 8 & everyOther
			nextEven += next & everyOther
			nextOdd += next >> 8 & everyOther
		}
		s.spread(at, even, odd)
		s.spread(at+8, nextEven, nextOdd)
	}
	for ; at < size; at += 8 {
		var even, odd uint64
		for _, row := range rows {
			w := binary.LittleEndian.Uint64(b.rows[int(row)*size+at:])
			even += w & everyOther
			odd += w >> 8 & everyOther
		}
		s.spread(at, even, odd)
	}
}

// spread adds lanes to the totals of eight languages.
func (s *sums) spread(from int, even, odd uint64) {
	total := s.total[from : from+8]
	for j := range 4 {
		total[2*j] += int32(even >> (16 * j) & 0xFFFF)
		total[2*j+1] += int32(odd >> (16 * j) & 0xFFFF)
	}
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
