package query

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/transform"
	"golang.org/x/text/unicode/norm"
)

// A cluster is a character and the marks read so far, to which further marks belong. A mark that
// does not compose and is in canonical order is appended. Otherwise the cluster is undone and
// normalized as a whole.
type cluster struct {
	from     int   // in the text
	bufStart int   // offset of its start in buf, or notBuffered
	ccc      uint8 // canonical combining class of the last mark
	marks    uint8

	afterJoiner bool // a joiner precedes the cluster in buf
}

const (
	notBuffered = -1 // no part of the cluster is in buf

	// maxMarks is the maximum number of marks in a cluster, because norm splits longer ones.
	maxMarks = 30
)

// combine reads the character at [i, end), which depends on the preceding ones. It returns the
// offset at which to continue.
func (t *tokenizer) combine(c *char, text string, i, end int) int {
	if i > 0 && text[i-1] < utf8.RuneSelf {
		t.cluster = t.asciiCluster(text[i-1], i)
	}
	if c.ccc != 0 && c.ccc >= t.cluster.ccc && t.cluster.marks < maxMarks {
		if t.cluster.bufStart == notBuffered {
			t.cluster.bufStart = len(t.buf)
		}
		t.cluster.ccc = c.ccc
		t.cluster.marks++
		t.readChar(c, i, end)
		return end
	}
	return t.normalizeCluster(text, end)
}

// asciiCluster returns the cluster that starts with the ASCII character before i.
func (t *tokenizer) asciiCluster(c byte, i int) cluster {
	switch {
	case isASCIILetter(c):
		return cluster{from: i - 1, bufStart: len(t.buf) - 1}
	case '<' <= c && c <= '>':
		return cluster{from: i - 1, bufStart: notBuffered} // ≠
	}
	return cluster{from: i, bufStart: notBuffered}
}

// normalizeCluster undoes the cluster, which extends at least to minEnd, and reads its normalized
// and folded form instead. It returns the offset at which to continue.
func (t *tokenizer) normalizeCluster(text string, minEnd int) int {
	from := t.cluster.from
	end := max(minEnd, from+norm.NFKC.NextBoundaryInString(text[from:], true))
	t.undoCluster()
	if charAt(text, from).flags&combining != 0 {
		t.pending.denormalized = true // it belongs to the preceding text
	}
	for _, r := range string(t.fold(text[from:end])) {
		t.readChar(lookup(r), from, end)
	}
	// If another mark follows, it is normalized in the same way.
	t.cluster = cluster{from: end, bufStart: notBuffered, ccc: math.MaxUint8}
	return end
}

// undoCluster removes the cluster from the pending token.
func (t *tokenizer) undoCluster() {
	undo := t.cluster.bufStart
	if undo == notBuffered || t.pending.kind == noToken {
		return
	}
	t.buf = t.buf[:undo]
	if undo <= t.pending.start {
		t.pending = pendingToken{}
		return
	}
	t.pending.end = min(t.pending.end, undo)
	t.pending.afterJoiner = t.cluster.afterJoiner
}

// expand reads the character r at [i, end), whose normalized form has several characters. It
// returns the offset at which to continue.
func (t *tokenizer) expand(c *char, r rune, text string, i, end int) int {
	t.cluster = cluster{from: i, bufStart: notBuffered}
	if end < len(text) && text[end] >= utf8.RuneSelf && charAt(text, end).flags&combining != 0 {
		return t.normalizeCluster(text, end)
	}
	for _, r := range pageOf(r).expansions[c.utf8] {
		t.readChar(lookup(r), i, end)
	}
	t.cluster = cluster{from: end, bufStart: notBuffered, ccc: math.MaxUint8}
	return end
}

// fold returns s in NFKC and case-folded. The result is valid until the next call.
func (t *tokenizer) fold(s string) []byte {
	t.folded = t.folded[:0]
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			t.foldUnicode(s)
			break
		}
		t.folded = append(t.folded, byte(asciiChars[s[i]].utf8))
	}
	return t.folded
}

func (t *tokenizer) foldUnicode(s string) {
	if t.caser == nil {
		folder := cases.Fold()
		t.caser = &folder
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, " ") // as in tokenize, invalid UTF-8 is a separator
	}
	t.folded = append(t.folded[:0], s...)
	t.normalize()
	// Folding can undo the normalization, and vice versa. Two rounds are enough for all but a few
	// letters, and three are enough for all.
	for range 3 {
		if !t.foldCase() || !t.normalize() {
			break
		}
	}
}

// normalize converts t.folded to NFKC and reports whether it changed.
func (t *tokenizer) normalize() bool {
	if norm.NFKC.QuickSpan(t.folded) == len(t.folded) {
		return false
	}
	breakTradeMarks(t.folded)
	t.spare = t.appendNFKC(t.spare[:0], t.folded)
	t.folded, t.spare = t.spare, t.folded
	return !bytes.Equal(t.folded, t.spare)
}

