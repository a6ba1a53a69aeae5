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
	from  int   // in the text
	undo  int   // where it begins in buf, or keep
	order uint8 // of the last mark
	marks uint8

	joined bool // a joiner stands before it in buf
}

const (
	keep = -1 // nothing of the cluster is in buf

	// maxMarks is how many marks a cluster can have: norm takes more than 30 apart.
	maxMarks = 30
)

// combine reads the character at [i, end), which depends on those before it, and
// returns where to go on.
func (t *tokenizer) combine(c *char, text string, i, end int) int {
	if i > 0 && text[i-1] < utf8.RuneSelf {
		t.cluster = t.clusterOf(text[i-1], i)
	}
	if c.order != 0 && c.order >= t.cluster.order && t.cluster.marks < maxMarks {
		if t.cluster.undo == keep {
			t.cluster.undo = len(t.buf)
		}
		t.cluster.order = c.order
		t.cluster.marks++
		t.read(c, i, end)
		return end
	}
	return t.normalizeCluster(text, end)
}

// clusterOf returns the cluster that the ASCII character before i begins.
func (t *tokenizer) clusterOf(c byte, i int) cluster {
	switch {
	case isASCIILetter(c):
		return cluster{from: i - 1, undo: len(t.buf) - 1}
	case '<' <= c && c <= '>':
		return cluster{from: i - 1, undo: keep} // ≠
	}
	return cluster{from: i, undo: keep}
}

// normalizeCluster takes the cluster back and reads what it is once normalised and
// folded. The cluster reaches to least or beyond.
func (t *tokenizer) normalizeCluster(text string, least int) int {
	from := t.cluster.from
	end := max(least, from+norm.NFKC.NextBoundaryInString(text[from:], true))
	t.takeBack()
	if charAt(text, from).flags&combining != 0 {
		t.open.unfinished = true // what it belongs to was read before
	}
	for _, r := range string(t.fold(text[from:end])) {
		t.read(lookup(r), from, end)
	}
	// A mark that still follows goes the same way.
	t.cluster = cluster{from: end, undo: keep, order: math.MaxUint8}
	return end
}

// takeBack removes the cluster from the open token.
func (t *tokenizer) takeBack() {
	undo := t.cluster.undo
	if undo == keep || t.open.is == nothing {
		return
	}
	t.buf = t.buf[:undo]
	if undo <= t.open.start {
		t.open = reading{}
		return
	}
	t.open.end = min(t.open.end, undo)
	t.open.joiner = t.cluster.joined
}

// expand reads the character r at [i, end), which stands for several.
func (t *tokenizer) expand(c *char, r rune, text string, i, end int) int {
	t.cluster = cluster{from: i, undo: keep}
	if end < len(text) && text[end] >= utf8.RuneSelf && charAt(text, end).flags&combining != 0 {
		return t.normalizeCluster(text, end)
	}
	for _, r := range pageOf(r).expansions[c.utf8] {
		t.read(lookup(r), i, end)
	}
	t.cluster = cluster{from: end, undo: keep, order: math.MaxUint8}
	return end
}
