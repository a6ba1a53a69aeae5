package query

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// appendPlain appends normalised text without its accents: what an unaccented
// term is compared with. Accents are the diacritics of Latin, Greek and Cyrillic,
// the vowel points of Arabic and Hebrew, and the skin tones of emoji. Marks that
// make another letter, as in Devanagari, stay.
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

// addPlain gives the token a spelling without accents, where that is another one.
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

// appendPlainRune appends r, spelled as encoded, without accents.
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

// accentsOnly reports whether r is a letter and accents upon it.
func accentsOnly(r rune, decomposed []byte) bool {
	base, size := utf8.DecodeRune(decomposed)
	if unicode.Is(unicode.Cyrillic, base) && base != 'е' {
		return r == 'ѝ' // й, ї and ў are letters of their own
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

// strokes are the accented letters that Unicode does not decompose.
var strokes = map[rune]string{
	'ø': "o", 'ł': "l", 'đ': "d", 'ħ': "h", 'ŧ': "t", 'ı': "i", 'æ': "ae", 'œ': "oe",
}
