package classify

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// ratingForms are the forms of rating tokens, from worst to best.
var ratingForms = [...]string{"★0", "★1", "★2", "★3", "★4"}

// rating reads a rating such as 4/5, 7.5/10, 10 out of 10 or 4 stars.
func (s *tokenizer) rating() bool {
	value, at := decimal(s.text, s.at)
	if at == s.at || at-s.at > 4 || s.pendingAttr.has(NoSpaceBefore) {
		return false
	}
	rest := s.text[at:]
	top, used := ratingScale(rest)
	if used == 0 || value > top+2 || value > top && top != 10 {
		return false
	}
	s.at = at + used
	s.putRating(value / top)
	return true
}

// ratingScale returns the best rating of the scale that rest names and its length, or 0. rest
// follows the number.
func ratingScale(rest []byte) (top float64, used int) {
	if len(rest) > 1 && rest[0] == '/' {
		return denominator(rest, 1)
	}
	trimmed := bytes.TrimLeft(rest, " -")
	gap := len(rest) - len(trimmed)
	if gap > 1 || len(trimmed) == 0 {
		return 0, 0
	}
	for _, word := range starWords {
		if hasPrefixFold(trimmed, word) {
			return 5, gap + len(word) + wordLength(trimmed[len(word):])
		}
	}
	for _, word := range outOfWords {
		if gap == 1 && hasPrefixFold(trimmed, word) {
			return denominator(rest, gap+len(word))
		}
	}
	return 0, 0
}

// starWords begin the words for stars.
var starWords = strings.Fields("star ★ ⭐ stern estrell étoile etoile stell estrel ster звезд звёзд gwiazd yıldız stjärn stjern 星")

// outOfWords stand between a rating and the best rating.
var outOfWords = []string{"out of ", "von ", "sur ", "su ", "de ", "из ", "av ", "op ", "uit "}

// denominator reads 5, 10 or 100 at rest[at:] and returns it with the offset after it, or 0.
func denominator(rest []byte, at int) (top float64, used int) {
	top, end := decimal(rest, at)
	if top != 5 && top != 10 && top != 100 || end < len(rest) && (rest[end] == '/' || isLetterByte(rest[end])) {
		return 0, 0
	}
	return top, end
}

// decimal reads a number such as 7 or 7.5 at text[at:] and returns it with the offset after it.
func decimal(text []byte, at int) (value float64, end int) {
	for at < len(text) && isDigit(text[at]) {
		value = 10*value + float64(text[at]-'0')
		at++
	}
	if at+1 < len(text) && (text[at] == '.' || text[at] == ',') && isDigit(text[at+1]) {
		for at, unit := at+1, 0.1; ; at, unit = at+1, unit/10 {
			if at == len(text) || !isDigit(text[at]) {
				return value, at
			}
			value += unit * float64(text[at]-'0')
		}
	}
	return value, at
}

func isLetterByte(c byte) bool { return 'a' <= lower(c) && lower(c) <= 'z' }

// wordLength returns the length of the letters at the start of text.
func wordLength(text []byte) int {
	n := 0
	for n < len(text) {
		r, size := utf8.DecodeRune(text[n:])
		if !isLetter(r) {
			break
		}
		n += size
	}
	return n
}

// stars reads a rating that is drawn: ★★★☆☆ or ⭐⭐⭐⭐. A single star is an emoji.
func (s *tokenizer) stars() bool {
	full, empty, at := 0, 0, s.at
	for at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[at:])
		switch r {
		case '★', '⭐', '🌟':
			full++
		case '☆':
			empty++
		case 0xfe0f: // variation selector
		default:
			size = 0
		}
		if size == 0 {
			break
		}
		at += size
	}
	if total := full + empty; total < 2 || total > 5 || empty > 0 && total != 5 {
		return false
	}
	s.at = at
	s.putRating(float64(full) / 5)
	return true
}

// putRating adds a rating from 0 to 1.
func (s *tokenizer) putRating(share float64) {
	class := 0
	for _, limit := range [...]float64{0.25, 0.45, 0.65, 0.85} {
		if share > limit {
			class++
		}
	}
	s.put(Rating, ratingForms[class])
}
