package query

import (
	"encoding/binary"
	"unicode/utf8"
)

// readASCIIWord reads a run of letters, digits and underscores that starts with the ASCII character
// at i. It returns the offset at which to continue. It is the fast path: most words are ASCII and
// end at a separator.
func (t *tokenizer) readASCIIWord(text string, i int) int {
	if !t.idle() {
		return t.readLetters(text, i)
	}
	start := len(t.buf)
	buf, to := readASCIIRun(t.buf, text, i)
	if text[i] == '_' || text[to-1] == '_' || to < len(text) && !isASCIISeparator(text[to]) {
		return t.readLetters(text, i)
	}
	t.buf = buf
	t.addWord(start, len(buf), i, to, 0)
	return to
}

// readLetters reads a run of letters, digits and underscores that starts at i. It returns the
// offset at which to continue. A word that consists of a single run never becomes pending.
func (t *tokenizer) readLetters(text string, i int) int {
	if !t.idle() {
		t.enterLetter(charAt(text, i))
	}
	fresh, inTag := t.pending.kind == noToken, t.tag.phase == tagInside
	if fresh && !inTag && text[i] == '_' {
		return i + 1 // at the start or end of a word it marks emphasis
	}
	start := len(t.buf)
	buf, to, run := readRun(t.buf, text, i, !inTag)
	t.buf, t.tagBlocked = buf, true
	end := len(buf)
	for end > start && buf[end-1] == '_' {
		end--
	}
	trimmed := to - (len(buf) - end)
	if inTag {
		t.tag.hasLetter = t.tag.hasLetter || end > start
		end, trimmed = len(buf), to // underscores are part of tags
	}
	continues := t.mayContinue(text, to)
	if fresh && !continues {
		t.buf = buf[:end]
		t.addWord(start, end, i, trimmed, run.seen)
		t.endTag()
		return to
	}
	if fresh {
		t.beginWord(start, i)
	}
	if end > start {
		t.pending.end, t.pending.to = end, trimmed
	}
	t.pending.flags |= run.seen & (accented | skipped)
	t.pending.last = run.last
	if continues {
		_, size := utf8.DecodeLastRuneInString(text[:to])
		_, folded := utf8.DecodeLastRune(buf)
		t.cluster = cluster{from: to - size, bufStart: len(buf) - folded}
	} else {
		t.close()
	}
	return to
}

// mayContinue reports whether the character at i, which follows a run, may be part of the same word
// or connect it to something other than an ASCII letter or digit.
func (t *tokenizer) mayContinue(text string, i int) bool {
	if i == len(text) {
		return false
	}
	if text[i] >= utf8.RuneSelf {
		return true
	}
	switch asciiChars[text[i]].class {
	case classApostrophe, classQuote, classComma:
		return i+1 < len(text) && (text[i+1] >= utf8.RuneSelf || t.patterns && asciiChars[text[i+1]].class == classWildcard)
	case classWildcard:
		return t.patterns
	}
	return false
}

// readSingles reads consecutive letters that are words on their own, starting with the one at [i,
// end). It returns the offset at which to continue. Marks may follow only the last of them.
func (t *tokenizer) readSingles(c *char, text string, i, end int) int {
	for end < len(text) && text[end] >= utf8.RuneSelf {
		r, size := utf8.DecodeRuneInString(text[end:])
		next := lookup(r)
		if next.class != classAlone || next.flags&combining != 0 {
			break
		}
		t.enterLetter(c)
		t.tag.hasLetter = true
		start := len(t.buf)
		t.buf = appendChar(t.buf, c)
		t.addWord(start, len(t.buf), i, end, c.flags)
		c, i, end = next, end, end+size
	}
	t.cluster = cluster{from: i, bufStart: notBuffered}
	t.readChar(c, i, end)
	return end
}

// runFlags are the flags of a run of characters: the union of all, and those of the last.
type runFlags struct{ seen, last flags }

