package query

import (
	"bytes"
	"cmp"
	"slices"
)

// A text is the words of one or more pieces, in order, filed for looking them up.
// Its memory is reused from one post to the next.
type text struct {
	tokenizer
	doc             *Document
	pieces          []piece
	buckets         []int32 // of tokens by hash: 1 + the number of the first, 0 when empty
	hashFilter      [64]uint64
	prefixFilter    [4]uint64 // how words begin, once a wildcard asks for it
	hasPrefixFilter bool
	sorted          []sortedWord      // the words in order of their spelling, once a wildcard asks for it
	blocks          []uint64          // the characters that stand in each block of sorted
	pool            pool              // sets of positions
	positionCache   map[any]positions // where elements stand, of a long text

	binding      *Binding // of a text of numbers, which has none of the above but pool
	tokenIDs     []uint32 // of the words, by position
	tagIDs       []uint32 // of tags of several words: the position of each, and its number
	sectionReady bool     // of a field: its numbers are those of the current post
}

// A piece is a part of a text: no phrase reaches from one into the next.
type piece struct {
	source string
	first  int32 // position of its first word
}

func (t *text) reset(d *Document) {
	t.doc = d
	t.tokenizer.reset()
	t.pieces, t.sorted = t.pieces[:0], t.sorted[:0]
	t.positionCache, t.hasPrefixFilter = nil, false
}

// add appends a piece.
func (t *text) add(source string) {
	if source == "" {
		return
	}
	if len(t.pieces) > 0 {
		t.gap()
	}
	t.pieces = append(t.pieces, piece{source, int32(len(t.words))})
	t.tokenize(source)
}

// index files the tokens by hash, once all pieces are there.
func (t *text) index() {
	all := len(t.words) + len(t.tags)
	size := 16
	for size < 2*all {
		size *= 2
	}
	if cap(t.buckets) < size {
		t.buckets = make([]int32, size)
	}
	t.buckets = t.buckets[:size]
	clear(t.buckets)
	clear(t.hashFilter[:])
	for i := all - 1; i >= 0; i-- { // backwards, so that the first occurrence comes first
		tok := t.token(i)
		if tok.width == 0 {
			continue // the gap is no word
		}
		t.hashFilter[tok.hash/64%64] |= 1 << (tok.hash % 64)
		t.insert(tok, int32(i+1), &t.buckets[tok.hash&uint32(size-1)])
	}
	t.pool.size = len(t.words)/64 + 1 // there is a position after the last word, where spans end
}

// insert puts a token in front of its equals, or in front of the bucket.
func (t *text) insert(tok *token, number int32, bucket *int32) {
	for place := bucket; *place != 0; {
		other := t.token(int(*place - 1))
		if other.hash == tok.hash && t.sameToken(tok, other) {
			tok.repeat, tok.next = *place, other.next
			*place = number
			return
		}
		place = &other.next
	}
	tok.next, tok.repeat = *bucket, 0
	*bucket = number
}

// sameToken reports whether two tokens of one hash are written alike.
func (t *text) sameToken(a, b *token) bool {
	return a.sigil == b.sigil && a.width == b.width && bytes.Equal(t.bytes(a.text), t.bytes(b.text)) && t.sourceOf(a) == t.sourceOf(b)
}

// sourceOf returns a token as it stands in its piece.
func (t *text) sourceOf(tok *token) string {
	return t.pieces[t.pieceAt(int(tok.position))].source[tok.from:tok.to]
}

// mayHave reports whether a token could have the hash. Most words that queries
// look for are not there, and are known not to be after one look at a set that
// stays in the cache. It errs on the side of yes.
func (t *text) mayHave(hash uint32) bool { return t.hashFilter[hash/64%64]&(1<<(hash%64)) != 0 }

// token numbers the words by their position, and the tags after them.
func (t *text) token(i int) *token {
	if i < len(t.words) {
		return &t.words[i]
	}
	return &t.tags[i-len(t.words)]
}

// first returns the first token that m matches, or nil.
func (t *text) first(m *term) *token {
	if !t.mayHave(m.hash) {
		return nil
	}
	return t.search(t.buckets[m.hash&uint32(len(t.buckets)-1)], m)
}

// after returns another token that m matches, or nil once there is none. tok is
// what first or after returned.
func (t *text) after(tok *token, m *term) *token {
	if next := t.nextRepeat(tok); next != nil {
		return next
	}
	return t.search(t.firstRepeat(tok).next, m)
}

// nextRepeat returns the next token that is written as tok is, or nil.
func (t *text) nextRepeat(tok *token) *token {
	if tok.repeat == 0 {
		return nil
	}
	return t.token(int(tok.repeat - 1))
}

// firstRepeat returns the first of the tokens that are the same as tok.
func (t *text) firstRepeat(tok *token) *token {
	for number := t.buckets[tok.hash&uint32(len(t.buckets)-1)]; ; {
		head := t.token(int(number - 1))
		if head.hash == tok.hash && t.sameToken(head, tok) {
			return head
		}
		number = head.next
	}
}

func (t *text) search(number int32, m *term) *token {
	for number != 0 {
		tok := t.token(int(number - 1))
		if m.matches(&t.tokenizer, tok) {
			return tok
		}
		number = tok.next
	}
	return nil
}

// minCachedWords is the length of sets of positions from which on places are remembered.
const minCachedWords = 64

// cachePositions adds where an element stands, by its value, to at. In a long text that is
// remembered: queries made to take long ask for the same elements time and again.
// find finds the places; recall is false when there is no room for more.
func (t *text) cachePositions(value any, at positions, find func(positions)) bool {
	const most = 128
	places, ok := t.positionCache[value]
	switch {
	case !ok && len(t.positionCache) == most:
		return false
	case !ok:
		if t.positionCache == nil {
			t.positionCache = map[any]positions{}
		}
		places = make(positions, len(at))
		find(places)
		t.positionCache[value] = places
	}
	at.or(places)
	return true
}

// cachedPositions returns where an element stands if that is known, else nil. The set is
// not to be changed.
func (t *text) cachedPositions(e tokenMatcher) positions {
	if t.positionCache == nil {
		return nil
	}
	return t.positionCache[e.cacheKey()]
}

// positionCount returns the number of positions.
func (t *text) positionCount() int {
	if t.binding != nil {
		return len(t.tokenIDs)
	}
	return len(t.words)
}

// pieceAt returns the piece that a position lies in.
func (t *text) pieceAt(position int) int {
	i, found := slices.BinarySearchFunc(t.pieces, int32(position), func(p piece, at int32) int { return cmp.Compare(p.first, at) })
	if !found {
		i--
	}
	return i
}
