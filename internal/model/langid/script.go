package langid

import "unicode"

// A script is a writing system. Most languages use one script, and some scripts are used by only
// one language.
type script uint8

const (
	noScript script = iota // not a letter
	mark                   // belongs to the preceding letter
	latin
	cyrillic
	arabic
	devanagari
	cjk // Han, Hiragana and Katakana
	greek
	hebrew
	thai
	hangul
	otherScript // not used by any detected language
	scripts
)

// A scriptTrait describes a script.
type scriptTrait struct {
	name       string
	only       string // its only language, or ""
	weight     int    // weight of a letter when choosing the script of a text
	minLetters int    // minimum number of letters to detect a language
	maxNGram   int    // maximum n-gram length in letters; 0 without a table
}

// Names, addresses and loanwords are written in Latin letters everywhere, so letters of other
// scripts count double. A CJK character counts more because it is about half a word.
var traits = [scripts]scriptTrait{
	latin:       {name: "Latin", weight: 1, minLetters: 4, maxNGram: 5},
	cyrillic:    {name: "Cyrillic", weight: 2, minLetters: 4, maxNGram: 5},
	arabic:      {name: "Arabic", weight: 2, minLetters: 3, maxNGram: 5},
	devanagari:  {name: "Devanagari", weight: 2, minLetters: 3, maxNGram: 5},
	cjk:         {name: "CJK", weight: 4, minLetters: 1, maxNGram: 2},
	greek:       {name: "Greek", only: "el", weight: 2, minLetters: 2},
	hebrew:      {name: "Hebrew", only: "he", weight: 2, minLetters: 2},
	thai:        {name: "Thai", only: "th", weight: 2, minLetters: 2},
	hangul:      {name: "Hangul", only: "ko", weight: 3, minLetters: 1},
	otherScript: {name: "other", weight: 2, minLetters: 1},
}

// scriptOf returns the script of a non-ASCII character.
func scriptOf(r rune) script {
	switch {
	case r < 0x300:
		if r < 0xC0 || r == '×' || r == '÷' || r > 0x2AF {
			return noScript
		}
		return latin
	case r < 0x370:
		return mark
	case r < 0x400:
		if r == 0x37E || r == 0x387 {
			return noScript
		}
		return greek
	case r < 0x530:
		if r >= 0x483 && r <= 0x489 {
			return mark
		}
		return cyrillic
	case r < 0x900:
		return semiticScript(r)
	case r < 0x3000:
		return southernScript(r)
	}
	return easternScript(r)
}

func semiticScript(r rune) script {
	switch {
	case r >= 0x5D0 && r <= 0x5F2:
		return hebrew
	case r >= 0x591 && r <= 0x5C7, r == 0x640, r >= 0x64B && r <= 0x65F, r == 0x670, r >= 0x6D6 && r <= 0x6ED:
		return mark
	case r >= 0x620 && r < 0x660, r >= 0x66E && r <= 0x6D5, r >= 0x6FA && r <= 0x6FF, r >= 0x750 && r < 0x780:
		if r == 0x6D4 {
			return noScript // the Urdu full stop
		}
		return arabic
	case r >= 0x531 && r <= 0x587, r >= 0x710:
		return otherScript
	}
	return noScript
}

func southernScript(r rune) script {
	switch {
	case r <= 0x97F:
		if r >= 0x964 && r <= 0x96F {
			return noScript // full stops and digits
		}
		return devanagari
	case r < 0xE00:
		return otherScript
	case r < 0xE80:
		if r == 0xE3F || r >= 0xE4F {
			return noScript
		}
		return thai
	case r >= 0x1100 && r < 0x1200:
		return hangul
	case r >= 0x1E00 && r < 0x1F00:
		return latin
	case r >= 0x1F00 && r < 0x2000:
		return greek
	case r < 0x2000, r >= 0x2C00 && r < 0x2E00:
		return otherScript
	case r == 0x200D:
		return mark // joins letters
	}
	return noScript
}

func easternScript(r rune) script {
	switch {
	case r >= 0x3041 && r <= 0x30FF:
		if r == 0x30FB {
			return noScript // a dot between words
		}
		return cjk
	case r >= 0x3400 && r < 0xA000, r >= 0x3005 && r <= 0x3007, r >= 0xF900 && r < 0xFB00, r >= 0xFF66 && r <= 0xFF9D, r >= 0x20000 && r < 0x32000:
		return cjk
	case r >= 0xAC00 && r <= 0xD7A3, r >= 0x3131 && r <= 0x318E:
		return hangul
	case r >= 0xFB1D && r <= 0xFB4F:
		return hebrew
	case r >= 0xFB50 && r <= 0xFDFB && r != 0xFD3E && r != 0xFD3F, r >= 0xFE70 && r <= 0xFEFC:
		return arabic
	case r >= 0xFE00 && r <= 0xFE0F:
		return mark // selects a variant of the preceding character
	case r >= 0xA000 && r < 0xABFF:
		return otherScript
	}
	return noScript
}

// fold returns a non-ASCII letter in lower case. It handles common letters directly because
// unicode.ToLower searches a table.
func fold(r rune) rune {
	switch {
	case r >= 0xC0 && r <= 0xDE, r >= 0x410 && r <= 0x42F:
		return r + 0x20
	case r >= 0xDF && r < 0x100, r >= 0x250 && r < 0x2B0, r >= 0x430 && r < 0x460, r >= 0x530 && r < 0x1E00, r >= 0x2E00:
		return r
	}
	return unicode.ToLower(r)
}
