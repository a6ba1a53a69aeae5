package people

import "unicode/utf8"

// A spelling is a name in plain letters, split into its parts: the words of "Emma Ludditt", or the
// segments of "emma_ludditt" or "EmmaLudditt92". It truncates names that do not fit; no real name
// is that long.
type spelling struct {
	letters  [maxNameLetters]byte
	bounds   [maxParts + 1]uint8 // part i is letters[bounds[i]:bounds[i+1]]
	parts    int
	cyrillic bool // some letters were Cyrillic
}

const (
	maxNameLetters = 96
	maxParts       = 12
)

// read splits a name at characters other than letters, and where a capital follows a lowercase
// letter. Cyrillic letters are transliterated; letters of other scripts are dropped.
func (s *spelling) read(name string) {
	s.parts, s.cyrillic = 0, false
	s.bounds[0] = 0
	n := 0
	inside, small := false, false
	for _, r := range name {
		plain := s.plain(r)
		if plain == "" {
			inside = inside && isApostrophe(r)
			continue
		}
		if n+len(plain) > maxNameLetters {
			break
		}
		upper := isUpper(r)
		if !inside || small && upper {
			if s.parts == maxParts {
				break
			}
			s.bounds[s.parts] = uint8(n)
			s.parts++
		}
		n += copy(s.letters[n:], plain)
		s.bounds[s.parts] = uint8(n)
		inside, small = true, !upper
	}
}

// part returns the letters of a part.
func (s *spelling) part(i int) []byte {
	return s.letters[s.bounds[i]:s.bounds[i+1]]
}

// start returns the letters of the first n parts.
func (s *spelling) start(n int) []byte { return s.letters[:s.bounds[n]] }

const alphabet = "abcdefghijklmnopqrstuvwxyz"

// plain returns the plain letters for r, or "" if there are none.
func (s *spelling) plain(r rune) string {
	f := fold(r)
	switch {
	case 'a' <= f && f <= 'z':
		return alphabet[f-'a' : f-'a'+1]
	case f < utf8.RuneSelf:
		return ""
	case 'а' <= f && f <= 'я':
		s.cyrillic = true
		return latin[f-'а']
	}
	switch f {
	case 'ё':
		return "e"
	case 'і', 'ї':
		return "i"
	case 'є':
		return "ye"
	}
	return ""
}

// latin transliterates the letters from а to я as English registers of names do.
var latin = [32]string{
	"a", "b", "v", "g", "d", "e", "zh", "z", "i", "y", "k", "l", "m", "n", "o", "p",
	"r", "s", "t", "u", "f", "kh", "ts", "ch", "sh", "shch", "", "y", "", "e", "yu", "ya",
}
