package geo

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A NameKind is the kind of a place name. Kinds are ordered from strongest to weakest. This type
// and the other exported details of the tables exist for gen, which writes the tables.
type NameKind uint8

const (
	Name      NameKind = iota // the usual name
	Alternate                 // another name, often historical or in another language
	Code                      // a code such as NY
	Suffix                    // like DE, used only after the name of a place within it
)

// The embedded hash table of names maps a normalized name to the places it may mean. It starts with
// a directory of NameBuckets+1 uint32 values: the index of each bucket's first entry. The entries
// follow, six bytes each: a [NameEntry] and the index of a place. The table stores 44 bits of each
// name's hash instead of the name, so only one in many millions of other texts is mistaken for a
// name.
//
// All entries of a name are adjacent, with the most likely meaning first.
//
//go:embed names.bin
var nameTable string

const (
	bucketBits = 15
	entrySize  = 6

	// NameBuckets is the number of buckets in the table of names.
	NameBuckets = 1 << bucketBits

	entries = 4 * (NameBuckets + 1) // offset of the first entry
)

// NameBucket returns the bucket for a hash.
func NameBucket(hash uint64) int { return int(hash >> (64 - bucketBits)) }

// NameEntry packs the hash bits that the bucket does not determine, the kind, and whether the name
// is also a common word.
func NameEntry(hash uint64, kind NameKind, word bool) uint32 {
	e := fingerprint(hash) | uint32(kind)<<1
	if word {
		e |= 1
	}
	return e
}

func fingerprint(hash uint64) uint32 { return uint32(hash>>(32-bucketBits)) &^ 7 }

// A hasher computes the FNV-1a hash of a name incrementally, so that hashing "new york city" can
// extend the hash of "new york".
type hasher uint64

const hashSeed hasher = 0xcbf29ce484222325

func (h hasher) add(b byte) hasher { return (h ^ hasher(b)) * 0x100000001b3 }

func (h hasher) addAll(text []byte) hasher {
	for _, b := range text {
		h = h.add(b)
	}
	return h
}

// sum mixes the bits, because the high bits of FNV-1a are poorly distributed for short texts.
func (h hasher) sum() uint64 {
	x := uint64(h)
	x = (x ^ x>>33) * 0xff51afd7ed558ccd
	x = (x ^ x>>33) * 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// HashName returns the hash of a normalized name.
func HashName(name string) uint64 {
	h := hashSeed
	for i := range len(name) {
		h = h.add(name[i])
	}
	return h.sum()
}

// meanings are the places that a name may mean, most likely first. They are a range of entries in
// the table of names.
type meanings struct{ from, to int32 }

func (m meanings) len() int { return int(m.to-m.from) / entrySize }

// at returns the n-th place and the kind of name it has.
func (m meanings) at(n int) (place int, kind NameKind) {
	at := int(m.from) + n*entrySize
	return int(uint16At(nameTable, at+4)), NameKind(nameTable[at] >> 1 & 3)
}

// nameWithin reports whether the name is the usual name of a place within another place.
func (m meanings) nameWithin(in int) bool {
	for n := range m.len() {
		if place, kind := m.at(n); kind == Name && isWithin(place, in) {
			return true
		}
	}
	return false
}

// hasUSState reports whether the name may mean a state of the USA.
func (m meanings) hasUSState() bool {
	for n := range m.len() {
		if place, _ := m.at(n); isUSState(place) {
			return true
		}
	}
	return false
}

// isWord reports whether the name is also a common word.
func (m meanings) isWord() bool { return nameTable[m.from]&1 != 0 }

// lookupName returns the meanings of the name with the given hash.
func lookupName(hash uint64) meanings {
	bucket := NameBucket(hash)
	at := entries + entrySize*int(uint32At(nameTable, 4*bucket))
	end := entries + entrySize*int(uint32At(nameTable, 4*bucket+4))
	want := fingerprint(hash)
	for at < end && uint32At(nameTable, at)&^7 != want {
		at += entrySize
	}
	m := meanings{from: int32(at), to: int32(at)}
	for at < end && uint32At(nameTable, at)&^7 == want {
		at += entrySize
	}
	m.to = int32(at)
	return m
}

// Normalize returns the normalized form of a name: lower case, without accents, dots, apostrophes
// or a leading "the", and with words separated by one space. It is the key of the embedded table of
// names and is not meant for display.
func Normalize(name string) string {
	b := make([]byte, 0, len(name)+8)
	for i := 0; i < len(name); {
		r, size := utf8.DecodeRuneInString(name[i:])
		switch {
		case isDropped(r): // U.S. becomes US
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

// isDropped reports whether normalization drops r: joiners, direction marks, optional vowel marks,
// and dots and apostrophes within words.
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

// appendFolded appends the normalized form of r. text is the UTF-8 encoding of r.
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

// appendPlain appends r, a letter without accents, in lower case, and maps variants of a letter to
// one form.
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
	case 'ی', 'ى': // Persian and Arabic encode the same letter differently
		r = 'ي'
	case 'ک':
		r = 'ك'
	}
	return utf8.AppendRune(b, r)
}
