package classify

import (
	"unicode/utf8"
)

// word reads letters up to what ends the word, and puts one or two tokens.
func (s *splitter) word(mood Mood) {
	start := len(s.forms)
	var last rune
	var run, letters, capitals int
	for s.at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[s.at:])
		cl, form := classOf(r)
		if cl == drop {
			s.at += size
			continue
		}
		if isApostrophe(r) {
			if n := s.clitic(size, start); n > 0 {
				s.endWord(start, mood, letters, capitals)
				s.put(Word, cliticForms[n-1])
				return
			}
			break
		}
		if cl != letter {
			break
		}
		s.at += size
		letters++
		if form != r {
			capitals++
		}
		if form == last {
			run++
		} else {
			last, run = form, 1
		}
		if run > 2 {
			mood |= Drawn
			continue
		}
		s.forms = utf8.AppendRune(s.forms, form)
	}
	s.endWord(start, mood, letters, capitals)
}

func (s *splitter) endWord(start int, mood Mood, letters, capitals int) {
	if len(s.forms) == start {
		return
	}
	if letters > 1 && letters == capitals {
		mood |= Caps
	}
	s.close(Word, mood, start)
	s.pending = Glued
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' || r == '´' }

// cliticForms are what English hangs on a word with an apostrophe. "n't" takes its n
// from the word.
var cliticForms = [...]string{"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"}

// clitic moves past a clitic after the apostrophe at s.at and returns which one it is,
// from 1; 0 when there is none.
func (s *splitter) clitic(apostrophe, start int) int {
	rest := s.text[s.at+apostrophe:]
	n, which := 0, 0
	switch {
	case len(rest) == 0:
		return 0
	case lower(rest[0]) == 't' && len(s.forms)-start > 1 && s.forms[len(s.forms)-1] == 'n':
		s.forms = s.forms[:len(s.forms)-1]
		n, which = 1, 1
	case lower(rest[0]) == 's':
		n, which = 1, 2
	case lower(rest[0]) == 'm':
		n, which = 1, 3
	case lower(rest[0]) == 'd':
		n, which = 1, 7
	case hasPrefixFold(rest, "re"):
		n, which = 2, 4
	case hasPrefixFold(rest, "ve"):
		n, which = 2, 5
	case hasPrefixFold(rest, "ll"):
		n, which = 2, 6
	default:
		return 0
	}
	if n < len(rest) {
		if r, _ := utf8.DecodeRune(rest[n:]); isLetter(r) {
			if which == 1 {
				s.forms = append(s.forms, 'n')
			}
			return 0
		}
	}
	s.at += apostrophe + n
	return which
}

func isLetter(r rune) bool {
	cl, _ := classOf(r)
	return cl == letter
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// hashtag reads #tag: the tag as one token, then its words when capitals divide it.
func (s *splitter) hashtag() bool {
	at, start := s.at+1, len(s.forms)
	words, wasLower := 0, false
	for at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[at:])
		cl, form := classOf(r)
		if cl != letter && cl != single && cl != digit && r != '_' && cl != drop {
			break
		}
		at += size
		if cl == drop {
			continue
		}
		if form != r && wasLower || r == '_' || cl == digit {
			words++
		}
		wasLower = form == r && cl == letter
		s.forms = utf8.AppendRune(s.forms, form)
	}
	if len(s.forms) == start {
		return false
	}
	s.close(Word, s.pending|Tagged, start)
	s.pending = Glued
	if words > 0 {
		s.tagWords(s.text[s.at+1 : at])
	}
	s.at = at
	return true
}

// tagWords puts the words of a tag: AllTheFeels, all_the_feels, feels2016.
func (s *splitter) tagWords(tag []byte) {
	start, wasLower := len(s.forms), false
	for len(tag) > 0 {
		r, size := utf8.DecodeRune(tag)
		tag = tag[size:]
		cl, form := classOf(r)
		if form != r && wasLower || cl == digit || cl == other {
			s.tagWord(start)
			start = len(s.forms)
		}
		wasLower = form == r && cl == letter
		if cl == letter || cl == single {
			s.forms = utf8.AppendRune(s.forms, form)
		}
	}
	s.tagWord(start)
}

func (s *splitter) tagWord(start int) {
	if len(s.forms) > start {
		s.close(Word, Tagged|Glued, start)
	}
}
