package classify

import (
	"unicode/utf8"
)

// word reads letters to the end of the word and adds one or two tokens.
func (s *tokenizer) word(attr Attr) {
	w := spelling{start: len(s.forms), attr: attr}
	for {
		s.latin(&w)
		if s.at == len(s.text) {
			break
		}
		r, size := utf8.DecodeRune(s.text[s.at:])
		cl, form := classOf(r)
		if cl == ignorable {
			s.at += size
			continue
		}
		if isApostrophe(r) {
			if n := s.clitic(size, w.start); n > 0 {
				s.endWord(w)
				s.put(Word, cliticForms[n-1])
				return
			}
			break
		}
		if cl != letter {
			break
		}
		s.at += size
		s.spell(&w, r, form)
	}
	s.endWord(w)
}

// A spelling is a word that is being read.
type spelling struct {
	start             int // start of its form
	attr              Attr
	last              rune // last letter of its form
	run               int  // number of consecutive occurrences of that letter
	letters, capitals int
}

// latin adds the ASCII letters that follow. It is the fast path for most posts.
func (s *tokenizer) latin(w *spelling) {
	start, forms, last, run := s.at, s.forms, w.last, w.run
	text := s.text[s.at:]
	n := 0
	for ; n < len(text); n++ {
		form := text[n] | 0x20
		if form < 'a' || form > 'z' {
			break
		}
		if form != text[n] {
			w.capitals++
		}
		if rune(form) != last {
			last, run = rune(form), 0
		}
		if run++; run > 2 {
			w.attr |= Elongated
			continue
		}
		forms = append(forms, form)
	}
	s.at, s.forms, w.last, w.run = start+n, forms, last, run
	w.letters += n
}

// spell adds a letter to the word, given as written and in its normalized form.
func (s *tokenizer) spell(w *spelling, r, form rune) {
	w.letters++
	if form != r {
		w.capitals++
	}
	if form != w.last {
		w.last, w.run = form, 0
	}
	if w.run++; w.run > 2 {
		w.attr |= Elongated
		return
	}
	s.forms = utf8.AppendRune(s.forms, form)
}

func (s *tokenizer) endWord(w spelling) {
	if len(s.forms) == w.start {
		return
	}
	if w.letters > 1 && w.letters == w.capitals {
		w.attr |= Caps
	}
	s.endToken(Word, w.attr, w.start)
	s.pendingAttr = NoSpaceBefore
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' || r == '´' }

// cliticForms are the English clitics that follow a word with an apostrophe. The n of "n't" comes
// from the word.
var cliticForms = [...]string{"n't", "'s", "'m", "'re", "'ve", "'ll", "'d"}

// clitic skips the clitic after the apostrophe at s.at. It returns the 1-based index of the clitic,
// or 0 if there is none.
func (s *tokenizer) clitic(apostrophe, start int) int {
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

// hashtag reads #tag: the tag as one token, followed by its words if capitals, digits or
// underscores divide it.
func (s *tokenizer) hashtag() bool {
	at, start := s.at+1, len(s.forms)
	words, wasLower := 0, false
	for at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[at:])
		cl, form := classOf(r)
		if cl != letter && cl != logogram && cl != digit && r != '_' && cl != ignorable {
			break
		}
		at += size
		if cl == ignorable {
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
	s.endToken(Word, s.pendingAttr|InHashtag, start)
	s.pendingAttr = NoSpaceBefore
	if words > 0 {
		s.tagWords(s.text[s.at+1 : at])
	}
	s.at = at
	return true
}

// tagWords adds the words of a tag such as AllTheFeels, all_the_feels or feels2016.
func (s *tokenizer) tagWords(tag []byte) {
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
		if cl == letter || cl == logogram {
			s.forms = utf8.AppendRune(s.forms, form)
		}
	}
	s.tagWord(start)
}

func (s *tokenizer) tagWord(start int) {
	if len(s.forms) > start {
		s.endToken(Word, InHashtag|NoSpaceBefore, start)
	}
}
