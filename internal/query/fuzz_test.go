package query

import (
	"os"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"earshot"
)

// FuzzParse checks that Parse never panics and that a normal form parses to the
// same tree.
func FuzzParse(f *testing.F) {
	for _, q := range testQueries(f) {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		again, err := Parse(q.String())
		if err != nil {
			t.Fatalf("%q prints %q, which does not parse: %v", text, q, err)
		}
		if !reflect.DeepEqual(again, q) {
			t.Fatalf("%q prints %q, which parses to %q", text, q, again)
		}
	})
}

// FuzzMatch compares Match with a reference that has no index.
func FuzzMatch(f *testing.F) {
	for _, q := range testQueries(f) {
		f.Add(q, "Apple pie", "a #東京 tart, o1-preview #apple pie Wendy's été")
	}
	f.Fuzz(func(t *testing.T, text, title, contents string) {
		q, err := Parse(text)
		if err != nil {
			return
		}
		d := NewDocument(&earshot.Post{Title: title, Contents: contents})
		if got, want := q.Match(d), naive(q.root, d); got != want {
			t.Fatalf("%q on %q, %q: got %t, want %t", q, title, contents, got, want)
		}
	})
}

// FuzzASCII checks that the short way through ASCII text gives what the long way does.
func FuzzASCII(f *testing.F) {
	for _, q := range testQueries(f) {
		f.Add(q)
	}
	f.Add("don't 1990's 10,000, a.b @a_b_ _c_ #d's joe@x.com/#y $1 $a $_ #_ a'1 1'2 1,a,2")
	f.Fuzz(func(t *testing.T, text string) {
		var short, long tokenizer
		for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' }) {
			if strings.IndexFunc(field, func(r rune) bool { return r > unicode.MaxASCII }) >= 0 {
				continue
			}
			short.asciiField(field)
			long.unicodeField(field)
		}
		if got, want := spell(&short), spell(&long); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q:\n got %q\nwant %q", text, got, want)
		}
	})
}

// testQueries returns the queries of testdata.
func testQueries(f *testing.F) []string {
	text, err := os.ReadFile("testdata/parse.txt")
	if err != nil {
		f.Fatal(err)
	}
	var queries []string
	for line := range strings.Lines(string(text)) {
		if query, ok := strings.CutPrefix(line, "> "); ok {
			queries = append(queries, strings.TrimSuffix(query, "\n"))
		}
	}
	return queries
}

// spell returns the words of t, with their sigils.
func spell(t *tokenizer) []string {
	var words []string
	for _, w := range t.words {
		words = append(words, strings.Trim(string(w.sigil), "\x00")+string(t.bytes(w.text)))
	}
	return words
}

// naive is match in the plainest way.
func naive(n node, d *Document) bool {
	switch n := n.(type) {
	case *word:
		return naivePhrase([]*term{n.term}, d)
	case *phrase:
		return naivePhrase(n.terms, d)
	case *not:
		return !naive(n.operand, d)
	case and:
		for _, part := range n {
			if !naive(part, d) {
				return false
			}
		}
		return true
	case or:
		for _, part := range n {
			if naive(part, d) {
				return true
			}
		}
	}
	return false
}

// naivePhrase tries every position.
func naivePhrase(terms []*term, d *Document) bool {
	for position := range d.words {
		if naiveFrom(position, terms, d) {
			return true
		}
	}
	return false
}

func naiveFrom(position int, terms []*term, d *Document) bool {
	if len(terms) == 0 {
		return true
	}
	for i := range len(d.words) + len(d.tags) {
		tok := d.token(i)
		if tok.width > 0 && int(tok.position) == position && naiveEqual(terms[0], d, tok) &&
			naiveFrom(position+int(tok.width), terms[1:], d) {
			return true
		}
	}
	return false
}

func naiveEqual(t *term, d *Document, tok *token) bool {
	if t.sigil != 0 && t.sigil != tok.sigil {
		return false
	}
	if t.text == t.plain {
		return string(d.bytes(tok.plain)) == t.plain
	}
	return string(d.bytes(tok.text)) == t.text
}