// appendNFKC is norm.NFKC.Append without the allocations.
func (t *tokenizer) appendNFKC(b, text []byte) []byte {
	for t.normalizer.Init(norm.NFKC, text); !t.normalizer.Done(); {
		b = append(b, t.normalizer.Next()...)
	}
	return b
}

// breakTradeMarks replaces trademark signs with spaces, because the normal form of Acme™ would be a
// different word, AcmeTM.
func breakTradeMarks(text []byte) {
	for {
		i := bytes.IndexAny(text, "™℠")
		if i < 0 {
			return
		}
		text = text[i+copy(text[i:], "   "):]
	}
}

// foldCase folds the case of t.folded and reports whether it changed.
func (t *tokenizer) foldCase() bool {
	if n, err := t.caser.Span(t.folded, true); err == nil && n == len(t.folded) {
		return false
	}
	upperCherokee(t.folded)
	t.caser.Reset()
	folded, _, err := transform.Append(t.caser, t.spare[:0], t.folded)
	if err != nil {
		return false // unreachable, because the text is valid
	}
	t.folded, t.spare = folded, t.folded
	return true
}

// upperCherokee converts Cherokee letters to uppercase, because the caser swaps their case instead
// of folding it.
func upperCherokee(text []byte) {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r >= 0x13A0 && unicode.Is(unicode.Cherokee, r) {
			utf8.EncodeRune(text[i:], unicode.ToUpper(r)) // both are three bytes long
		}
		i += size
	}
}

// normalizeText normalizes a range of buf and returns its new range. This is needed after
// characters have been dropped.
func (t *tokenizer) normalizeText(start, end int) (int, int) {
	text := t.buf[start:end]
	if norm.NFKC.QuickSpan(text) == len(text) {
		return start, end
	}
	t.spare = t.appendNFKC(t.spare[:0], text)
	start = len(t.buf)
	t.buf = append(t.buf, t.spare...)
	return start, len(t.buf)
}

// appendPlain appends normalized text without its accents, for comparison with unaccented terms.
// Accents are the diacritics of Latin, Greek and Cyrillic, the vowel points of Arabic and Hebrew,
// and the skin tones of emoji. Marks that form a different letter, as in Devanagari, are not
// accents.
func appendPlain(b, text []byte) []byte {
	for i := 0; i < len(text); {
		if text[i] < utf8.RuneSelf {
			b = append(b, text[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch plain := lookup(r).plain; plain {
		case nonePlain:
		case severalPlain:
			b = appendPlainRune(b, r, text[i:i+size])
		case samePlain:
			b = append(b, text[i:i+size]...)
		default:
			b = utf8.AppendRune(b, plain)
		}
		i += size
	}
	return b
}

// addPlain sets the token's plain spelling if it differs from its text.
func (t *tokenizer) addPlain(tok *token) {
	start := len(t.buf)
	t.buf = appendPlain(t.buf, t.bytes(tok.text))
	plain := t.buf[start:]
	if len(plain) == 0 || bytes.Equal(plain, t.bytes(tok.text)) {
		t.buf = t.buf[:start]
		return
	}
	tok.plain = bufRange{int32(start), int32(len(t.buf))}
	tok.hash = hash(plain)
}

// appendPlainRune appends r without accents. encoded is r in UTF-8.
func appendPlainRune(b []byte, r rune, encoded []byte) []byte {
	if isAccent(r) {
		return b
	}
	if base, ok := strokes[r]; ok {
		return append(b, base...)
	}
	decomposed := norm.NFD.Properties(encoded).Decomposition()
	if len(decomposed) == 0 || r >= 0x2E80 || !accentsOnly(r, decomposed) {
		return append(b, encoded...)
	}
	base, size := utf8.DecodeRune(decomposed)
	return appendPlainRune(b, base, decomposed[:size])
}

// accentsOnly reports whether r decomposes into a letter and accents.
func accentsOnly(r rune, decomposed []byte) bool {
	base, size := utf8.DecodeRune(decomposed)
	if unicode.Is(unicode.Cyrillic, base) && base != 'е' {
		return r == 'ѝ' // й, ї and ў are separate letters
	}
	for _, mark := range string(decomposed[size:]) {
		if !isAccent(mark) {
			return false
		}
	}
	return size < len(decomposed)
}

func isAccent(r rune) bool {
	switch {
	case r < 0x0300:
		return false
	case r <= 0x036F, // diacritics
		0x0591 <= r && r <= 0x05C7 && unicode.IsMark(r), // Hebrew points
		0x064B <= r && r <= 0x065F, r == 0x0670,         // Arabic points and hamza
		0x1AB0 <= r && r <= 0x1AFF, 0x1DC0 <= r && r <= 0x1DFF, 0x20D0 <= r && r <= 0x20FF, // more diacritics
		0x1F3FB <= r && r <= 0x1F3FF: // skin tones
		return true
	}
	return false
}

// strokes lists the accented letters that Unicode does not decompose.
var strokes = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'æ': "ae", 'œ': "oe",
}
