package people

import "unicode"

// foldedLatin is the plain letter for each letter from À (U+00C0) to ž (U+017E), or a space where
// there is none.
const foldedLatin = "aaaaaaaceeeeiiiidnooooo ouuuuytsaaaaaaaceeeeiiiidnooooo ouuuuyty" +
	"aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllllllln" +
	"nnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzz"

// fold returns r in lower case and without accents, the form in which names and words are compared.
// Decorative alphabets, as in 𝓢𝓪𝓻𝓪𝓱 or Ｓａｒａ, become plain letters.
func fold(r rune) rune {
	switch {
	case r < 0x80:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	case 0xC0 <= r && r <= 0x17E:
		if plain := rune(foldedLatin[r-0xC0]); plain != ' ' {
			return plain
		}
		return r
	case 'А' <= r && r <= 'Я':
		return r + 'а' - 'А'
	case 'а' <= r && r <= 'я':
		return r
	case 0x1D400 <= r && r <= 0x1D6A3:
		return 'a' + (r-0x1D400)%26
	case 0xFF21 <= r && r <= 0xFF3A:
		return 'a' + r - 0xFF21
	case 0xFF41 <= r && r <= 0xFF5A:
		return 'a' + r - 0xFF41
	}
	return unicode.ToLower(r)
}

// isUpper reports whether r is a capital letter.
func isUpper(r rune) bool {
	if r < 0x80 {
		return 'A' <= r && r <= 'Z'
	}
	if 'А' <= r && r <= 'я' {
		return r <= 'Я'
	}
	return unicode.IsUpper(r)
}
