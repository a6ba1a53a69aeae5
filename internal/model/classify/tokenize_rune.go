package classify

import "unicode"

// A runeClass is the role of a rune in tokenization.
type runeClass uint8

const (
	other  runeClass = iota // separator
	letter                  // part of a word
	digit
	logogram // a word of its own, in scripts without spaces
	emoji
	ignorable // variation selectors, joiners, skin tones, tatweel, vowel points
)

// classOf returns the class of a rune and its normalized form: lower case, with variants of a
// letter unified. It recognizes common scripts by range because the Unicode tables are slow.
func classOf(r rune) (runeClass, rune) {
	switch {
	case r < 0x80:
		return classOfASCII(r)
	case r < 0x250:
		return classOfLatin(r)
	case r >= 0x400 && r < 0x530:
		return letter, lowerCyrillic(r)
	case r >= 0x600 && r < 0x6d5:
		return classOfArabic(r)
	case r >= 0x900 && r < 0x970:
		return classOfDevanagari(r)
	case r >= 0xe01 && r < 0xe4f:
		return logogram, r
	case r >= 0x3041 && r < 0x30ff, r >= 0x3400 && r < 0xa000:
		return logogram, r
	case r >= 0xac00 && r < 0xd7a4:
		return letter, r
	case r >= 0x1f3fb && r <= 0x1f3ff, r >= 0xfe00 && r <= 0xfe0f, r >= 0x200b && r <= 0x200f:
		return ignorable, r
	case r >= 0x1f000 && r < 0x1fb00, r >= 0x2600 && r < 0x27c0, r >= 0x2b00 && r < 0x2c00,
		r >= 0x2190 && r < 0x2200, r >= 0x2300 && r < 0x2400:
		return emoji, r
	}
	return classOfRest(r)
}

func classOfASCII(r rune) (runeClass, rune) {
	switch {
	case 'a' <= r && r <= 'z':
		return letter, r
	case 'A' <= r && r <= 'Z':
		return letter, r + 'a' - 'A'
	case '0' <= r && r <= '9':
		return digit, r
	}
	return other, r
}

func classOfLatin(r rune) (runeClass, rune) {
	switch {
	case r == 0xaa || r == 0xb5 || r == 0xba:
		return letter, r
	case r == 0xa9 || r == 0xae:
		return emoji, r // © and ®
	case r < 0xc0 || r == 0xd7 || r == 0xf7:
		return other, r
	case r < 0xdf:
		return letter, r + 32
	case r < 0x100:
		return letter, r
	}
	return letter, unicode.ToLower(r)
}

func lowerCyrillic(r rune) rune {
	switch {
	case r == 0x401 || r == 0x451: // Ё is usually written as Е
		return 0x435
	case r < 0x410:
		return r + 80
	case r < 0x430:
		return r + 32
	case r < 0x460:
		return r
	}
	return unicode.ToLower(r)
}

func classOfArabic(r rune) (runeClass, rune) {
	switch {
	case r == 0x622 || r == 0x623 || r == 0x625 || r == 0x671:
		return letter, 0x627 // forms of alef
	case r == 0x649:
		return letter, 0x64a
	case r == 0x629:
		return letter, 0x647
	case r == 0x640 || r >= 0x64b && r <= 0x65f || r == 0x670:
		return ignorable, r
	case r >= 0x660 && r <= 0x669:
		return digit, r
	case r < 0x620 || r >= 0x66a && r <= 0x66d || r == 0x6d4:
		return other, r
	}
	return letter, r
}

func classOfDevanagari(r rune) (runeClass, rune) {
	switch {
	case r == 0x964 || r == 0x965:
		return other, r
	case r >= 0x966 && r <= 0x96f:
		return digit, r
	}
	return letter, r
}

func classOfRest(r rune) (runeClass, rune) {
	switch {
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return letter, unicode.ToLower(r)
	case unicode.IsDigit(r):
		return digit, r
	case unicode.Is(unicode.So, r) && r != unicode.ReplacementChar:
		return emoji, r
	}
	return other, r
}
