package query

import "earshot"

// A Document is a post and its tokens, made once and shared by everything that
// looks at the post's words. Any number of queries may be matched against it at
// the same time, but not while it is being Reset.
type Document struct {
	Post *earshot.Post

	tokenizer
	buckets []int32 // of tokens by hash: 1 + the index of the newest, 0 when empty
}

// NewDocument returns p with its tokens. The post's title and contents must not
// change while the document is in use.
func NewDocument(p *earshot.Post) *Document {
	d := new(Document)
	d.Reset(p)
	return d
}

// Reset makes d the document of another post, reusing its memory.
func (d *Document) Reset(p *earshot.Post) {
	d.Post = p
	d.reset()
	d.tokenize(p.Title)
	if len(d.words) > 0 {
		d.gap()
	}
	d.tokenize(p.Contents)
	d.index()
}

// index files the tokens by hash.
func (d *Document) index() {
	all := len(d.words) + len(d.tags)
	size := 16
	for size < 2*all {
		size *= 2
	}
	if cap(d.buckets) < size {
		d.buckets = make([]int32, size)
	}
	d.buckets = d.buckets[:size]
	clear(d.buckets)
	for i := all - 1; i >= 0; i-- { // backwards, so that a bucket lists the first occurrence first
		tok := d.token(i)
		if tok.width == 0 {
			continue // the gap is no word
		}
		bucket := &d.buckets[tok.hash&uint32(size-1)]
		tok.next = *bucket
		*bucket = int32(i + 1)
	}
}

// token numbers the words by their position, and the tags after them.
func (d *Document) token(i int) *token {
	if i < len(d.words) {
		return &d.words[i]
	}
	return &d.tags[i-len(d.words)]
}

// first returns the first token that t matches, or nil.
func (d *Document) first(t *term) *token {
	return d.search(d.buckets[t.hash&uint32(len(d.buckets)-1)], t)
}

// after returns the next token after tok that t matches, or nil.
func (d *Document) after(tok *token, t *term) *token { return d.search(tok.next, t) }

func (d *Document) search(number int32, t *term) *token {
	for number != 0 {
		tok := d.token(int(number - 1))
		if t.matches(d, tok) {
			return tok
		}
		number = tok.next
	}
	return nil
}

// at returns the token at a position if t matches it, or nil.
func (d *Document) at(position int, t *term) *token {
	if position >= len(d.words) {
		return nil
	}
	if tok := &d.words[position]; tok.width > 0 && t.matches(d, tok) {
		return tok
	}
	if t.sigil == 0 {
		return nil
	}
	if tag := d.tagAt(position); tag != nil && t.matches(d, tag) {
		return tag
	}
	return nil
}
