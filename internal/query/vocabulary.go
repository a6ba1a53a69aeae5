package query

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

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
