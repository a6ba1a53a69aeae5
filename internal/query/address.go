package query

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

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
