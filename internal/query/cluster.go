package query

import (
	"math"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A cluster is the character, with the marks read so far, that the marks to come
// belong to. As long as they compose with nothing and come in order, they are
// simply added; otherwise all is taken back and normalised together.
type cluster struct {
	from     int   // in the text
	bufStart int   // where it begins in buf, or keep
	ccc      uint8 // of the last mark
	marks    uint8

	afterJoiner bool // a joiner stands before it in buf
}

const (
	notBuffered = -1 // nothing of the cluster is in buf

	// maxMarks is how many marks a cluster can have: norm takes more than 30 apart.
	maxMarks = 30
)

// combine reads the character at [i, end), which depends on those before it, and
// returns where to go on.
func (t *tokenizer) combine(c *char, text string, i, end int) int {
	if i > 0 && text[i-1] < utf8.RuneSelf {
		t.cluster = t.asciiCluster(text[i-1], i)
	}
	if c.ccc != 0 && c.ccc >= t.cluster.ccc && t.cluster.marks < maxMarks {
		if t.cluster.bufStart == notBuffered {
			t.cluster.bufStart = len(t.buf)
		}
		t.cluster.ccc = c.ccc
		t.cluster.marks++
		t.readChar(c, i, end)
		return end
	}
	return t.normalizeCluster(text, end)
}

// asciiCluster returns the cluster that the ASCII character before i begins.
func (t *tokenizer) asciiCluster(c byte, i int) cluster {
	switch {
	case isASCIILetter(c):
		return cluster{from: i - 1, bufStart: len(t.buf) - 1}
	case '<' <= c && c <= '>':
		return cluster{from: i - 1, bufStart: notBuffered} // ≠
	}
	return cluster{from: i, bufStart: notBuffered}
}

// normalizeCluster takes the cluster back and reads what it is once normalised and
// folded. The cluster reaches to least or beyond.
func (t *tokenizer) normalizeCluster(text string, least int) int {
	from := t.cluster.from
	end := max(least, from+norm.NFKC.NextBoundaryInString(text[from:], true))
	t.undoCluster()
	if charAt(text, from).flags&combining != 0 {
		t.pending.denormalized = true // what it belongs to was read before
	}
	for _, r := range string(t.fold(text[from:end])) {
		t.readChar(lookup(r), from, end)
	}
	// A mark that still follows goes the same way.
	t.cluster = cluster{from: end, bufStart: notBuffered, ccc: math.MaxUint8}
	return end
}

// undoCluster removes the cluster from the open token.
func (t *tokenizer) undoCluster() {
	undo := t.cluster.bufStart
	if undo == notBuffered || t.pending.kind == noToken {
		return
	}
	t.buf = t.buf[:undo]
	if undo <= t.pending.start {
		t.pending = pendingToken{}
		return
	}
	t.pending.end = min(t.pending.end, undo)
	t.pending.afterJoiner = t.cluster.afterJoiner
}

// expand reads the character r at [i, end), which stands for several.
func (t *tokenizer) expand(c *char, r rune, text string, i, end int) int {
	t.cluster = cluster{from: i, bufStart: notBuffered}
	if end < len(text) && text[end] >= utf8.RuneSelf && charAt(text, end).flags&combining != 0 {
		return t.normalizeCluster(text, end)
	}
	for _, r := range pageOf(r).expansions[c.utf8] {
		t.readChar(lookup(r), i, end)
	}
	t.cluster = cluster{from: end, bufStart: notBuffered, ccc: math.MaxUint8}
	return end
}
