package query

import "earshot"

// A Document is a post and its words, made once and shared by everything that
// looks at them. It is for one goroutine at a time.
type Document struct {
	Post *earshot.Post

	main   text // title and contents
	fields []*fieldText
}

// A fieldText is the words of one field.
type fieldText struct {
	name  string
	ready bool
	text
}

// NewDocument returns p with its words. The post must not change while the
// document is in use.
func NewDocument(p *earshot.Post) *Document {
	d := new(Document)
	d.Reset(p)
	return d
}

// Reset makes d the document of another post, reusing its memory.
func (d *Document) Reset(p *earshot.Post) {
	d.Post = p
	for i := range d.fields {
		d.fields[i].ready = false
	}
	d.main.reset(d)
	d.main.add(p.Title)
	d.main.add(p.Contents)
	d.main.index()
}

// Len returns the number of the post's tokens: words, tags and emoji of title
// and contents.
func (d *Document) Len() int { return len(d.main.words) + len(d.main.tags) }

// Hash returns the hash of a token's spelling without accents, as in Key. It is 0
// where one text ends and the next begins.
func (d *Document) Hash(i int) uint32 { return d.main.token(i).hash }

// Plain returns a token's spelling without accents.
func (d *Document) Plain(i int) []byte { return d.main.bytes(d.main.token(i).plain) }

// MayHave reports whether the post could have a token of that hash. A yes may be
// wrong; a no is not.
func (d *Document) MayHave(hash uint32) bool { return d.main.mayHave(hash) }
