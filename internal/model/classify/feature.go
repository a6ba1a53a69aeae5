package classify

import "unicode/utf8"

// Salts distinguish the different features of a token.
const (
	saltNegated = 0x9e3779b97f4a7c15
	saltSkip    = 0xc2b2ae3d27d4eb4f
	saltNGram   = 0x165667b19e3779f9
)

// AppendWords appends the features of t's tokens to dst: unigrams, negated unigrams, bigrams,
// trigrams and skip-bigrams.
func (t *Text) AppendWords(dst []uint64) []uint64 {
	var before, last uint64
	for i, tok := range t.Tokens {
		h := tok.Hash
		dst = append(dst, h)
		if tok.Has(Negated) {
			dst = append(dst, Mix(h, saltNegated))
		}
		if i > 0 {
			pair := Mix(last, h)
			dst = append(dst, pair)
			if i > 1 {
				dst = append(dst, Mix(before, pair), Mix(before^saltSkip, h))
			}
		}
		before, last = last, h
	}
	return dst
}

// maxForm is the number of bytes of a word that are used for n-grams.
const maxForm = 64

// AppendNGrams appends the character n-grams of a token, with n from 3 to 5. They include the word
// boundaries. A Korean letter is a syllable, so Korean words also have bigrams.
func AppendNGrams(dst []uint64, form []byte) []uint64 {
	var buf [maxForm + 2]byte
	form = form[:min(len(form), maxForm)]
	buf[0] = '_'
	n := 1 + copy(buf[1:], form)
	buf[n] = '_'
	word := buf[:n+1]
	switch {
	case isASCII(form):
		return appendASCIINGrams(dst, word)
	case isHangul(form):
		return appendRuneNGrams(dst, word, 2)
	}
	return appendRuneNGrams(dst, word, 3)
}

// isHangul reports whether a word begins with a Korean syllable.
func isHangul(form []byte) bool {
	r, _ := utf8.DecodeRune(form)
	return r >= 0xac00 && r < 0xd7a4
}

func appendRuneNGrams(dst []uint64, word []byte, shortest int) []uint64 {
	for at := 0; at < len(word); {
		h := uint64(saltNGram)
		letters := 0
		for i, c := range word[at:] {
			h = hashByte(h, c)
			if at+i+1 < len(word) && !utf8.RuneStart(word[at+i+1]) {
				continue
			}
			letters++
			if letters >= shortest {
				dst = append(dst, h)
			}
			if letters == 5 {
				break
			}
		}
		at++
		for at < len(word) && !utf8.RuneStart(word[at]) {
			at++
		}
	}
	return dst
}

func isASCII(form []byte) bool {
	var all byte
	for _, c := range form {
		all |= c
	}
	return all < utf8.RuneSelf
}

// appendASCIINGrams is appendRuneNGrams for ASCII words.
func appendASCIINGrams(dst []uint64, word []byte) []uint64 {
	for ; len(word) > 2; word = word[1:] {
		h := hashByte(hashByte(hashByte(saltNGram, word[0]), word[1]), word[2])
		dst = append(dst, h)
		if len(word) > 3 {
			h = hashByte(h, word[3])
			dst = append(dst, h)
		}
		if len(word) > 4 {
			dst = append(dst, hashByte(h, word[4]))
		}
	}
	return dst
}

// CountNGrams returns the number of features that [AppendNGrams] appends.
func CountNGrams(form []byte) int {
	n := utf8.RuneCount(form[:min(len(form), maxForm)]) + 2
	count := max(n-2, 0) + max(n-3, 0) + max(n-4, 0)
	if isHangul(form) {
		count += n - 1
	}
	return count
}

// 64-bit FNV-1a. It is incremental, so one pass hashes all n-grams that start at a letter.
const (
	hashSeed  = 14695981039346656037
	hashPrime = 1099511628211
)

func hashByte(h uint64, c byte) uint64 { return (h ^ uint64(c)) * hashPrime }

// Hash returns the hash of a token with the given normalized form.
func Hash(form string) uint64 {
	h := uint64(hashSeed)
	for i := range len(form) {
		h = hashByte(h, form[i])
	}
	return h
}

// Mix returns the hash of the ordered pair of features a and b.
func Mix(a, b uint64) uint64 {
	h := (a ^ a>>29) * 0xbf58476d1ce4e5b9
	h ^= b
	h = (h ^ h>>32) * 0x94d049bb133111eb
	return h ^ h>>29
}
