package main

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/model/eval"
)

// labeled is a table whose rows are so clear that any model gets them right.
const labeled = "id\tlabel\ttext\nmoz-1\tpositive\tI love this so much, it is great!\nlcc-2\tnegative\tI hate this, worst day ever\n"

func TestEvalPrintsOneObject(t *testing.T) {
	got := world{in: labeled}.run(context.Background(), offline, "eval", "sentiment", "-", "--by", "source", "--domain", "review")
	if got.code != exitOK {
		t.Fatalf("exit %d with %q", got.code, got.err)
	}
	var r eval.Result
	if err := json.Unmarshal([]byte(got.out), &r); err != nil {
		t.Fatalf("%v in %q", err, got.out)
	}
	if r.Rows != 2 || r.Accuracy != 1 || r.AccuracyInterval != (eval.Interval{1, 1}) || len(r.Groups) != 2 || r.Groups["moz"].Rows != 1 {
		t.Errorf("got %+v", r)
	}
}

func TestEvalPrintsATableOfSeveralFiles(t *testing.T) {
	dir := t.TempDir()
	one, two, rows := filepath.Join(dir, "one.tsv"), filepath.Join(dir, "two.tsv"), filepath.Join(dir, "rows.tsv")
	if err := os.WriteFile(one, []byte(labeled), 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(labeled, "negative", "positive", 1)
	if err := os.WriteFile(two, []byte(wrong+"x-3\tnegative\tI hate this\nx-4\tnegative\tawful, awful\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := world{}.run(context.Background(), offline, "eval", "sentiment", one, two, "--rows", rows)
	if got.code != exitOK {
		t.Fatalf("exit %d with %q", got.code, got.err)
	}
	lines := strings.Split(strings.TrimSpace(got.out), "\n")
	if len(lines) != 4 || !strings.Contains(lines[0], "MACRO RECALL") || !strings.Contains(lines[1], "1.000 (1.000–1.000)") ||
		!strings.Contains(lines[2], "0.750 (") || strings.Join(strings.Fields(lines[3]), " ") != "mean all 6 0.875 0.875 0.867" {
		t.Errorf("got\n%s", got.out)
	}
	written, err := os.ReadFile(rows)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(written), "\n"); got != 7 || !strings.Contains(string(written), "\n"+two+"\t2\tlcc-2\tpositive\tnegative\t") {
		t.Errorf("got %d lines\n%s", got, written)
	}
	got = world{}.run(context.Background(), offline, "eval", "sentiment", one, two, "--json")
	var results []fileResult
	if err := json.Unmarshal([]byte(got.out), &results); err != nil || len(results) != 2 || results[1].File != two || results[1].Accuracy != 0.75 {
		t.Errorf("got %v, %q", err, got.out)
	}
}

func TestEvalPrintsRows(t *testing.T) {
	got := world{in: labeled}.run(context.Background(), offline, "eval", "sentiment", "-", "--rows", "-")
	if got.code != exitOK || !strings.HasPrefix(got.out, "file\trow\tid\tgold\tprediction\tconfidence\tcorrect\tpositive\tneutral\tnegative\n-\t1\tmoz-1\tpositive\tpositive\t") {
		t.Errorf("exit %d with %q", got.code, got.out)
	}
	if !json.Valid([]byte(got.err)) {
		t.Errorf("the result on standard error is %q", got.err)
	}
}

func TestEvalRejectsInvalidInput(t *testing.T) {
	f := func(in string, code int, want string, args ...string) {
		t.Helper()
		got := world{in: in}.run(context.Background(), offline, append([]string{"eval"}, args...)...)
		if got.code != code || !strings.Contains(got.err, want) {
			t.Errorf("earshot eval %s: exit %d with %q, want %d with %q", strings.Join(args, " "), got.code, got.err, code, want)
		}
	}
	f("", exitUsage, "missing argument FILE...", "sentiment")
	f(labeled, exitUsage, `unknown domain "book"; use one of forum, news, review, social`, "sentiment", "-", "--domain", "book")
	f("label\ttext\n", exitFailed, `-: the table has no rows with a value in column "label"`, "sentiment", "-")
	f(labeled, exitFailed, "no-such-file", "sentiment", "-", "no-such-file")
	f(labeled, exitFailed, "has one label a row", "sentiment", "no-such-file", "--fit", "-")
}
