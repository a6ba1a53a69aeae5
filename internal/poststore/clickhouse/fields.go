package clickhouse

import (
	"bytes"
	"slices"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// Column fields has the values of a post that queries and criteria compare as a whole, as name=value
// or, for the spelling with accents of a value that has some, name~value.
const (
	fieldHandle  = "handle="  // watchlist.HandleKey of the author's handle
	fieldMention = "mention=" // watchlist.Mentions
	fieldByPage  = "bypage"   // watchlist.IsByPage
	fieldPlace   = "place"    // any part of the place is known
)

// A fieldGroup is fields whose values depend on the same attributes of a post.
type fieldGroup int

const (
	ownFields   fieldGroup = iota // on any attributes
	traitFields                   // on those of [traits]
	placeFields                   // on those of [placeKey]
	siteFields                    // on the site
)

func groupOf(name string) fieldGroup {
	switch name {
	case "authorGender", "authorVerified", "language", "source", "engagementType":
		return traitFields
	case "country", "region", "city", "continent":
		return placeFields
	case "site":
		return siteFields
	}
	return ownFields
}

// A fieldWriter writes column fields.
type fieldWriter struct {
	column  *listColumn[*termColumn]
	groups  [4][]query.ValueField // by fieldGroup
	scratch []byte
	first   int    // row of the column's elements where the post's values start
	field   string // whose values are added

	addValue   func(plain, text []byte) // adds a value of field
	addMention func(key string)
}

func newFieldWriter(column *listColumn[*termColumn]) *fieldWriter {
	w := &fieldWriter{column: column}
	for _, f := range query.ValueFields() {
		group := groupOf(f.Name())
		w.groups[group] = append(w.groups[group], f)
	}
	w.addValue = func(plain, text []byte) {
		w.scratch = append(append(append(w.scratch[:0], w.field...), '='), plain...)
		w.add()
		if !bytes.Equal(plain, text) {
			w.scratch = append(append(append(w.scratch[:0], w.field...), '~'), text...)
			w.add()
		}
	}
	w.addMention = func(key string) { w.addText(fieldMention, key) }
	return w
}

// write adds the row of a post. The terms are those that its values in other groups have.
func (w *fieldWriter) write(d *query.Document, t *traitTerms, at *placeTerms, on *siteTerms, by *authorTerms) {
	w.begin()
	w.addGroup(ownFields, d)
	rows := w.column.elements.rows
	rows = append(append(append(append(rows, t.fields...), at.fields...), on.fields...), by.fields...)
	w.column.elements.rows = rows
	if watchlist.IsByPage(d.Post) {
		w.addText(fieldByPage, "")
	}
	watchlist.Mentions(d.Post, w.addMention)
	w.column.end()
}

// begin begins a row, or a list of terms.
func (w *fieldWriter) begin() { w.first = len(w.column.elements.rows) }

// terms returns the numbers of the values that were added since begin, and removes them.
func (w *fieldWriter) terms() []uint32 {
	added := slices.Clone(w.column.elements.rows[w.first:])
	w.column.elements.rows = w.column.elements.rows[:w.first]
	return added
}

// groupTerms returns the numbers of a post's values in a group of fields.
func (w *fieldWriter) groupTerms(g fieldGroup, d *query.Document) []uint32 {
	w.begin()
	w.addGroup(g, d)
	if g == placeFields && d.Post.Place != (earshot.Place{}) {
		w.addText(fieldPlace, "")
	}
	return w.terms()
}

// handleTerms returns the number of the author's handle.
func (w *fieldWriter) handleTerms(p *earshot.Post) []uint32 {
	w.begin()
	if handle := p.Handle(); handle != "" {
		w.addText(fieldHandle, watchlist.HandleKey(handle))
	}
	return w.terms()
}

func (w *fieldWriter) addGroup(g fieldGroup, d *query.Document) {
	for _, f := range w.groups[g] {
		w.field = f.Name()
		d.Values(f, w.addValue)
	}
}

func (w *fieldWriter) addText(name, value string) {
	w.scratch = append(append(w.scratch[:0], name...), value...)
	w.add()
}

// add adds the value in scratch, unless the post has it already.
func (w *fieldWriter) add() {
	column := w.column.elements
	if n := column.numberOf(w.scratch); !slices.Contains(column.rows[w.first:], n) {
		column.rows = append(column.rows, n)
	}
}
