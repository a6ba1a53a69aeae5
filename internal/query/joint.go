package query

import "unicode/utf8"

// readJoint keeps a word open after a sign that may hold it together: don't, 10,000.
func (t *tokenizer) readJoint(c *char) {
	if t.open.is == aWord && t.open.joint == 0 && t.tag.state == noTag && c.class.follows(t.open.last) {
		t.open.joint = c.class
		return
	}
	t.close()
}

// follows reports whether the sign may hold a word together after a character.
// It follows UAX #29 but for '.', which separates.
func (sign class) follows(last flags) bool {
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

// joins reports whether the sign holds a word together before a character.
func (sign class) joins(c *char) bool { return c.class == classLetter && sign.follows(c.flags) }

// join puts the joint into the word: a comma stays, the others are left out.
func (t *tokenizer) join() {
	if t.open.joint == classComma {
		t.buf = append(t.buf, ',')
	} else {
		t.open.flags |= skipped
	}
	t.open.joint = 0
}

// joinsASCII reports whether the ASCII sign that rest begins with holds a word together
// between a character and an ASCII one.
func joinsASCII(last flags, rest string) bool {
	if len(rest) < 2 || rest[1] >= utf8.RuneSelf {
		return false
	}
	sign := asciiChars[rest[0]].class
	return sign.follows(last) && sign.joins(&asciiChars[rest[1]])
}
