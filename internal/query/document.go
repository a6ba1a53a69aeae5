package query

import (
	"bytes"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

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

// A Vocabulary is the distinct tokens of many posts, as an index keeps them: the
// keys that Document.AppendKey gives, each once, in the order of their bytes. The
// number of a token is the place of its key in that order.
type Vocabulary interface {
	// Prefix returns the numbers from, to before to, of the keys that begin with prefix.
	Prefix(prefix string) (from, to uint32)

	// Keys yields the keys from a number to before another, in order. A key is valid
	// until the next one.
	Keys(from, to uint32) iter.Seq2[uint32, []byte]
}

// A key is the token's spelling without accents, keySeparator, its sigil or a space and
// then, as far as they say more, its width and its spelling. The place where one
// text ends and the next begins has the empty key, which is the first.
const (
	keySeparator = "\x00"
	keyWidthMark = '\x01' // before a width of more than one position
)

// AppendKey appends the key of a token, as a Vocabulary lists it.
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

// A keyParts is what a key says. It shares the key's memory.
type keyParts struct {
	plain, text []byte
	sigil       byte
	width       int
}

// parseKey is the reverse of AppendKey. It is false for the place between texts,
// and for what is no key.
func parseKey(key []byte) (t keyParts, ok bool) {
	end := bytes.IndexByte(key, keySeparator[0])
	if end < 0 || end+1 == len(key) {
		return keyParts{}, false
	}
	t = keyParts{plain: key[:end], text: key[:end], width: 1}
	if key[end+1] != ' ' {
		t.sigil = key[end+1]
	}
	rest := key[end+2:]
	if len(rest) > 0 && rest[0] == keyWidthMark {
		r, size := utf8.DecodeRune(rest[1:])
		t.width, rest = int(r), rest[1+size:]
	}
	if len(rest) > 0 {
		t.text = rest
	}
	return t, true
}

// ParseKey returns what a key says of its token: the sigil, 0 when it has none, the spelling,
// which shares the key's memory, and the width in words. ok is false for the place between
// texts, and for what is no key.
func ParseKey(key []byte) (sigil byte, text []byte, width int, ok bool) {
	t, ok := parseKey(key)
	return t.sigil, t.text, t.width, ok
}

// AppendTokenIDs appends what an index keeps of the post's words in order, by the
// numbers that number gives its tokens: how many tags of several words there are,
// for each its position and its number, then the words of the title, 0, and those of
// the contents. A post without contents ends with 0.
func (d *Document) AppendTokenIDs(words []uint32, number func(i int) uint32) []uint32 {
	t := &d.main
	words = append(words, uint32(len(t.tags)))
	for i := range t.tags {
		words = append(words, uint32(t.tags[i].position), number(len(t.words)+i))
	}
	for i := range t.words {
		if t.words[i].width == 0 {
			words = append(words, 0)
		} else {
			words = append(words, number(i))
		}
	}
	if d.Post.Contents == "" && d.Post.Title != "" {
		words = append(words, 0)
	}
	return words
}

// AppendURLRuns appends where addresses stand among the words of the post: for each the
// position of its first word, and how many it has. An address is http:// or https://, or
// www. at the beginning of a word, with something behind it, and goes on to the next space. A
// word that reaches into it belongs to it.
func (d *Document) AppendURLRuns(runs []uint32) []uint32 {
	t := &d.main
	for n, p := range t.pieces {
		end := len(t.words)
		if n+1 < len(t.pieces) {
			end = int(t.pieces[n+1].first) - 1 // there is a gap between
		}
		for i := int(p.first); i < end; i++ {
			if !beginsAddress(p.source, int(t.words[i].from), int(t.words[i].to)) {
				continue
			}
			first, space := i, nextSpace(p.source, int(t.words[i].to))
			for i+1 < end && int(t.words[i+1].from) < space {
				i++
			}
			runs = append(runs, uint32(first), uint32(i+1-first))
		}
	}
	return runs
}

// beginsAddress reports whether an address begins with the word, or in it, that stands
// at [from, to) of a text.
func beginsAddress(text string, from, to int) bool {
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

// beginsWithSpace reports whether text begins with a space, or is empty.
func beginsWithSpace(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return text == "" || unicode.IsSpace(r)
}

func endsWithFold(text, end string) bool {
	return len(text) >= len(end) && strings.EqualFold(text[len(text)-len(end):], end)
}

// nextSpace returns where the first space from a place on stands.
func nextSpace(text string, from int) int {
	if n := strings.IndexFunc(text[from:], unicode.IsSpace); n >= 0 {
		return from + n
	}
	return len(text)
}

// WalkTokens calls visit with each token of the post: its sigil, 0 when it has none, and its
// spelling in lower case. Tokens of addresses are left out, and of a tag of several words it
// is called with the tag alone.
func (d *Document) WalkTokens(visit func(sigil byte, text []byte)) {
	t := &d.main
	words := d.AppendTokenIDs(nil, func(i int) uint32 { return uint32(i + 1) })
	width := func(n uint32) int { return int(t.token(int(n - 1)).width) }
	WalkTokenIDs(words, d.AppendURLRuns(nil), width, func(n uint32) {
		tok := t.token(int(n - 1))
		visit(tok.sigil, t.bytes(tok.text))
	})
}

// WalkTokenIDs is WalkTokens for a post by the numbers of its tokens: words is what AppendTokenIDs
// made of it, and addresses what AppendURLRuns did. width returns the width of a tag. Of
// numbers that nobody has checked it visits some, and visits or measures no others.
func WalkTokenIDs(words, addresses []uint32, width func(tag uint32) int, visit func(number uint32)) {
	if len(words) == 0 {
		return
	}
	n := min(2*uint64(words[0]), uint64(len(words)-1)/2*2)
	tags, plain := words[1:1+n], words[1+n:]
	for i := uint64(0); i < uint64(len(plain)); {
		for len(addresses) > 1 && uint64(addresses[0])+uint64(addresses[1]) <= i {
			addresses = addresses[2:]
		}
		next := uint64(len(plain)) // position that belongs to an address
		if len(addresses) > 1 {
			if next = uint64(addresses[0]); next <= i {
				i = next + uint64(addresses[1])
				continue
			}
		}
		for len(tags) > 0 && uint64(tags[0]) < i {
			tags = tags[2:]
		}
		number, wide := plain[i], uint64(1)
		if len(tags) > 0 && uint64(tags[0]) == i {
			if w := uint64(max(width(tags[1]), 1)); i+w <= next { // else it reaches into an address
				number, wide = tags[1], w
			}
		}
		if number != 0 {
			visit(number)
		}
		i += wide
	}
}
