package query

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// A wildcard is a token pattern: * matches any run of characters, ? exactly one. It never starts
// with either. A match covers one position, even if it is a tag of several words. Example: iphon*.
type wildcard struct {
	sigil byte   // as in term
	text  string // normalized
	plain string // text without accents

	charset uint64 // charsetOf(plain)
}

// newWildcard returns the wildcard for a query token that contains * or ?.
func (t *tokenizer) newWildcard(tok *token) *wildcard {
	text, plain := string(t.bytes(tok.text)), string(t.bytes(tok.plain))
	return &wildcard{sigil: tok.sigil, text: text, plain: plain, charset: charsetOf(plain)}
}

// prefix returns the plain spelling up to the first * or ?.
func (m *wildcard) prefix() string { return m.plain[:strings.IndexAny(m.plain, "*?")] }

func (m *wildcard) matches(t *tokenizer, tok *token) bool {
	if tok.width == 0 || m.sigil != 0 && m.sigil != tok.sigil {
		return false
	}
	if m.text == m.plain {
		return glob(m.plain, t.bytes(tok.plain))
	}
	return glob(m.text, t.bytes(tok.text))
}

// glob reports whether the text matches the pattern. Backtracking only to the last * is sufficient,
// so the time is at most proportional to the product of both lengths.
func glob(pattern string, text []byte) bool {
	p, i := 0, 0
	star, resume := -1, 0
	for i < len(text) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, resume = p, i
			p++
			continue
		case p < len(pattern) && pattern[p] == '?':
			_, size := utf8.DecodeRune(text[i:])
			p, i = p+1, i+size
			continue
		case p < len(pattern) && pattern[p] == text[i]:
			p, i = p+1, i+1
			continue
		case star < 0:
			return false
		}
		_, size := utf8.DecodeRune(text[resume:])
		resume += size
		p, i = star+1, resume
	}
	return strings.Trim(pattern[p:], "*") == ""
}

func (m *wildcard) occursIn(t *text) bool {
	if t.binding != nil {
		return t.binding.contains(m, t)
	}
	if !t.mayHavePrefix(m.plain) {
		return false
	}
	for range t.matchingTokens(m) {
		return true
	}
	return false
}

func (m *wildcard) addPositions(t *text, dst positions) {
	if t.binding != nil {
		t.binding.addPositions(m, t, dst)
		return
	}
	if len(dst) < minCachedWords {
		m.findPositions(t, dst)
		return
	}
	set, ok := t.wildcardCache[*m]
	switch {
	case !ok && len(t.wildcardCache) == maxCachedWildcards:
		m.findPositions(t, dst)
		return
	case !ok:
		if t.wildcardCache == nil {
			t.wildcardCache = map[wildcard]positions{}
		}
		set = t.pool.newSet()
		m.findPositions(t, set)
		t.wildcardCache[*m] = set
	}
	dst.or(set)
}

func (m *wildcard) findPositions(t *text, dst positions) {
	for tok := range t.matchingTokens(m) {
		dst.add(int(tok.position))
	}
}

func (*wildcard) width() int { return 1 }

func (m *wildcard) literal() Literal { return Literal{Prefix: m.prefix()} }

func (m *wildcard) print(b []byte) []byte {
	if m.sigil != 0 {
		b = append(b, m.sigil)
	}
	return append(b, m.text...)
}

// mayHavePrefix reports whether a token may start with the first two bytes of a pattern. It is a
// Bloom filter: it has false positives but no false negatives.
func (t *text) mayHavePrefix(pattern string) bool {
	if !t.hasPrefixFilter {
		t.hasPrefixFilter, t.prefixFilter = true, [4]uint64{}
		for i := range len(t.words) + len(t.tags) {
			if plain := t.bytes(t.token(i).plain); len(plain) > 1 {
				h := prefixHash(plain[0], plain[1])
				t.prefixFilter[h/64] |= 1 << (h % 64)
			}
		}
	}
	if pattern[1] == '*' || pattern[1] == '?' {
		return true
	}
	h := prefixHash(pattern[0], pattern[1])
	return t.prefixFilter[h/64]&(1<<(h%64)) != 0
}

