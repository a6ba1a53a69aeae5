package query

import "unicode/utf8"

// readASCIIWord reads the letters, digits and underscores from i on, the first of which is
// ASCII, and returns where to go on. Most words of most texts are ASCII with a
// separator behind them, and need no more than this.
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

// readLetters reads the letters, digits and underscores from i on and returns where to go
// on. A word that is begun and ended here does not pass through t.open.
func (t *tokenizer) readLetters(text string, i int) int {
	if !t.idle() {
		t.enterLetter(charAt(text, i))
	}
	fresh, inTag := t.pending.kind == noToken, t.tag.phase == tagInside
	if fresh && !inTag && text[i] == '_' {
		return i + 1 // at the ends of a word it is emphasis
	}
	start := len(t.buf)
	buf, to, run := readRun(t.buf, text, i, !inTag)
	t.buf, t.tagBlocked = buf, true
	end, place := trimUnderscores(buf, start, to)
	if inTag {
		t.tag.hasLetter = t.tag.hasLetter || end > start
		end, place = len(buf), to // underscores are part of tags
	}
	goesOn := t.mayContinue(text, to)
	if fresh && !goesOn {
		t.buf = buf[:end]
		t.addWord(start, end, i, place, run.seen)
		t.endTag()
		return to
	}
	if fresh {
		t.beginWord(start, i)
	}
	if end > start {
		t.pending.end, t.pending.to = end, place
	}
	t.pending.flags |= run.seen & (accented | skipped)
	t.pending.last = run.last
	if goesOn {
		t.cluster = lastCluster(text, to, buf)
	} else {
		t.close()
	}
	return to
}

// mayContinue reports whether what stands at i, after a run, could be part of its word
// or hold it together with something that is no ASCII letter or digit.
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

// trimUnderscores returns where a run, which begins at start of buf and ends with it,
// and at to of the text, ends without underscores: in buf and in the text.
func trimUnderscores(buf []byte, start, to int) (end, place int) {
	end = len(buf)
	for end > start && buf[end-1] == '_' {
		end--
	}
	return end, to - (len(buf) - end)
}

// lastCluster returns the cluster of the last letter read.
func lastCluster(text string, to int, buf []byte) cluster {
	_, size := utf8.DecodeLastRuneInString(text[:to])
	_, folded := utf8.DecodeLastRune(buf)
	return cluster{from: to - size, bufStart: len(buf) - folded}
}

// readSingles reads the letters from [i, end) on that are words by themselves and returns
// where to go on. All but the last are words at once; that may have marks.
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
