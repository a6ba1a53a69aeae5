package classify

import "unicode/utf8"

// Tokenize sets t to the tokens of the first maxBytes bytes of text, truncated at a rune boundary.
// Invalid UTF-8 separates words.
//
// Links and mentions lose their target, and numbers lose their value. A hashtag yields the tag and,
// if capitals or digits separate them, its words. "don't" yields "do" and "n't"; "l'eau" yields "l"
// and "eau". A letter repeated more than twice is reduced to two. A run of ! and ? is one token.
func (t *Text) Tokenize(text string, maxBytes int) {
	t.Tokens, t.forms = t.Tokens[:0], t.forms[:0]
	t.raw = appendUnescaped(t.raw[:0], truncate(text, maxBytes))
	s := tokenizer{Text: t, text: t.raw, pendingAttr: ClauseStart}
	for s.at < len(s.text) {
		s.next()
	}
}

func truncate(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// A tokenizer holds the state of Tokenize.
type tokenizer struct {
	*Text
	text        []byte
	at          int
	pendingAttr Attr // attributes of the next token
}

// next reads one token or separator.
func (s *tokenizer) next() {
	c := s.text[s.at]
	switch {
	case c == ' ':
		s.at++
		s.pendingAttr &^= NoSpaceBefore
		return
	case c == '@' && s.skipName():
		s.put(Mention, "@")
		return
	case c == '#' && s.hashtag():
		return
	case (c == 'h' || c == 'w' || c == 'H' || c == 'W') && s.skipLink():
		s.put(Link, "://")
		return
	}
	if n := emoticon(s.text[s.at:]); n > 0 && !s.pendingAttr.has(NoSpaceBefore) {
		s.putEmoticon(n)
		return
	}
	s.plain()
}

func (m Attr) has(x Attr) bool { return m&x != 0 }

// put adds a token with the pending attributes.
func (s *tokenizer) put(kind Kind, form string) {
	s.add(kind, s.pendingAttr, form)
	s.pendingAttr = NoSpaceBefore
}

// putEmoticon adds the next n bytes as an emoticon, without its nose: ":-)" becomes ":)".
func (s *tokenizer) putEmoticon(n int) {
	start := len(s.forms)
	for _, c := range s.text[s.at : s.at+n] {
		if c != '-' && c != '^' {
			s.forms = append(s.forms, c)
		}
	}
	s.endToken(Emoticon, s.pendingAttr, start)
	s.at += n
	s.pendingAttr = NoSpaceBefore
}

// plain reads a word, a number, an emoji, punctuation or a separator.
func (s *tokenizer) plain() {
	r, size := utf8.DecodeRune(s.text[s.at:])
	cl, form := classOf(r)
	switch cl {
	case letter:
		s.word(s.pendingAttr)
	case digit:
		if !s.Ratings || !s.rating() {
			s.number()
		}
	case logogram, emoji:
		if s.Ratings && (r == '★' || r == '☆' || r == '⭐' || r == '🌟') && s.stars() {
			return
		}
		kind := Word
		if cl == emoji {
			kind = Emoji
		}
		s.at += size
		s.putRune(kind, form)
	case ignorable:
		s.at += size
	default:
		s.separator(r, size)
	}
}

func (s *tokenizer) putRune(kind Kind, r rune) {
	start := len(s.forms)
	s.forms = utf8.AppendRune(s.forms, r)
	s.endToken(kind, s.pendingAttr, start)
	s.pendingAttr = NoSpaceBefore
}

// separator reads a rune that is not part of a word.
func (s *tokenizer) separator(r rune, size int) {
	if isPunctuation(r) && s.punctuation() {
		return
	}
	s.at += size
	s.pendingAttr &^= NoSpaceBefore
	switch r {
	case '.', ',', ';', ':', '\n', '(', ')', '"', '،', '؛', '。', '、', '，', '।', '…', '|', '-', '–', '—':
		// Punctuation inside a word or number does not end a clause.
		if s.at >= len(s.text) || s.text[s.at] == ' ' || r > 0x7f || r == '\n' {
			s.pendingAttr |= ClauseStart
		}
	}
}

// number reads a run of digits and the separators between them.
func (s *tokenizer) number() {
	for s.at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[s.at:])
		cl, _ := classOf(r)
		joins := (r == '.' || r == ',' || r == ':') && s.at+1 < len(s.text) && isDigit(s.text[s.at+1])
		if cl != digit && !joins {
			break
		}
		s.at += size
	}
	s.put(Number, "0")
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isPunctuation(r rune) bool {
	return r == '!' || r == '?' || r == '.' || r == '…' || r == '！' || r == '？' || r == '؟' || r == '¡' || r == '¿'
}

// punctuation reads a run of !, ? and dots. A single dot is not a token.
func (s *tokenizer) punctuation() bool {
	var calls, asks, dots int
	at := s.at
	for at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[at:])
		if !isPunctuation(r) {
			break
		}
		switch r {
		case '!', '！', '¡':
			calls++
		case '.':
			dots++
		case '…':
			dots += 3
		default:
			asks++
		}
		at += size
	}
	form := punctuationForm(calls, asks, dots)
	if form == "" {
		return false
	}
	s.at = at
	s.put(Punctuation, form)
	s.pendingAttr = ClauseStart
	return true
}

func punctuationForm(exclamations, questions, dots int) string {
	switch {
	case exclamations > 0 && questions > 0:
		return "?!"
	case exclamations > 2:
		return "!!!"
	case exclamations > 0:
		return "!!"[:exclamations]
	case questions > 1:
		return "??"
	case questions > 0:
		return "?"
	case dots > 1:
		return "..."
	}
	return ""
}

// skipName skips @name.
func (s *tokenizer) skipName() bool {
	at := s.at + 1
	for at < len(s.text) && isNameByte(s.text[at]) {
		at++
	}
	if at == s.at+1 {
		return false
	}
	s.at = at
	return true
}

func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c) || c == '_' || c == '.' || c == '-'
}

// skipLink skips a link. A bare "http" counts as one, for texts whose links were removed.
func (s *tokenizer) skipLink() bool {
	rest := s.text[s.at:]
	if len(rest) < 4 || s.pendingAttr.has(NoSpaceBefore) {
		return false
	}
	switch {
	case hasPrefixFold(rest, "http"):
		rest = rest[4:]
		if len(rest) > 0 && (rest[0] == 's' || rest[0] == 'S') {
			rest = rest[1:]
		}
		if len(rest) > 0 && rest[0] != ' ' && !hasPrefixFold(rest, "://") && rest[0] != 0xe2 {
			return false
		}
	case !hasPrefixFold(rest, "www."):
		return false
	}
	for s.at < len(s.text) && s.text[s.at] > ' ' && s.text[s.at] != '"' {
		s.at++
	}
	return true
}

// hasPrefixFold reports whether s begins with prefix, ignoring case. prefix must be in lower case.
func hasPrefixFold(s []byte, prefix string) bool {
	if len(s) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		if lower(s[i]) != prefix[i] {
			return false
		}
	}
	return true
}
