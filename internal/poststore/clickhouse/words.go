package clickhouse

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/query"
)

// The text of a post as columns. The tokenizer of the query language runs when a post is stored, so
// that conditions only compare tokens.
//
// Column words has the plain spelling of the token at each position of the title, the gap, those of
// the contents, and then the marks. Each is followed by a space, and a space precedes the first, so
// that " new york " is in words if and only if the text has that phrase. The text index is on
// splitByChar(' ', words). The post with the title "Café" and the contents "Das #Müller!" has
//
//	words  " cafe \x02 das muller \x01=café \x01#muller \x01=müller \x01#=müller "
//	marks  ["", " \x01=café ", "", "", " \x01#muller \x01=müller \x01#=müller "]
//
// A mark says what the plain spelling does not:
//
//	\x01#muller      a word or tag with this sigil and plain spelling
//	\x01=müller      a word, or a tag of one word, whose spelling has accents
//	\x01#=müller     both
//	\x01#東京\x012    a tag of several words, here two; \x01#=…\x012 if it has accents
//
// Column marks has them by position, where splitByChar(' ', words) has the words. It ends after the
// last position with a mark. The tokenizer treats control characters and spaces as separators, so no
// token contains one and none can be mistaken for a mark or the gap.
const (
	gapToken = "\x02" // always present, also without a title or contents
	markByte = "\x01"
)

// A wordEncoder writes the columns words and marks. It reuses its memory.
type wordEncoder struct {
	text   []byte // of the marks
	marks  []mark // in the order of their tokens, tags of several words last
	sorted []mark
	author earshot.Post // the author's names as title and contents
}

// A mark is a range of wordEncoder.text, and the position of its token.
type mark struct{ from, to, position int }

// appendWords appends the value of column words, and collects the marks.
func (e *wordEncoder) appendWords(b []byte, d *query.Document) []byte {
	e.text, e.marks = e.text[:0], e.marks[:0]
	b = append(b, ' ')
	contents, positions := d.ContentsStart(), d.Positions()
	for i := range positions {
		if i == contents {
			b = append(b, gapToken+" "...)
		}
		t := d.Token(i)
		if t.Width == 0 {
			continue
		}
		b = append(append(b, t.Plain...), ' ')
		e.addMarks(&t)
	}
	if contents >= positions {
		b = append(b, gapToken+" "...)
	}
	for i := positions; i < d.Len(); i++ {
		t := d.Token(i)
		e.addMarks(&t)
	}
	e.sorted = append(e.sorted[:0], e.marks...)
	slices.SortFunc(e.sorted, func(x, y mark) int { return bytes.Compare(e.text[x.from:x.to], e.text[y.from:y.to]) })
	for i, m := range e.sorted {
		if text := e.text[m.from:m.to]; i == 0 || !bytes.Equal(text, e.text[e.sorted[i-1].from:e.sorted[i-1].to]) {
			b = append(append(b, text...), ' ')
		}
	}
	return b
}

func (e *wordEncoder) addMarks(t *query.DocumentToken) {
	accents := !bytes.Equal(t.Plain, t.Text)
	if t.Sigil != 0 {
		e.addMark(t.Sigil, "", t.Plain, t)
	}
	if accents && t.Width == 1 {
		e.addMark(0, "=", t.Text, t)
	}
	if accents && t.Sigil != 0 {
		e.addMark(t.Sigil, "=", t.Text, t)
	}
}

func (e *wordEncoder) addMark(sigil byte, equals string, text []byte, t *query.DocumentToken) {
	from := len(e.text)
	e.text = appendMark(e.text, sigil, equals, text, t.Width)
	e.marks = append(e.marks, mark{from, len(e.text), t.Position})
}

// appendMark appends a mark. equals is "=" if the text has accents.
func appendMark[T []byte | string](b []byte, sigil byte, equals string, text T, width int) []byte {
	b = append(b, markByte...)
	if sigil != 0 {
		b = append(b, sigil)
	}
	b = append(append(b, equals...), text...)
	if width > 1 {
		b = strconv.AppendInt(append(b, markByte...), int64(width), 10)
	}
	return b
}

// markOf returns a mark as a string.
func markOf(sigil byte, equals, text string, width int) string {
	return string(appendMark(nil, sigil, equals, text, width))
}

// writeMarks adds the value of column marks. It belongs to the document that appendWords has read.
func (e *wordEncoder) writeMarks(to *listColumn[*textColumn], d *query.Document) {
	before := 1 // the empty string before the first space
	if d.Post.Title == "" {
		before++ // the gap, which is not a position of the document
	}
	if d.Len() > d.Positions() {
		slices.SortStableFunc(e.marks, func(x, y mark) int { return cmp.Compare(x.position, y.position) })
	}
	written := 0
	for i := 0; i < len(e.marks); {
		at := e.marks[i].position + before
		for ; written < at; written++ {
			to.elements.Append("")
		}
		first, size := i, 1
		for ; i < len(e.marks) && e.marks[i].position+before == at; i++ {
			size += e.marks[i].to - e.marks[i].from + 1
		}
		data := append(binary.AppendUvarint(to.elements.data, uint64(size)), ' ')
		for _, m := range e.marks[first:i] {
			data = append(append(data, e.text[m.from:m.to]...), ' ')
		}
		to.elements.data, to.elements.ends = data, append(to.elements.ends, len(data))
		written++
	}
	to.end()
}

// appendAuthorWords appends the value of column authorWords: the names of the author in the format of
// column words, as if they were the title and the contents. It overwrites d.
func (e *wordEncoder) appendAuthorWords(b []byte, d *query.Document, p *earshot.Post) []byte {
	e.author.Title, e.author.Contents = p.Author, ""
	if p.AuthorUsername != p.Author {
		e.author.Contents = p.AuthorUsername
	}
	d.Tokenize(&e.author)
	return e.appendWords(b, d)
}
