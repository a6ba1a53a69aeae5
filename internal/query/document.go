package query

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// A Document is a post with its tokens. It is tokenized once and shared by everything that reads
// it. It is not safe for concurrent use.
type Document struct {
	Post *earshot.Post

	main       text // title and contents
	fields     map[string]*fieldText
	generation uint64 // incremented by each Reset
	values     valueVisitor
}

// A fieldText is the tokenized text of one field.
type fieldText struct {
	generation uint64 // generation of the document when the field was tokenized
	text
}

// NewDocument returns the tokenized document of a post. The post must not change while the document
// is in use.
func NewDocument(p *earshot.Post) *Document {
	d := new(Document)
	d.Reset(p)
	return d
}

// Reset replaces the post of d and tokenizes it, reusing memory.
func (d *Document) Reset(p *earshot.Post) {
	d.Tokenize(p)
	d.main.index()
}

// Tokenize is Reset for a caller that only lists tokens and values: until the next Reset, d must not
// be matched with a query.
func (d *Document) Tokenize(p *earshot.Post) {
	d.Post = p
	d.generation++
	d.main.reset(d)
	d.main.add(p.Title)
	d.main.add(p.Contents)
}

// Len returns the number of tokens in title and contents: words, tags, emoji and the gap between
// title and contents.
func (d *Document) Len() int { return len(d.main.words) + len(d.main.tags) }

// TokenHash returns the hash of token i's plain spelling, as in [Literal]. It is 0 for the gap
// between title and contents.
func (d *Document) TokenHash(i int) uint32 { return d.main.token(i).hash }

// Plain returns token i's spelling without accents. It is valid until the next Reset.
func (d *Document) Plain(i int) []byte { return d.main.bytes(d.main.token(i).plain) }

// A Vocabulary is the sorted set of the keys ([Document.AppendKey]) of all tokens in an index. The
// ID of a token is the rank of its key.
type Vocabulary interface {
	// Prefix returns the IDs [from, to) of the keys that start with prefix.
	Prefix(prefix string) (from, to uint32)

	// Keys yields the keys of the IDs [from, to), in order. Each key is valid until the next one is
	// yielded.
	Keys(from, to uint32) iter.Seq2[uint32, []byte]
}

// A key consists of the token's plain spelling, keySeparator, and its sigil or a space. If the
// token is wider than 1, its width follows. If its spelling has accents, the spelling follows. For
// example, the key of the hashtag #Café is "cafe\x00#café". The gap between title and contents has
// the empty key, which sorts first.
const (
	keySeparator = "\x00"
	keyWidthMark = '\x01' // precedes a width of more than one position
)

// AppendKey appends the key of token i, as listed in a [Vocabulary].
func (d *Document) AppendKey(b []byte, i int) []byte {
	t := &d.main
	tok := t.token(i)
	if tok.width == 0 {
		return b
	}
	b = append(b, t.bytes(tok.plain)...)
	b = append(b, keySeparator...)
	if tok.sigil == 0 {
		b = append(b, ' ')
	} else {
		b = append(b, tok.sigil)
	}
	if tok.width > 1 {
		b = utf8.AppendRune(append(b, keyWidthMark), rune(tok.width))
	}
	if tok.plain != tok.text {
		b = append(b, t.bytes(tok.text)...)
	}
	return b
}

// A KeyToken is a decoded key. It shares the key's memory.
type KeyToken struct {
	Plain, Text []byte // Plain is Text without accents
	Sigil       byte   // '#', '@' or '$' for a tag, otherwise 0
	Width       int    // in positions
}

// ParseKey decodes a key made by [Document.AppendKey]. ok is false for the empty key and for input
// that is not a key.
func ParseKey(key []byte) (t KeyToken, ok bool) {
	end := bytes.IndexByte(key, keySeparator[0])
	if end < 0 || end+1 == len(key) {
		return KeyToken{}, false
	}
	t = KeyToken{Plain: key[:end], Text: key[:end], Width: 1}
	if key[end+1] != ' ' {
		t.Sigil = key[end+1]
	}
	rest := key[end+2:]
	if len(rest) > 0 && rest[0] == keyWidthMark {
		r, size := utf8.DecodeRune(rest[1:])
		t.Width, rest = int(r), rest[1+size:]
	}
	if len(rest) > 0 {
		t.Text = rest
	}
	return t, true
}

