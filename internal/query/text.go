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
	doc     *Document
	pieces  []piece
	buckets []int32 // of tokens by hash: 1 + the number of the first, 0 when empty
	seen    [64]uint64
	heads   [4]uint64 // how words begin, once a wildcard asks for it
	headed  bool
	sorted  []spelling        // the words in order of their spelling, once a wildcard asks for it
	blocks  []uint64          // the characters that stand in each block of sorted
	pool    pool              // sets of positions
	known   map[any]positions // where elements stand, of a long text

	bound      *Binding // of a text of numbers, which has none of the above but pool
	numbers    []uint32 // of the words, by position
	tagNumbers []uint32 // of tags of several words: the position of each, and its number
	found      bool     // of a field: its numbers are those of the current post
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
	t.known, t.headed = nil, false
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
	for i := all - 1; i >= 0; i-- { // backwards, so that the first occurrence comes first
		tok := t.token(i)
		if tok.width == 0 {
			continue // the gap is no word
		}
		t.seen[tok.hash/64%64] |= 1 << (tok.hash % 64)
		t.file(tok, int32(i+1), &t.buckets[tok.hash&uint32(size-1)])
	}
	t.pool.size = len(t.words)/64 + 1 // there is a position after the last word, where spans end
}

// file puts a token in front of its equals, or in front of the bucket.
func (t *text) file(tok *token, number int32, bucket *int32) {
	for place := bucket; *place != 0; {
		other := t.token(int(*place - 1))
		if other.hash == tok.hash && t.same(tok, other) {
			tok.again, tok.next = *place, other.next
			*place = number
			return
		}
		place = &other.next
	}
	tok.next, tok.again = *bucket, 0
	*bucket = number
}

// same reports whether two tokens of one hash are written alike.
func (t *text) same(a, b *token) bool {
	return a.sigil == b.sigil && a.width == b.width && bytes.Equal(t.bytes(a.text), t.bytes(b.text)) && t.written(a) == t.written(b)
}

// written returns a token as it stands in its piece.
func (t *text) written(tok *token) string {
	return t.pieces[t.pieceAt(int(tok.position))].source[tok.from:tok.to]
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

// after returns another token that m matches, or nil once there is none. tok is
// what first or after returned.
func (t *text) after(tok *token, m *term) *token {
	if next := t.repeat(tok); next != nil {
		return next
	}
	return t.search(t.head(tok).next, m)
}

// repeat returns the next token that is written as tok is, or nil.
func (t *text) repeat(tok *token) *token {
	if tok.again == 0 {
		return nil
	}
	return t.token(int(tok.again - 1))
}

// head returns the first of the tokens that are the same as tok.
func (t *text) head(tok *token) *token {
	for number := t.buckets[tok.hash&uint32(len(t.buckets)-1)]; ; {
		head := t.token(int(number - 1))
		if head.hash == tok.hash && t.same(head, tok) {
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

// longText is the length of sets of positions from which on places are remembered.
const longText = 64

// recall adds where an element stands, by its value, to at. In a long text that is
// remembered: queries made to take long ask for the same elements time and again.
// find finds the places; recall is false when there is no room for more.
func (t *text) recall(value any, at positions, find func(positions)) bool {
	const most = 128
	places, ok := t.known[value]
	switch {
	case !ok && len(t.known) == most:
		return false
	case !ok:
		if t.known == nil {
			t.known = map[any]positions{}
		}
		places = make(positions, len(at))
		find(places)
		t.known[value] = places
	}
	at.or(places)
	return true
}

// remembered returns where an element stands if that is known, else nil. The set is
// not to be changed.
func (t *text) remembered(e element) positions {
	if t.known == nil {
		return nil
	}
	return t.known[e.value()]
}

// length returns the number of positions.
func (t *text) length() int {
	if t.bound != nil {
		return len(t.numbers)
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
