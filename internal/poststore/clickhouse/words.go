package clickhouse

import (
	"bytes"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
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

// appendWords appends the value of column words.
func appendWords(b []byte, d *query.Document) []byte {
	b = append(b, ' ')
	contents, positions := d.ContentsStart(), d.Positions()
	for i := range positions {
		if i == contents {
			b = append(b, gapToken+" "...)
		}
		if t := d.Token(i); t.Width > 0 {
			b = append(append(b, t.Plain...), ' ')
		}
	}
	if contents >= positions {
		b = append(b, gapToken+" "...)
	}
	var marks []string
	for i := range d.Len() {
		marks = appendMarks(marks, d.Token(i).KeyToken)
	}
	slices.Sort(marks)
	for _, m := range slices.Compact(marks) {
		b = append(append(b, m...), ' ')
	}
	return b
}

// marksOf returns the value of column marks.
func marksOf(d *query.Document) []string {
	var all []string
	var marks []string
	for i := range d.Len() {
		t := d.Token(i)
		if marks = appendMarks(marks[:0], t.KeyToken); len(marks) == 0 {
			continue
		}
		at := t.Position + 1 // after the empty string before the first space
		if d.Post.Title == "" {
			at++ // after the gap, which is not a position of the document
		}
		for len(all) <= at {
			all = append(all, "")
		}
		if all[at] == "" {
			all[at] = " "
		}
		for _, m := range marks {
			all[at] += m + " "
		}
	}
	return all
}

// appendMarks appends the marks of a token.
func appendMarks(marks []string, t query.KeyToken) []string {
	if t.Width == 0 {
		return marks
	}
	accents := string(t.Plain) != string(t.Text)
	if t.Sigil != 0 {
		marks = append(marks, markOf(t.Sigil, "", string(t.Plain), t.Width))
	}
	if accents && t.Width == 1 {
		marks = append(marks, markOf(0, "=", string(t.Text), 1))
	}
	if accents && t.Sigil != 0 {
		marks = append(marks, markOf(t.Sigil, "=", string(t.Text), t.Width))
	}
	return marks
}

// markOf returns a mark. equals is "=" if the text has accents.
func markOf(sigil byte, equals, text string, width int) string {
	mark := markByte
	if sigil != 0 {
		mark += string(rune(sigil))
	}
	mark += equals + text
	if width > 1 {
		mark += markByte + strconv.Itoa(width)
	}
	return mark
}

// appendAuthorWords appends the value of column authorWords: the names of the author in the format of
// column words, as if they were the title and the contents. It overwrites d.
func appendAuthorWords(b []byte, d *query.Document, p *earshot.Post) []byte {
	names := earshot.Post{Title: p.Author}
	if p.AuthorUsername != p.Author {
		names.Contents = p.AuthorUsername
	}
	d.Reset(&names)
	return appendWords(b, d)
}

// Column fields has the values of a post that queries and criteria compare as a whole, as name=value
// or, for the spelling with accents of a value that has some, name~value.
const (
	fieldHandle  = "handle="  // watchlist.HandleKey of the author's handle
	fieldMention = "mention=" // watchlist.Mentions
	fieldByPage  = "bypage"   // watchlist.IsByPage
	fieldPlace   = "place"    // any part of the place is known
)

// eachField calls yield with the values of column fields, possibly several times with the same. A value
// is valid until yield returns.
func eachField(d *query.Document, yield func(value []byte)) {
	var buffer [128]byte
	b := buffer[:0]
	add := func(name, value string) {
		b = append(append(b[:0], name...), value...)
		yield(b)
	}
	d.Values(func(field string, plain, text []byte) {
		b = append(append(append(b[:0], field...), '='), plain...)
		yield(b)
		if !bytes.Equal(plain, text) {
			b = append(append(append(b[:0], field...), '~'), text...)
			yield(b)
		}
	})
	if handle := d.Post.Handle(); handle != "" {
		add(fieldHandle, watchlist.HandleKey(handle))
	}
	if watchlist.IsByPage(d.Post) {
		add(fieldByPage, "")
	}
	if d.Post.Place != (earshot.Place{}) {
		add(fieldPlace, "")
	}
	watchlist.Mentions(d.Post, func(key string) { add(fieldMention, key) })
}