// AppendTokenIDs appends the post's tokens in the encoding that an index stores, with the IDs that
// id returns: the number of multi-word tags, the position and ID of each, the IDs of the title, 0,
// and the IDs of the contents. A post with only a title ends with 0. A post without a title has no
// 0.
func (d *Document) AppendTokenIDs(ids []uint32, id func(i int) uint32) []uint32 {
	t := &d.main
	ids = append(ids, uint32(len(t.tags)))
	for i := range t.tags {
		ids = append(ids, uint32(t.tags[i].position), id(len(t.words)+i))
	}
	for i := range t.words {
		if t.words[i].width == 0 {
			ids = append(ids, 0)
		} else {
			ids = append(ids, id(i))
		}
	}
	if d.Post.Contents == "" && d.Post.Title != "" {
		ids = append(ids, 0)
	}
	return ids
}

// AppendURLRuns appends the runs of tokens that make up URLs. Each run is the position of its first
// token and the number of tokens. A URL starts with http:// or https://, or with www. at the start
// of a word, and ends at the next space. A word that overlaps the start of a URL belongs to the
// URL.
func (d *Document) AppendURLRuns(runs []uint32) []uint32 {
	t := &d.main
	for n, p := range t.pieces {
		end := len(t.words)
		if n+1 < len(t.pieces) {
			end = int(t.pieces[n+1].first) - 1 // exclude the gap between pieces
		}
		for i := int(p.first); i < end; i++ {
			if !beginsURL(p.source, int(t.words[i].from), int(t.words[i].to)) {
				continue
			}
			first, space := i, len(p.source)
			if n := strings.IndexFunc(p.source[t.words[i].to:], unicode.IsSpace); n >= 0 {
				space = int(t.words[i].to) + n
			}
			for i+1 < end && int(t.words[i+1].from) < space {
				i++
			}
			runs = append(runs, uint32(first), uint32(i+1-first))
		}
	}
	return runs
}

// beginsURL reports whether a URL starts at or within the word at [from, to) of text.
func beginsURL(text string, from, to int) bool {
	rest := text[to:]
	switch {
	case rest == "":
		return false
	case rest[0] == '.':
		return to-from == 3 && strings.EqualFold(text[from:to], "www") && !beginsWithSpace(rest[1:])
	case rest[0] == ':':
		return strings.HasPrefix(rest, "://") && !beginsWithSpace(rest[3:]) &&
			(endsWithFold(text[from:to], "http") || endsWithFold(text[from:to], "https"))
	}
	return false
}

// beginsWithSpace reports whether text is empty or starts with whitespace.
func beginsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || unicode.IsSpace(r)
}

func endsWithFold(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

// WalkTokens calls visit for each token outside URLs, with its sigil, or 0, and its normalized
// spelling. It visits a tag of several words once, as a whole.
func (d *Document) WalkTokens(visit func(sigil byte, text []byte)) {
	t := &d.main
	ids := d.AppendTokenIDs(nil, func(i int) uint32 { return uint32(i + 1) })
	width := func(id uint32) int { return int(t.token(int(id - 1)).width) }
	WalkTokenIDs(ids, d.AppendURLRuns(nil), width, func(id uint32) {
		tok := t.token(int(id - 1))
		visit(tok.sigil, t.bytes(tok.text))
	})
}

// WalkTokenIDs is [Document.WalkTokens] for encoded token IDs: ids comes from
// [Document.AppendTokenIDs] and urls from [Document.AppendURLRuns]. width returns the width of a
// tag. Corrupt input is safe: WalkTokenIDs then visits only some of the IDs, and passes no other
// values to width.
func WalkTokenIDs(ids, urls []uint32, width func(tag uint32) int, visit func(id uint32)) {
	if len(ids) == 0 {
		return
	}
	n := min(2*uint64(ids[0]), uint64(len(ids)-1)/2*2)
	tags, words := ids[1:1+n], ids[1+n:]
	for i := uint64(0); i < uint64(len(words)); {
		for len(urls) > 1 && uint64(urls[0])+uint64(urls[1]) <= i {
			urls = urls[2:]
		}
		next := uint64(len(words)) // first position of the next URL
		if len(urls) > 1 {
			if next = uint64(urls[0]); next <= i {
				i = next + uint64(urls[1])
				continue
			}
		}
		for len(tags) > 0 && uint64(tags[0]) < i {
			tags = tags[2:]
		}
		id, wide := words[i], uint64(1)
		if len(tags) > 0 && uint64(tags[0]) == i {
			if w := uint64(max(width(tags[1]), 1)); i+w <= next { // otherwise it extends into a URL
				id, wide = tags[1], w
			}
		}
		if id != 0 {
			visit(id)
		}
		i += wide
	}
}
