package query

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the expected results in testdata")

// TestParse runs the cases in testdata/parse.txt.
func TestParse(t *testing.T) {
	const file = "testdata/parse.txt"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want := string(text)
	got := runCases(want)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	gotLines, wantLines := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(gotLines), len(wantLines)) {
		if gotLines[i] != wantLines[i] {
			t.Fatalf("%s, line %d, after %s\n got %q\nwant %q", file, i+1, gotLines[max(i-1, 0)], gotLines[i], wantLines[i])
		}
	}
	if len(gotLines) != len(wantLines) {
		t.Errorf("%s: got %d lines, want %d", file, len(gotLines), len(wantLines))
	}
}

// runCases returns the cases with the current results of Parse.
func runCases(cases string) string {
	var b strings.Builder
	for line := range strings.Lines(cases) {
		query, isQuery := strings.CutPrefix(line, "> ")
		switch {
		case isQuery:
			b.WriteString(line + result(strings.TrimSuffix(query, "\n")) + "\n")
		case strings.HasPrefix(line, "#"), line == "\n":
			b.WriteString(line)
		}
	}
	return b.String()
}

// result returns the normal form or the error, then the warnings, then the errors that occur only
// in strict mode.
func result(query string) string {
	var lines []string
	lenient, strict := Lint(query, Lenient), Lint(query, Strict)
	for _, e := range lenient.Errors {
		lines = append(lines, e.Error())
	}
	if lenient.Query != nil {
		lines = append(lines, lenient.Query.String())
	}
	for _, w := range lenient.Warnings {
		lines = append(lines, fmt.Sprintf("warning at %d: %s", w.Position, w.Message))
	}
	if lenient.Query != nil {
		for _, e := range strict.Errors {
			lines = append(lines, fmt.Sprintf("strict at %d: %s", e.Position, e.Message))
		}
	}
	return "  " + strings.Join(lines, "\n  ")
}
