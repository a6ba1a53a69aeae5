package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// offline is an address without a server, because the commands must not need one.
const offline = "http://127.0.0.1:1"

func TestLintExplainsAQuery(t *testing.T) {
	f := func(args, text string, code int, want string) {
		t.Helper()
		got := world{in: text}.run(context.Background(), offline, strings.Fields("query lint "+args)...)
		wantErr := ""
		if code != exitOK {
			wantErr = "earshot: the query is invalid\n"
		}
		if got.code != code || got.out != want || got.err != wantErr {
			t.Errorf("%s of %q: exit %d with %q and\n%s\nwant exit %d with %q and\n%s", args, text, got.code, got.err, got.out, code, wantErr, want)
		}
	}
	f("-", "coffee tea\n", exitOK, "normal form: coffee AND tea\n")
	f("-", "\ufeffcoffee", exitOK, "normal form: coffee\n")
	f("-", "coffee (tea", exitFailed, `error at 8: unclosed parenthesis opened at 8
  coffee (tea
         ^
`)
	f("-", "  \n", exitFailed, "error at 1: the query is empty\n")
	f("-", "日本 AND\r\n\té (", exitFailed, `error at 12: unclosed parenthesis opened at 12
   é (
     ^
`)
	f("-", "one OR two three", exitOK, `strict: error at 5: AND and OR are mixed without parentheses; AND binds first
  one OR two three
      ^
normal form: one OR (two AND three)
`)
	f("--strict -", "one OR two three", exitFailed, `error at 5: AND and OR are mixed without parentheses; AND binds first
  one OR two three
      ^
`)
	f("--strict -", "one and two", exitOK, `warning at 5: "and" is treated as a word; the operator is AND
  one and two
      ^
normal form: one AND and AND two
`)
	long := strings.Repeat("word ", 40)
	f("-", long+"and "+long, exitOK, `warning at 201: "and" is treated as a word; the operator is AND
  …`+strings.Repeat("word ", 12)+"and "+strings.Repeat("word ", 5)+`w…
`+strings.Repeat(" ", 63)+`^
normal form: word AND and
`)
}

func TestLintPrintsJSON(t *testing.T) {
	f := func(args, text string, code int, want string) {
		t.Helper()
		got := world{in: text}.run(context.Background(), offline, strings.Fields("query lint --json "+args)...)
		if squeezed := strings.Join(strings.Fields(got.out), ""); got.code != code || squeezed != want {
			t.Errorf("%s of %q: exit %d with %s, want exit %d with %s", args, text, got.code, squeezed, code, want)
		}
	}
	f("-", "coffee", exitOK, `{"valid":true,"errors":[],"warnings":[],"normal":"coffee"}`)
	f("-", "(coffee", exitFailed, `{"valid":false,"errors":[{"position":1,"message":"unclosedparenthesisopenedat1"}],"warnings":[],"normal":""}`)
	f("-", "a OR b c", exitOK, `{"valid":true,"errors":[],"warnings":[{"position":3,"message":"ANDandORaremixedwithoutparentheses;ANDbindsfirst"}],"normal":"aOR(bANDc)"}`)
	f("--strict -", "a OR b c", exitFailed, `{"valid":false,"errors":[{"position":3,"message":"ANDandORaremixedwithoutparentheses;ANDbindsfirst"}],"warnings":[],"normal":""}`)
	f("-", strings.Repeat("é", 100_001), exitFailed, `{"valid":false,"errors":[{"position":100001,"message":"thequeryislongerthan100,000characters"}],"warnings":[],"normal":""}`)
	f("-", strings.Repeat("é ", 1<<20), exitFailed, `{"valid":false,"errors":[{"position":100001,"message":"thequeryislongerthan100,000characters"}],"warnings":[],"normal":""}`)
}

func TestLintReadsAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "query.txt")
	if err := os.WriteFile(file, []byte("coffee OR tea\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := world{}.run(context.Background(), offline, "query", "lint", file)
	if want := (result{exitOK, "normal form: coffee OR tea\n", ""}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	got = world{}.run(context.Background(), offline, "query", "lint", file+"x")
	if want := (result{exitFailed, "", "earshot: open " + file + "x: no such file or directory\n"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestMatchPrintsAResultPerLine(t *testing.T) {
	lines := []struct{ in, want string }{
		{`{"query":"coffee -tea","contents":"Coffee!"}`, `{"match":true,"error":null}`},
		{`{"query":"coffee -tea","contents":"Coffee & tea"}`, `{"match":false,"error":null}`},
		{`{"query":"title:coffee","title":"Coffee"}`, `{"match":true,"error":null}`},
		{`{"query":"(coffee & tea"}`, `{"match":false,"error":"Invalid keywords at position 9: \"&\" is not an operator; use AND"}`},
		{`{"query":"(coffee & tea"}`, `{"match":false,"error":"Invalid keywords at position 9: \"&\" is not an operator; use AND"}`},
		{`{"query":""}`, `{"match":false,"error":"Invalid keywords at position 1: the query is empty"}`},
		{`{"contents":"coffee"}`, `{"match":false,"error":"query is missing"}`},
		{``, `{"match":false,"error":"the line is empty"}`},
		{`[]`, `{"match":false,"error":"the line is not one JSON object"}`},
		{`{"query":"coffee","contents":"` + strings.Repeat("tea ", 1<<19) + `coffee"}`, `{"match":true,"error":null}`},
		{`{"query":"coffee","contents":"` + strings.Repeat("x", maxMatchBytes) + `"}`, `{"match":false,"error":"the line is longer than 16777216 bytes"}`},
		{`{"query":"coffee","contents":"coffee"}`, `{"match":true,"error":null}`},
	}
	var in, want strings.Builder
	for _, l := range lines {
		in.WriteString(l.in + "\n")
		want.WriteString(l.want + "\n")
	}
	for _, text := range []string{in.String(), strings.TrimSuffix(in.String(), "\n"), strings.ReplaceAll(in.String(), "\n", "\r\n")} {
		got := world{in: text}.run(context.Background(), offline, "query", "match")
		if got.code != exitOK || got.err != "" || got.out != want.String() {
			t.Errorf("exit %d with %q and\n%swant\n%s", got.code, got.err, got.out, want.String())
		}
	}
	if got := (world{}).run(context.Background(), offline, "query", "match"); got != (result{}) {
		t.Errorf("of nothing: got %+v", got)
	}
}

func TestMatchPrintsAResultBeforeTheNextLineArrives(t *testing.T) {
	in, lines := io.Pipe()
	answers, out := io.Pipe()
	p := &program{in: in, out: out, err: io.Discard}
	code := make(chan int)
	go func() { code <- p.run(context.Background(), []string{"query", "match"}) }()
	read := bufio.NewReader(answers)
	for _, contents := range []string{"coffee", "tea", "coffee"} {
		// The input already contains the start of the next line, which must not delay the result.
		if _, err := io.WriteString(lines, `{"query":"coffee","contents":"`+contents+"\"}\n "); err != nil {
			t.Fatal(err)
		}
		want := `{"match":false,"error":null}` + "\n"
		if contents == "coffee" {
			want = `{"match":true,"error":null}` + "\n"
		}
		if got, err := read.ReadString('\n'); got != want || err != nil {
			t.Errorf("%s: got %q and %v, want %q", contents, got, err, want)
		}
	}
	failed := errors.New("the other end is closed")
	lines.CloseWithError(failed)
	if got := <-code; got != exitFailed {
		t.Errorf("exit %d after a read that failed, want %d", got, exitFailed)
	}
}

func TestMatchStopsWhenInterrupted(t *testing.T) {
	in, lines := io.Pipe() // never written to
	defer lines.Close()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var errs bytes.Buffer
	p := &program{in: in, out: io.Discard, err: &errs}
	if code := p.run(ctx, []string{"query", "match"}); code != exitFailed || errs.String() != "earshot: context canceled\n" {
		t.Errorf("exit %d with %q", code, errs.String())
	}
}
