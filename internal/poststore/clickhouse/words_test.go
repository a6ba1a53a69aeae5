package clickhouse

import (
	"encoding/binary"
	"slices"
	"testing"

	"earshot/internal/query"
)

// appendWords appends the value of column words.
func appendWords(b []byte, d *query.Document) []byte { return new(wordEncoder).appendWords(b, d) }

// marksOf returns the value of column marks.
func marksOf(d *query.Document) []string {
	var e wordEncoder
	e.appendWords(nil, d)
	column := newList(new(textColumn))
	e.writeMarks(column, d)
	return stringsIn(column.elements)
}

// stringsIn returns the values of a column of strings.
func stringsIn(c *textColumn) (values []string) {
	for data := c.data; len(data) > 0; {
		size, n := binary.Uvarint(data)
		data = data[n:]
		values = append(values, string(data[:size]))
		data = data[size:]
	}
	return values
}

// eachField calls yield with the values of column fields.
func eachField(d *query.Document, yield func(value []byte)) {
	b := newPostBlock()
	b.add(&version{Post: d.Post}, nil)
	terms := stringsIn(&b.fields.elements.terms)
	for _, n := range b.fields.elements.rows {
		yield([]byte(terms[n]))
	}
}

// TestWordsOfTokens compares the columns words and marks of random posts with their definition.
func TestWordsOfTokens(t *testing.T) {
	r := newWhereRandom(1)
	var e wordEncoder // is used again, as in a block
	column := newList(new(textColumn))
	for n := range 3000 {
		p := r.post(n)
		d := query.NewDocument(p)
		words, marks := wordsOfTokens(d)
		if got := string(e.appendWords(nil, d)); got != words {
			t.Fatalf("%q, %q: got words %q, want %q", p.Title, p.Contents, got, words)
		}
		column.Reset()
		e.writeMarks(column, d)
		if got := stringsIn(column.elements); !slices.Equal(got, marks) {
			t.Fatalf("%q, %q: got marks %q, want %q", p.Title, p.Contents, got, marks)
		}
	}
}

// wordsOfTokens returns the values of the columns words and marks by their definition.
func wordsOfTokens(d *query.Document) (words string, marks []string) {
	words = " "
	for i := range d.Positions() {
		if i == d.ContentsStart() {
			words += gapToken + " "
		}
		if t := d.Token(i); t.Width > 0 {
			words += string(t.Plain) + " "
		}
	}
	if d.ContentsStart() >= d.Positions() {
		words += gapToken + " "
	}
	var all []string
	for i := range d.Len() {
		t := d.Token(i)
		plain, text, at := string(t.Plain), string(t.Text), t.Position+1
		if d.Post.Title == "" {
			at++
		}
		var of []string
		if t.Width > 0 && t.Sigil != 0 {
			of = append(of, markOf(t.Sigil, "", plain, t.Width))
		}
		if t.Width == 1 && plain != text {
			of = append(of, markOf(0, "=", text, 1))
		}
		if t.Width > 0 && t.Sigil != 0 && plain != text {
			of = append(of, markOf(t.Sigil, "=", text, t.Width))
		}
		for _, m := range of {
			for len(marks) <= at {
				marks = append(marks, "")
			}
			if marks[at] == "" {
				marks[at] = " "
			}
			marks[at] += m + " "
		}
		all = append(all, of...)
	}
	slices.Sort(all)
	for _, m := range slices.Compact(all) {
		words += m + " "
	}
	return words, marks
}
