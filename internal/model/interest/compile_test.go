package interest

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

var compileTerms = []Term{
	{Interest: 1, Strength: Strong, Spellings: []string{"world cup", "#worldcup", "@fifa"}},
	{Interest: 1, Strength: Weak, Spellings: []string{"goal", "goals"}},
	{Interest: 2, Strength: Weak, Spellings: []string{"goal"}},
	{Interest: 2, Strength: Bio, Spellings: []string{"player"}},
	{Interest: 0, Spellings: []string{"goal of the talks"}},
}

func TestCompile(t *testing.T) {
	file, err := Compile(compileTerms)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Compile(compileTerms)
	if err != nil || !bytes.Equal(file, again) {
		t.Errorf("compiling again gave different bytes, or an error: %v", err)
	}
	m, err := open(file)
	if err != nil {
		t.Fatal(err)
	}
	f := func(text string, want ...string) {
		t.Helper()
		if got := names(m.AppendPost(nil, text, nil, nil)); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("the World-Cup", "Soccer")
	f("a goal and goals")
	f("goal of the talks")
	f("goal of the world cup", "Soccer")
	f("@FIFA", "Soccer")
	f("world of cups")
}

func TestCompileFails(t *testing.T) {
	f := func(want string, terms ...Term) {
		t.Helper()
		if _, err := Compile(terms); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	f("unknown interest id 9999", Term{Interest: 9999, Spellings: []string{"a"}})
	f("has no words", Term{Interest: 1, Spellings: []string{"..."}})
	f("must not contain punctuation", Term{Interest: 1, Spellings: []string{"one, two"}})
	f("more than 8 words", Term{Interest: 1, Spellings: []string{"a b c d e f g h i"}})
	f("too many terms", slices.Repeat([]Term{{Interest: 1, Spellings: []string{"a"}}}, maxTerm+1)...)
}

func TestOpenRejectsDamagedFiles(t *testing.T) {
	file, err := Compile(compileTerms)
	if err != nil {
		t.Fatal(err)
	}
	for i := range file {
		if _, err := open(file[:i]); err == nil {
			t.Errorf("no error after %d of %d bytes", i, len(file))
		}
	}
	if _, err := open(append(slices.Clone(file), 0)); err == nil {
		t.Error("no error with an extra byte")
	}
	// A changed byte may go undetected, but must not cause a panic.
	for i := range file {
		damaged := slices.Clone(file)
		damaged[i] ^= 0xFF
		if m, err := open(damaged); err == nil {
			m.AppendPost(nil, "goal of the world cup", []string{"worldcup"}, []string{"fifa"})
		}
	}
}
