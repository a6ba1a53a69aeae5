package query

import (
	"cmp"
	"slices"
)

// A text is the words of one or more pieces, in order, filed for looking them up.
// Its memory is reused from one post to the next.
type text struct {
	tokenizer
	doc     *Document
	pieces  []piece
	buckets []int32 // of tokens by hash: 1 + the number of the first, 0 when empty
	seen    [64]uint64
	sorted  []spelling // the words in order of their spelling, once a wildcard asks for it
	blocks  []uint64   // the characters that stand in each block of sorted
	pool    pool       // sets of positions
	common  map[term]positions
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
	t.common = nil
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
	clear(t.seen[:])
	for i := all - 1; i >= 0; i-- { // backwards, so that a bucket lists the first occurrence first
		tok := t.token(i)
		if tok.width == 0 {
			continue // the gap is no word
		}
		t.seen[tok.hash/64%64] |= 1 << (tok.hash % 64)
		bucket := &t.buckets[tok.hash&uint32(size-1)]
		tok.next = *bucket
		*bucket = int32(i + 1)
	}
	t.pool.size = len(t.words)/64 + 1 // there is a position after the last word, where spans end
}

// mayHave reports whether a token could have the hash. Most words that queries
// look for are not there, and are known not to be after one look at a set that
// stays in the cache. It errs on the side of yes.
func (t *text) mayHave(hash uint32) bool { return t.seen[hash/64%64]&(1<<(hash%64)) != 0 }

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

// after returns the next token after tok that m matches, or nil.
func (t *text) after(tok *token, m *term) *token { return t.search(tok.next, m) }

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

// pieceAt returns the piece that a position lies in.
func (t *text) pieceAt(position int) int {
	i, found := slices.BinarySearchFunc(t.pieces, int32(position), func(p piece, at int32) int { return cmp.Compare(p.first, at) })
	if !found {
		i--
	}
	return i
}
