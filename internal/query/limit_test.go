package query

import (
	"errors"
	"strings"
	"testing"

	"earshot"
)

func TestLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat("(", n) + "x" + strings.Repeat(")", n) }
	// mixed nests AND in OR in AND with as few parentheses as possible.
	mixed := func(n int) string { return strings.Repeat("(", n) + "x" + strings.Repeat(" a OR b)", n) }
	alternating := func(n int) string { return strings.Repeat("a AND (b OR (", n/2) + "x" + strings.Repeat("))", n/2) }

	tests := []struct {
		name, query string
		want        string // empty if there is no error
	}{
		{"100,000 characters", strings.Repeat("é", 100_000), ""},
		{"100,001 characters", strings.Repeat("é", 100_001), "Invalid keywords at position 100001: the query is longer than 100,000 characters"},
		{"a very long text", strings.Repeat("a ", 10_000_000), "Invalid keywords at position 100001: the query is longer than 100,000 characters"},
		{"10,000 terms", strings.Repeat("a ", 10_000), ""},
		{"10,001 terms", strings.Repeat("a ", 10_001), "Invalid keywords at position 20001: the query has more than 10,000 words and phrases"},
		{"10,000 phrases", strings.Repeat(`"a b" `, 10_000), ""},
		{"200 parentheses", nested(200), ""},
		{"201 parentheses", nested(201), "Invalid keywords at position 201: parentheses are nested more than 200 levels deep"},
		{"only opening parentheses", strings.Repeat("(", 100_000), "Invalid keywords at position 201: parentheses are nested more than 200 levels deep"},
		{"200 alternating levels", alternating(200), ""},
		{"a normal form of 200 levels", mixed(100), ""},
		{"a normal form of more than 200 levels", mixed(101), "Invalid keywords at position 2: AND, OR and NEAR are nested more than 200 levels deep"},
		{"many minus signs", strings.Repeat("-", 100_000), "Invalid keywords at position 2: expected a word, a phrase or ( after -, found -"},
		{"many comments", strings.Repeat("<<<>>>", 16_000) + "x", ""},
		{"many unclosed comments", strings.Repeat("<<<", 33_000), "Invalid keywords at position 1: unclosed comment opened at 1"},
		{"invalid UTF-8", "é \xff", "Invalid keywords at position 3: the text is not valid UTF-8"},
		{"a long word in a message", strings.Repeat(".", 99_000), `Invalid keywords at position 1: "` + strings.Repeat(".", 40) + `…" has no letters or digits to search for`},
		{"empty", "", "Invalid keywords at position 1: the query is empty"},
		{"white space", " \n\t ", "Invalid keywords at position 1: the query is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			q, err := Parse(tt.query)
			if tt.want != "" {
				if err == nil || err.Error() != tt.want {
					t.Errorf("got error %v, want %s", err, tt.want)
				}
				return
			}
			if err != nil {
				t.Fatalf("got error %v, want none", err)
			}
			if again, err := Parse(q.String()); err != nil || again.String() != q.String() {
				t.Errorf("the normal form does not parse to itself: %v", err)
			}
		})
	}
}

func TestParseErrorIsInvalid(t *testing.T) {
	_, err := Parse("apple AND")
	var parseError *ParseError
	if !errors.As(err, &parseError) || parseError.Position != 10 {
		t.Errorf("got %#v, want a *ParseError at 10", err)
	}
	var shown *earshot.Error
	if !errors.As(err, &shown) || shown.Kind != earshot.Invalid || shown.Message != err.Error() {
		t.Errorf("got %#v, want an Invalid error with the same message", shown)
	}
}
