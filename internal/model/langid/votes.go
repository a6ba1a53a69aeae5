package langid

import "encoding/binary"

// votes are the summed weights of n-grams by language.
type votes struct {
	totals [64]int32 // as many as a slot can address
	ngrams int       // number counted so far
}

// countVotes sums the votes of a text's n-grams. It processes an eighth of the words at a time,
// spread over the whole text, so that a text that begins in another language does not mislead it.
// It stops early once a language is certain.
func (b *table) countVotes(s *votes, t *scan, longest int) {
	var q queue
	copy(s.totals[:], b.bias)
	gaps := t.gaps(&q.gaps)
	for _, turn := range [turns]int{0, 4, 2, 6, 1, 5, 3, 7} {
		for word := turn; word+1 < len(gaps); word += turns {
			if q.n > maxQueued {
				b.addAll(s, &q)
			}
			q.n += t.ngrams(q.ngrams[q.n:], int(gaps[word]), int(gaps[word+1]), longest)
		}
		if s.ngrams+q.n < minCertainNGrams {
			continue
		}
		b.addAll(s, &q)
		if s.margin(len(b.languages)) >= certainMargin {
			return
		}
	}
	b.addAll(s, &q)
}

const (
	turns      = 8   // passes over the words
	maxRows    = 255 // maximum number before a 16-bit lane overflows
	everyOther = 0x00FF00FF00FF00FF
)

// maxQueued is the number of n-grams that are looked up together, to overlap cache misses.
const maxQueued = 255

// A queue holds n-grams to look up together.
type queue struct {
	gaps   [maxLetters + 1]uint16 // gaps of the text
	ngrams [maxQueued + maxNGrams]ngram
	n      int
}

// addAll adds the votes of the queue and empties it. It looks up all n-grams before adding their
// votes, so that cache misses overlap.
func (b *table) addAll(s *votes, q *queue) {
	grams := q.ngrams[:q.n]
	s.ngrams += len(grams)
	q.n = 0
	b.findAll(grams)
	rows := 0
	for _, g := range grams {
		e := slot(g)
		if first := e >> 16 & 63; first == isRow {
			grams[rows] = g & 0xFFFF
			rows++
		} else {
			s.totals[first] += int32(e>>11&31) * slotUnit
			s.totals[e>>5&63] += int32(e&31) * slotUnit
		}
	}
	for rest := grams[:rows]; len(rest) > 0; {
		n := min(len(rest), maxRows)
		b.addRows(s, rest[:n])
		rest = rest[n:]
	}
}

// findAll replaces n-grams with their slots, or with 0. The slots of a bucket have distinct tags,
// so at most one matches, and there are no branches to mispredict.
func (b *table) findAll(grams []ngram) {
	shift := b.shift & 31
	for i, g := range grams {
		tag := slot(g << (-shift & 31) >> (32 - tagBits))
		u := &b.buckets[g>>shift]
		grams[i] = ngram(u[0].ifTag(tag) | u[1].ifTag(tag) | u[2].ifTag(tag) | u[3].ifTag(tag))
	}
}

// ifTag returns the slot if it has the tag, and 0 otherwise.
func (e slot) ifTag(tag slot) slot {
	differs := e>>(32-tagBits) ^ tag
	return e & -((differs - 1) >> 31)
}

// addRows adds at most maxRows rows, eight weights at a time, in 16-bit lanes for the even and odd
// bytes. All weights are 128 too large, which does not matter because it is the same for all
// languages.
func (b *table) addRows(s *votes, rows []ngram) {
	size := 8 * b.width
	at := 0
	for ; at+16 <= size; at += 16 { // 16 weights at a time, for the many languages in Latin script
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
		s.addLanes(at, even, odd)
		s.addLanes(at+8, nextEven, nextOdd)
	}
	for ; at < size; at += 8 {
		var even, odd uint64
		for _, row := range rows {
			w := binary.LittleEndian.Uint64(b.rows[int(row)*size+at:])
			even += w & everyOther
			odd += w >> 8 & everyOther
		}
		s.addLanes(at, even, odd)
	}
}

// addLanes adds lanes to the totals of eight languages.
func (s *votes) addLanes(from int, even, odd uint64) {
	total := s.totals[from : from+8]
	for j := range 4 {
		total[2*j] += int32(even >> (16 * j) & 0xFFFF)
		total[2*j+1] += int32(odd >> (16 * j) & 0xFFFF)
	}
}

// margin returns the difference between the two largest totals.
func (s *votes) margin(languages int) int32 {
	var first, second int32 = -1 << 31, -1 << 31
	for _, v := range s.totals[:languages] {
		if v > first {
			first, second = v, first
		} else if v > second {
			second = v
		}
	}
	return first - second
}
