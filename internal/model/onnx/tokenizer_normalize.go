package onnx

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// bertRules configure the BERT normalizer.
type bertRules struct {
	clean, chinese, accents, lower bool
}

// bertNormalizer returns the BERT normalizer: it drops invisible characters, puts spaces around
// Chinese characters, removes accents and converts to lower case.
func bertNormalizer(r bertRules) func(string) string {
	return func(text string) string {
		var b strings.Builder
		b.Grow(len(text))
		for _, c := range text {
			switch {
			case r.clean && (c == 0 || c == 0xFFFD || isControl(c)):
			case r.clean && unicode.IsSpace(c):
				b.WriteByte(' ')
			case r.chinese && isChinese(c):
				b.WriteByte(' ')
				b.WriteRune(c)
				b.WriteByte(' ')
			default:
				b.WriteRune(c)
			}
		}
		text = b.String()
		if r.accents {
			text = stripAccents(norm.NFD.String(text))
		}
		if r.lower {
			text = strings.ToLower(text)
		}
		return text
	}
}

// stripAccents drops combining marks.
func stripAccents(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Mn, c) {
			return -1
		}
		return c
	}, text)
}

// isControl reports whether c is a control or format character other than whitespace.
func isControl(c rune) bool {
	return c != '\t' && c != '\n' && c != '\r' && unicode.Is(unicode.C, c)
}

// chinese contains the blocks of CJK ideographs.
var chinese = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{
		{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1},
		{Lo: 0x2A700, Hi: 0x2CEAF, Stride: 1},
		{Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1},
	},
}

func isChinese(c rune) bool { return unicode.Is(chinese, c) }

// normalizeSentencePiece approximates the default normalization of SentencePiece: NFKC, all
// whitespace as plain spaces, and no invisible characters. Files contain it as a table, which is
// not read; the few characters that differ become different tokens.
func normalizeSentencePiece(text string) string {
	text = norm.NFKC.String(text)
	return collapseSpaces(strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c):
			return ' '
		case isControl(c) && c != 0x200D: // the zero-width joiner joins emoji
			return -1
		}
		return c
	}, text))
}

// collapseSpaces replaces runs of spaces with one space.
func collapseSpaces(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	space := false
	for i := range len(text) {
		if text[i] == ' ' && space {
			continue
		}
		space = text[i] == ' '
		b.WriteByte(text[i])
	}
	return b.String()
}
