package geo

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize brings what is written alike into one spelling: lower case, without
// accents, dots, apostrophes and a leading "the", words separated by one space.
// It is the spelling that the embedded table of names is keyed by, and is not for
// display.
func Normalize(name string) string {
	b := make([]byte, 0, len(name)+8)
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case isDropped(r): // U.S. is US
		case r == '&':
			b = append(b, " and "...)
		case isWordRune(r):
			b = appendFolded(b, r, name[i:i+size])
		default:
			b = append(b, ' ')
		}
		i += size
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(string(b)), " "), "the ")
}

// isDropped reports whether r makes no difference between two spellings: what joins
// or directs other characters, marks that words are written with or without, and
// the dots and apostrophes within words.
func isDropped(r rune) bool {
	if r < utf8.RuneSelf {
		return r == '.' || r == '\''
	}
	switch {
	case r == '’' || r == 'ʻ' || r == 'ʼ' || r == '`' || r == '´' || r == 'ـ':
		return true
	case r >= 0x300 && r <= 0x36F: // accents
		return true
	case r >= 0x591 && r <= 0x5C7 && r != 0x5BE || r >= 0x64B && r <= 0x65F || r == 0x670: // Hebrew and Arabic vowels
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

// appendFolded appends the spelling of r, which text consists of.
func appendFolded(b []byte, r rune, text string) []byte {
	if r < utf8.RuneSelf {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return append(b, byte(r))
	}
	parts := norm.NFKD.PropertiesString(text).Decomposition()
	if parts == nil {
		return appendPlain(b, r)
	}
	for len(parts) > 0 {
		part, size := utf8.DecodeRune(parts)
		if !isDropped(part) && isWordRune(part) {
			b = appendPlain(b, part)
		}
		parts = parts[size:]
	}
	return b
}

// appendPlain appends the lower case of a letter that has no accents, and letters
// that several ways of writing share.
func appendPlain(b []byte, r rune) []byte {
	switch r = unicode.ToLower(r); r {
	case 'ß':
		return append(b, "ss"...)
	case 'æ':
		return append(b, "ae"...)
	case 'œ':
		return append(b, "oe"...)
	case 'þ':
		return append(b, "th"...)
	case 'ø':
		return append(b, 'o')
	case 'ł':
		return append(b, 'l')
	case 'đ', 'ð':
		return append(b, 'd')
	case 'ı':
		return append(b, 'i')
	case 'ə':
		return append(b, 'e')
	case 'ς':
		r = 'σ'
	case 'ی', 'ى': // Persian and Arabic write the same letter differently
		r = 'ي'
	case 'ک':
		r = 'ك'
	}
	return utf8.AppendRune(b, r)
}