// readRun appends the run that starts at i to buf and returns the offset of its end. If connectors
// is set, it continues across punctuation that connects words.
func readRun(buf []byte, text string, i int, connectors bool) ([]byte, int, runFlags) {
	var t runFlags
	for i < len(text) {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			from := i
			var more runFlags
			if buf, i, more = readUnicodeRun(buf, text, i); i == from {
				return buf, i, t
			}
			t.seen |= more.seen
			t.last = more.last
		case asciiChars[c].class == classLetter || c == '_':
			buf, i = readASCIIRun(buf, text, i)
			t.last = asciiChars[text[i-1]].flags
		case connectors && connectsASCII(t.last, text[i:]):
			if c == ',' {
				buf = append(buf, ',')
			} else {
				t.seen |= skipped
			}
			i++
		default:
			return buf, i, t
		}
	}
	return buf, i, t
}

// readASCIIRun appends ASCII letters, digits and underscores in lowercase, eight at a time.
func readASCIIRun(buf []byte, text string, i int) ([]byte, int) {
	for {
		var w uint64
		if i+8 <= len(text) {
			w = load(text[i : i+8])
		} else {
			w = loadLast(text, i)
		}
		lower, n := lowerASCII(w)
		if cap(buf)-len(buf) < 8 {
			buf = grow(buf, len(text)-i)
		}
		end := len(buf)
		binary.LittleEndian.PutUint64(buf[end:end+8], lower)
		buf = buf[:end+n]
		if i += n; n < 8 {
			return buf, i
		}
	}
}

// readUnicodeRun appends non-ASCII letters and digits.
func readUnicodeRun(buf []byte, text string, i int) ([]byte, int, runFlags) {
	var t runFlags
	for {
		buf, i, t = readCached(buf, text, i, t)
		if i == len(text) || text[i] < utf8.RuneSelf {
			return buf, i, t
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		c := lookup(r)
		if c.class != classLetter || c.flags&combining != 0 {
			return buf, i, t
		}
		buf = appendChar(grow(buf, len(text)-i), c)
		t.seen |= c.flags
		t.last = c.flags
		i += size
	}
}

// readCached appends letters and digits of two or three bytes for as long as their pages are loaded
// and buf has capacity, which is nearly always the case. It makes no calls, so its variables remain
// in registers.
func readCached(buf []byte, text string, i int, t runFlags) ([]byte, int, runFlags) {
	for i+2 < len(text) && cap(buf)-len(buf) >= utf8.UTFMax {
		var r rune
		var size int
		switch a, b, c := text[i], text[i+1], text[i+2]; {
		case 0xC2 <= a && a <= 0xDF && b>>6 == 2:
			r, size = rune(a&0x1F)<<6|rune(b&0x3F), 2
		case a>>4 == 0xE && b>>6 == 2 && c>>6 == 2:
			r, size = rune(a&0x0F)<<12|rune(b&0x3F)<<6|rune(c&0x3F), 3
			if r < 0x800 || r>>11 == 0xD800>>11 {
				return buf, i, t // invalid UTF-8
			}
		default:
			return buf, i, t
		}
		p := pages[r>>8].Load()
		if p == nil {
			return buf, i, t
		}
		c := &p.chars[r&0xFF]
		if c.class != classLetter || c.flags&combining != 0 {
			return buf, i, t
		}
		end := len(buf)
		binary.LittleEndian.PutUint32(buf[end:end+utf8.UTFMax], c.utf8)
		buf = buf[:end+int(c.size)]
		t.seen |= c.flags
		t.last = c.flags
		i += size
	}
	return buf, i, t
}

// appendChar appends the folded form of c.
func appendChar(buf []byte, c *char) []byte {
	buf = append(buf, byte(c.utf8), byte(c.utf8>>8), byte(c.utf8>>16), byte(c.utf8>>24))
	return buf[:len(buf)-utf8.UTFMax+int(c.size)]
}

// grow returns buf with capacity for n+8 more bytes, or unchanged if it already has room for 8.
func grow(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= 8 {
		return buf
	}
	return append(buf, make([]byte, n+8)...)[:len(buf)]
}
