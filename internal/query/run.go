package query

import (
	"encoding/binary"
	"unicode/utf8"
)

// runFlags are what readRun found: flags that any of the characters has, and those
// of the last.
type runFlags struct{ seen, last flags }

// readRun appends the run that begins at i to buf and returns where it ends. It goes
// on after signs that hold words together if joints is set.
func readRun(buf []byte, text string, i int, joints bool) ([]byte, int, runFlags) {
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
		case joints && connectsASCII(t.last, text[i:]):
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

// readASCIIRun adds the letters, digits and underscores that are ASCII, eight at a time.
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

// readUnicodeRun adds the letters and digits that are not ASCII.
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

// readCached adds letters and digits of two or three bytes as long as their pages are
// there and buf has room, which is nearly always. It calls nothing, so that all it
// works with stays in registers.
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
				return buf, i, t // not UTF-8
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

// grow returns buf with room for n more bytes and some besides.
func grow(buf []byte, n int) []byte {
	if cap(buf)-len(buf) >= 8 {
		return buf
	}
	return append(buf, make([]byte, n+8)...)[:len(buf)]
}
