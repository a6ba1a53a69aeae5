package query

import "earshot"

// A Document is a post and its words, made once and shared by everything that
// looks at them. It is for one goroutine at a time.
type Document struct {
	Post *earshot.Post

	main       text // title and contents
	fields     map[string]*fieldText
	generation uint64 // that d was reset for
}

// A fieldText is the words of one field.
type fieldText struct {
	generation uint64 // of which the words are
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
	d.generation++
	d.main.reset(d)
	d.main.add(p.Title)
	d.main.add(p.Contents)
	d.main.index()
}

// Len returns the number of the post's tokens: words, tags and emoji of title
// and contents.
func (d *Document) Len() int { return len(d.main.words) + len(d.main.tags) }

// TokenHash returns the hash of a token's spelling without accents, as in Key. It is 0
// where one text ends and the next begins.
func (d *Document) TokenHash(i int) uint32 { return d.main.token(i).hash }

// Plain returns a token's spelling without accents.
func (d *Document) Plain(i int) []byte { return d.main.bytes(d.main.token(i).plain) }
