package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"earshot/internal/query"
)

// TestQueryLanguagePage runs every example of docs/query-language.md.
func TestQueryLanguagePage(t *testing.T) {
	page, err := os.ReadFile("../../docs/query-language.md")
	if err != nil {
		t.Fatal(err)
	}
	checks := map[string]func(t *testing.T, queries []string, cells [][]string){
		"| Query | Finds | Does not find |": checkFinds,
		"| Query | Error |":                 checkResponse,
		"| Query | Warning |":               checkWarning,
		"| Query | Normal form |":           checkNormalForm,
	}
	var check func(*testing.T, []string, [][]string)
	examples := 0
	for line := range strings.Lines(string(page)) {
		line = strings.TrimSpace(line)
		switch {
		case !strings.HasPrefix(line, "|"):
			check = nil
		case checks[line] != nil:
			check = checks[line]
		case check != nil && !strings.HasPrefix(line, "|---"):
			cells := examplesOf(line)
			check(t, cells[0], cells[1:])
			examples++
		}
	}
	if examples < 80 {
		t.Errorf("got %d examples, want more: the tables are not read", examples)
	}
}

var code = regexp.MustCompile("`([^`]+)`")

// examplesOf returns the code snippets in each cell of a table row.
func examplesOf(row string) [][]string {
	var cells [][]string
	for cell := range strings.SplitSeq(strings.Trim(row, "|"), " |") {
		var pieces []string
		for _, m := range code.FindAllStringSubmatch(cell, -1) {
			pieces = append(pieces, m[1])
		}
		cells = append(cells, pieces)
	}
	return cells
}

func checkFinds(t *testing.T, queries []string, cells [][]string) {
	for _, text := range queries {
		for i, want := range []bool{true, false} {
			for _, post := range cells[i] {
				if got := finds(t, text, post); got != want {
					t.Errorf("%s on %s: got %t, want %t", text, post, got, want)
				}
			}
		}
	}
}

// finds matches like earshot query match. A post that is not JSON is used as the contents.
func finds(t *testing.T, text, post string) bool {
	t.Helper()
	fields := map[string]any{"contents": post}
	if strings.HasPrefix(post, `{"`) {
		fields = map[string]any{}
		if err := json.Unmarshal([]byte(post), &fields); err != nil {
			t.Fatalf("%s: %v", post, err)
		}
	}
	fields["query"] = text
	line, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	read, p, err := readQueryLine(line)
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	q, err := query.Parse(read)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return q.Match(query.NewDocument(p))
}

func checkResponse(t *testing.T, queries []string, cells [][]string) {
	if _, err := query.Parse(queries[0]); err == nil || err.Error() != cells[0][0] {
		t.Errorf("%s: got %v, want %s", queries[0], err, cells[0][0])
	}
}

func checkWarning(t *testing.T, queries []string, cells [][]string) {
	for _, w := range query.Lint(queries[0], query.Lenient).Warnings {
		if fmt.Sprintf("%d: %s", w.Position, w.Message) == cells[0][0] {
			return
		}
	}
	t.Errorf("%s: no warning %s", queries[0], cells[0][0])
}

func checkNormalForm(t *testing.T, queries []string, cells [][]string) {
	q, err := query.Parse(queries[0])
	if err != nil {
		t.Fatalf("%s: %v", queries[0], err)
	}
	if got := q.String(); got != cells[0][0] {
		t.Errorf("%s: got %s, want %s", queries[0], got, cells[0][0])
	}
}
