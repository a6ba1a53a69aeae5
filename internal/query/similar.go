package query

import (
	"bytes"
	"iter"
	"unicode/utf8"
)

// Plain returns a word as the keys of a [Vocabulary] spell it: normalized, without accents and sigil.
// ok is false if the text is not a single word.
func Plain(text string) (word string, ok bool) {
	var t tokenizer
	t.tokenize(text)
	if len(t.words) != 1 {
		return "", false
	}
	return string(t.bytes(t.words[0].plain)), true
}

// Edits returns how many edits turn one plain word into another: the number of characters to insert,
// delete or replace, and of neighbors to swap. No character is edited twice.
func Edits(a, b string) int {
	s := newSpeller(a)
	for _, r := range b {
		s.push(r, utf8.RuneLen(r))
	}
	return s.edits()
}

// Similar yields the plain spellings in a vocabulary that are at most a number of edits from a plain
// word, with the IDs [from, to) of their keys, in order. Each spelling is valid until the next one.
func Similar(v Vocabulary, word string, edits int) iter.Seq2[[]byte, SimilarKeys] {
	return func(yield func([]byte, SimilarKeys) bool) {
		s := newSpeller(word)
		var spelled []byte
		_, end := v.Prefix("")
		for next := uint32(0); next < end; {
			from := next
			next = end
			for id, key := range v.Keys(from, end) {
				plain, _, _ := bytes.Cut(key, []byte(keySeparator))
				if bytes.Equal(plain, spelled) { // also the empty key
					continue
				}
				spelled = append(spelled[:0], plain...)
				if !s.spell(plain, edits) {
					// Nothing that starts like this is similar. Few keys are cheaper to read than to skip.
					if _, after := v.Prefix(string(plain[:s.length()])); after > id+skipKeys {
						next = after
						break
					}
					continue
				}
				if n := s.edits(); n <= edits && len(plain) > 0 {
					first, after := v.Prefix(string(plain) + keySeparator)
					if !yield(plain, SimilarKeys{From: first, To: after, Edits: n}) {
						return
					}
				}
			}
		}
	}
}

// SimilarKeys are the keys [From, To) of a similar spelling.
type SimilarKeys struct {
	From, To uint32
	Edits    int
}

// skipKeys is the number of keys from which finding the first key after them is faster than reading
// them.
const skipKeys = 32

// A speller computes the edits between a word and others that share prefixes. It keeps a row of the
// table of distances for each character, so spelling a word after a similar one is fast.
type speller struct {
	word  []rune
	typed []rune
	sizes []int // of typed, in bytes
	rows  [][]int
}

func newSpeller(word string) *speller {
	s := &speller{word: []rune(word)}
	first := make([]int, len(s.word)+1)
	for i := range first {
		first[i] = i
	}
	s.rows = append(s.rows, first)
	return s
}

// edits returns the edits between the word and the characters pushed so far.
func (s *speller) edits() int { return s.rows[len(s.typed)][len(s.word)] }

// push appends a character of some bytes.
func (s *speller) push(r rune, size int) {
	n := len(s.typed) + 1
	if len(s.rows) == n {
		s.rows = append(s.rows, make([]int, len(s.word)+1))
	}
	row, before := s.rows[n], s.rows[n-1]
	row[0] = n
	for i, w := range s.word {
		replace := before[i]
		if w != r {
			replace++
		}
		row[i+1] = min(replace, before[i+1]+1, row[i]+1)
		if n > 1 && i > 0 && w == s.typed[n-2] && s.word[i-1] == r {
			row[i+1] = min(row[i+1], s.rows[n-2][i-1]+1)
		}
	}
	s.typed, s.sizes = append(s.typed, r), append(s.sizes, size)
}

// length returns the number of bytes spelled so far.
func (s *speller) length() (n int) {
	for _, size := range s.sizes {
		n += size
	}
	return n
}

// spell replaces what was spelled before. It returns false as soon as no continuation can be within
// a number of edits.
func (s *speller) spell(plain []byte, edits int) bool {
	shared := 0
	for rest := plain; shared < len(s.typed) && len(rest) > 0; shared++ {
		r, size := utf8.DecodeRune(rest)
		if r != s.typed[shared] {
			break
		}
		rest = rest[size:]
	}
	s.typed, s.sizes = s.typed[:shared], s.sizes[:shared]
	if !s.mayContinue(edits) {
		return false
	}
	for rest := plain[s.length():]; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		s.push(r, size)
		if !s.mayContinue(edits) {
			return false
		}
		rest = rest[size:]
	}
	return true
}

// mayContinue reports whether words that start with what is spelled can be within a number of edits.
// A swap continues the row before the last.
func (s *speller) mayContinue(edits int) bool {
	n := len(s.typed)
	if minOf(s.rows[n]) <= edits {
		return true
	}
	return n > 0 && minOf(s.rows[n-1]) < edits
}

func minOf(row []int) int {
	least := row[0]
	for _, n := range row[1:] {
		least = min(least, n)
	}
	return least
}
