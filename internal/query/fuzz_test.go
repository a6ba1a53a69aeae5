package query

import (
	"os"
	"strings"
	"testing"

	"earshot"
)

// FuzzParse checks that Parse never panics and that the normal form parses to the same tree.
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
		if dump(again.root) != dump(q.root) {
			t.Fatalf("%q prints %q, which parses to %q", text, q, again)
		}
	})
}

// FuzzMatch compares Match with a reference implementation that uses no index.
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
		if len(d.main.words) > 40 || strings.Count(q.String(), "~") > 0 && len(q.String()) > 40 {
			return // the reference would take too long
		}
		if got, want := q.Match(d), referenceMatch(q.root, &d.main); got != want {
			t.Fatalf("%q on %q, %q: got %t, want %t", q, title, contents, got, want)
		}
	})
}

// FuzzTokenize compares the tokenizer with a reference implementation that uses no tables.
func FuzzTokenize(f *testing.F) {
	for _, q := range testQueries(f) {
		f.Add(q)
	}
	for _, tt := range tokenizeTests {
		f.Add(tt.text)
	}
	f.Fuzz(func(t *testing.T, text string) { compareWithReference(t, text) })
}

// testQueries returns the queries in testdata/parse.txt.
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