func prefixHash(first, second byte) byte { return first*31 + second }

// matchingTokens yields the tokens that m matches, in any order.
func (t *text) matchingTokens(m *wildcard) func(yield func(*token) bool) {
	const maxLinear = 64 // words; sorting pays off for longer texts
	return func(yield func(*token) bool) {
		for i := range t.tags {
			if m.sigil != 0 && m.matches(&t.tokenizer, &t.tags[i]) && !yield(&t.tags[i]) {
				return
			}
		}
		if len(t.words) > maxLinear {
			t.matchingSorted(m, yield)
			return
		}
		for i := range t.words {
			if m.matches(&t.tokenizer, &t.words[i]) && !yield(&t.words[i]) {
				return
			}
		}
	}
}

// matchingSorted is matchingTokens for the words of a long text. It uses charsets to skip single
// words and whole blocks, because most words with the prefix of m lack another of its characters.
func (t *text) matchingSorted(m *wildcard, yield func(*token) bool) {
	from, to := t.prefixRange(m.prefix())
	for i := from; i < to; i++ {
		if i%sortedBlockSize == 0 && t.blocks[i/sortedBlockSize]&m.charset != m.charset {
			i += sortedBlockSize - 1
			continue
		}
		s := t.sorted[i]
		if s.charset&m.charset != m.charset {
			continue
		}
		if tok := &t.words[s.position]; !m.matches(&t.tokenizer, tok) || t.yieldRepeats(tok, yield) {
			continue
		}
		return
	}
}

// yieldRepeats yields a token and its repeats. It returns false if yield does.
func (t *text) yieldRepeats(tok *token, yield func(*token) bool) bool {
	for yield(tok) {
		if tok = t.nextRepeat(tok); tok == nil {
			return true
		}
	}
	return false
}

// sortedBlockSize is the number of sorted words that share a charset. Larger blocks skip more words
// at once, but are less likely to be skipped.
const sortedBlockSize = 64

// A sortedWord is the first occurrence of a distinct word.
type sortedWord struct {
	position int32
	charset  uint64
}

// charsetOf returns the set of bytes in text, without wildcards, as a bitmap. Each of a to z and 0
// to 9 has its own bit. All other bytes share the remaining 28.
func charsetOf[bytes []byte | string](text bytes) uint64 {
	var set uint64
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z':
			set |= 1 << (c - 'a')
		case '0' <= c && c <= '9':
			set |= 1 << (26 + c - '0')
		case c != '*' && c != '?':
			set |= 1 << (36 + c%28)
		}
	}
	return set
}

// prefixRange returns the range of sorted words whose plain spelling starts with prefix.
func (t *text) prefixRange(prefix string) (from, to int) {
	if len(t.sorted) == 0 {
		t.sortWords()
	}
	key := []byte(prefix)
	from, _ = slices.BinarySearchFunc(t.sorted, key, func(s sortedWord, key []byte) int {
		return bytes.Compare(t.plainAt(s.position), key)
	})
	n, _ := slices.BinarySearchFunc(t.sorted[from:], key, func(s sortedWord, key []byte) int {
		if bytes.HasPrefix(t.plainAt(s.position), key) {
			return -1
		}
		return 1
	})
	return from, from + n
}

func (t *text) sortWords() {
	for _, number := range t.buckets {
		for number != 0 {
			if i := number - 1; int(i) < len(t.words) {
				t.sorted = append(t.sorted, sortedWord{i, charsetOf(t.plainAt(i))})
			}
			number = t.token(int(number - 1)).next
		}
	}
	slices.SortFunc(t.sorted, func(a, b sortedWord) int {
		return bytes.Compare(t.plainAt(a.position), t.plainAt(b.position))
	})
	t.blocks = t.blocks[:0]
	for block := range slices.Chunk(t.sorted, sortedBlockSize) {
		var characters uint64
		for _, s := range block {
			characters |= s.charset
		}
		t.blocks = append(t.blocks, characters)
	}
}

func (t *text) plainAt(position int32) []byte { return t.bytes(t.words[position].plain) }
