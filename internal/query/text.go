package query

import (
	"bytes"
	"cmp"
	"math"
	"slices"
)

// A text is the tokens of one or more pieces, in order, with a hash table for lookups. It reuses
// its memory from one post to the next.
type text struct {
	tokenizer
	doc        *Document
	pieces     []piece
	buckets    []int32    // hash table: 1 + the index of the bucket's first token, or 0 if empty
	hashFilter [64]uint64 // Bloom filter of the token hashes
	pool       pool

	// For wildcards, built on first use.
	hasPrefixFilter bool
	prefixFilter    [4]uint64    // Bloom filter of the first two bytes of each token
	sorted          []sortedWord // distinct words, by plain spelling
	blocks          []uint64     // charset of each block of sorted

	repeatCache   map[int32]positions    // of tokens with many repeats, by the position of the first
	wildcardCache map[wildcard]positions // of a long text

	nearSpans map[nearEnd]*spanSet // while a near is matched: what its operands have found

	// Set for a text of token IDs, which uses none of the fields above except pool.
	binding      *Binding
	tokenIDs     []uint32 // by position
	tagIDs       []uint32 // position and ID of each multi-word tag
	sectionReady bool     // in a field: tokenIDs belong to the current row
}

// A piece is a part of a text, such as the title. Phrases do not cross pieces.
type piece struct {
	source string
	first  int32 // position of its first word
}

func (t *text) reset(d *Document) {
	t.doc = d
	t.tokenizer.reset()
	t.pieces, t.sorted = t.pieces[:0], t.sorted[:0]
	t.hasPrefixFilter = false
	freeSets(&t.pool, t.repeatCache)
	freeSets(&t.pool, t.wildcardCache)
}

func freeSets[K comparable](p *pool, cache map[K]positions) {
	for _, set := range cache {
		p.freeSet(set)
	}
	clear(cache)
}

// add appends a piece. It ignores an empty one.
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

// index builds the hash table. Call it after adding all pieces.
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
	for i := all - 1; i >= 0; i-- { // backward, so that the first occurrence comes first
		tok := t.token(i)
		if tok.width == 0 {
			continue // the gap between pieces is not a token
		}
		t.hashFilter[tok.hash/64%64] |= 1 << (tok.hash % 64)
		t.insert(tok, int32(i+1), &t.buckets[tok.hash&uint32(size-1)])
	}
	t.pool.size = len(t.words)/64 + 1 // spans end at the position after the last word
}

// insert adds a token before its repeats or, if it has none, at the head of the bucket.
func (t *text) insert(tok *token, number int32, bucket *int32) {
	for link := bucket; *link != 0; {
		other := t.token(int(*link - 1))
		if other.hash == tok.hash && t.sameToken(tok, other) {
			tok.repeat, tok.next, tok.repeats = *link, other.next, other.repeats
			if tok.repeats < math.MaxUint16 {
				tok.repeats++
			}
			*link = number
			return
		}
		link = &other.next
	}
	tok.next, tok.repeat, tok.repeats = *bucket, 0, 0
	*bucket = number
}

// sameToken reports whether two tokens with the same hash have the same source.
func (t *text) sameToken(a, b *token) bool {
	return a.sigil == b.sigil && a.width == b.width && bytes.Equal(t.bytes(a.text), t.bytes(b.text)) && t.sourceOf(a) == t.sourceOf(b)
}

// sourceOf returns a token as it is written in its piece.
func (t *text) sourceOf(tok *token) string {
	return t.pieces[t.pieceAt(int(tok.position))].source[tok.from:tok.to]
}

// mayHave reports whether a token may have the hash. Most words in queries are absent from a given
// text. This Bloom filter fits in the CPU cache and detects that without reading the hash table.
func (t *text) mayHave(hash uint32) bool { return t.hashFilter[hash/64%64]&(1<<(hash%64)) != 0 }

// token returns the token with index i: words by position, then multi-word tags.
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

// nextRepeat returns the next token with the same source as tok, or nil.
func (t *text) nextRepeat(tok *token) *token {
	if tok.repeat == 0 {
		return nil
	}
	return t.token(int(tok.repeat - 1))
}

// search returns the first token that m matches in the chain that starts at number, or nil.
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

// Limits of the caches. They protect against queries that search long texts for the same words many
// times.
const (
	minCachedRepeats   = 16  // with fewer, following the repeats costs no more than the cache
	minCachedWords     = 16  // length of a position set; finding a wildcard in a shorter text is fast
	maxCachedWildcards = 128 // limits the memory
	minSearchedRepeats = 256 // with fewer, following them is faster than searching the text for an exact text
)

// addRepeats adds the positions of a token and its repeats. The token must be the first of them.
func (t *text) addRepeats(first *token, dst positions) {
	if first.repeats < minCachedRepeats {
		t.followRepeats(first, dst)
		return
	}
	number := first.position
	if first.width > 1 {
		number = -1 - number // a tag of several words starts at the same position as its first word
	}
	set, ok := t.repeatCache[number]
	if !ok {
		if t.repeatCache == nil {
			t.repeatCache = map[int32]positions{}
		}
		set = t.pool.newSet()
		t.followRepeats(first, set)
		t.repeatCache[number] = set
	}
	dst.or(set)
}

func (t *text) followRepeats(first *token, dst positions) {
	for tok := first; tok != nil; tok = t.nextRepeat(tok) {
		dst.add(int(tok.position))
	}
}

func (t *text) positionCount() int {
	if t.binding != nil {
		return len(t.tokenIDs)
	}
	return len(t.words)
}

// pieceAt returns the index of the piece that contains a position.
func (t *text) pieceAt(position int) int {
	i, found := slices.BinarySearchFunc(t.pieces, int32(position), func(p piece, at int32) int { return cmp.Compare(p.first, at) })
	if !found {
		i--
	}
	return i
}
