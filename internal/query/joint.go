package query

import "unicode/utf8"

// readConnector keeps a word open after a sign that may hold it together: don't, 10,000.
func (t *tokenizer) readConnector(c *char) {
	if t.pending.kind == wordToken && t.pending.connector == 0 && t.tag.phase == noTag && c.class.mayFollow(t.pending.last) {
		t.pending.connector = c.class
		return
	}
	t.close()
}

// mayFollow reports whether the sign may hold a word together after a character.
// It follows UAX #29 but for '.', which separates.
func (sign class) mayFollow(last flags) bool {
	switch sign {
	case classApostrophe:
		return last&isLetter != 0
	case classQuote:
		return last&isHebrew != 0
	case classComma:
		return last&isDigit != 0
	}
	return false
}

// connects reports whether the sign holds a word together before a character.
func (sign class) connects(c *char) bool { return c.class == classLetter && sign.mayFollow(c.flags) }

// addConnector puts the joint into the word: a comma stays, the others are left out.
func (t *tokenizer) addConnector() {
	if t.pending.connector == classComma {
		t.buf = append(t.buf, ',')
	} else {
		t.pending.flags |= skipped
	}
	t.pending.connector = 0
}

// connectsASCII reports whether the ASCII sign that rest begins with holds a word together
// between a character and an ASCII one.
func connectsASCII(last flags, rest string) bool {
	if len(rest) < 2 || rest[1] >= utf8.RuneSelf {
		return false
	}
	sign := asciiChars[rest[0]].class
	return sign.mayFollow(last) && sign.connects(&asciiChars[rest[1]])
}
