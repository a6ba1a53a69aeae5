package classify

import "unicode/utf8"

// Split makes t the tokens of text. It reads no more than the first limit bytes of it,
// cut where a rune begins. Bytes that are not UTF-8 separate words.
//
// Links and mentions lose what they point to; numbers lose their value. A hashtag gives
// the tag and, when capitals or digits divide it, its words. "don't" gives "do" and
// "n't", "l'eau" gives "l" and "eau". A letter that stands more than twice is kept
// twice. Runs of ! and ? are one token.
func (t *Text) Split(text string, limit int) {
	t.Tokens, t.forms = t.Tokens[:0], t.forms[:0]
	t.raw = appendUnescaped(t.raw[:0], cut(text, limit))
	s := splitter{Text: t, text: t.raw, pending: Opening}
	for s.at < len(s.text) {
		s.next()
	}
}

func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit]
}

// A splitter is where Split stands in a text.
type splitter struct {
	*Text
	text    []byte
	at      int
	pending Mood // of the next token
}

// next reads one token, or what separates tokens.
func (s *splitter) next() {
	c := s.text[s.at]
	switch {
	case c == ' ':
		s.at++
		s.pending &^= Glued
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
	if n := emoticon(s.text[s.at:]); n > 0 && !s.pending.has(Glued) {
		s.putEmoticon(n)
		return
	}
	s.plain()
}

func (m Mood) has(x Mood) bool { return m&x != 0 }

// put adds a token with the moods that wait for it.
func (s *splitter) put(kind Kind, form string) {
	s.add(kind, s.pending, form)
	s.pending = Glued
}

// putEmoticon adds the n bytes that follow as a token, without a nose.
func (s *splitter) putEmoticon(n int) {
	start := len(s.forms)
	for _, c := range s.text[s.at : s.at+n] {
		if c != '-' && c != '^' {
			s.forms = append(s.forms, c)
		}
	}
	s.close(Emoticon, s.pending, start)
	s.at += n
	s.pending = Glued
}

// plain reads a word, a number, an emoji, a mark or a separator.
func (s *splitter) plain() {
	r, size := utf8.DecodeRune(s.text[s.at:])
	cl, form := classOf(r)
	switch cl {
	case letter:
		s.word(s.pending)
	case digit:
		s.number()
	case single, emoji:
		kind := Word
		if cl == emoji {
			kind = Emoji
		}
		s.at += size
		s.putRune(kind, form)
	case drop:
		s.at += size
	default:
		s.separator(r, size)
	}
}

func (s *splitter) putRune(kind Kind, r rune) {
	start := len(s.forms)
	s.forms = utf8.AppendRune(s.forms, r)
	s.close(kind, s.pending, start)
	s.pending = Glued
}

// separator reads a rune that is part of no word.
func (s *splitter) separator(r rune, size int) {
	if isMark(r) && s.mark() {
		return
	}
	s.at += size
	s.pending &^= Glued
	switch r {
	case '.', ',', ';', ':', '\n', '(', ')', '"', '،', '؛', '。', '、', '，', '।', '…', '|', '-', '–', '—':
		// A stop inside a word or number does not end a clause.
		if s.at >= len(s.text) || s.text[s.at] == ' ' || r > 0x7f || r == '\n' {
			s.pending |= Opening
		}
	}
}

// number reads digits and what joins them.
func (s *splitter) number() {
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

func isMark(r rune) bool {
	return r == '!' || r == '?' || r == '.' || r == '…' || r == '！' || r == '？' || r == '؟' || r == '¡' || r == '¿'
}

// mark reads a run of ! and ?, or dots. A lone dot is no token.
func (s *splitter) mark() bool {
	var calls, asks, dots int
	at := s.at
	for at < len(s.text) {
		r, size := utf8.DecodeRune(s.text[at:])
		if !isMark(r) {
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
	form := markForm(calls, asks, dots)
	if form == "" {
		return false
	}
	s.at = at
	s.put(Mark, form)
	s.pending = Opening
	return true
}

func markForm(calls, asks, dots int) string {
	switch {
	case calls > 0 && asks > 0:
		return "?!"
	case calls > 2:
		return "!!!"
	case calls > 0:
		return "!!"[:calls]
	case asks > 1:
		return "??"
	case asks > 0:
		return "?"
	case dots > 1:
		return "..."
	}
	return ""
}

// skipName moves past @name.
func (s *splitter) skipName() bool {
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

// skipLink moves past a link. A bare "http" stands for one in texts whose links were
// taken out.
func (s *splitter) skipLink() bool {
	rest := s.text[s.at:]
	if len(rest) < 4 || s.pending.has(Glued) {
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

// hasPrefixFold says whether s begins with prefix, which is in lower case.
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
