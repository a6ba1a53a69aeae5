package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"earshot/internal/test/testenv"
)

func TestCompile(t *testing.T) {
	f := func(table, changes, want string) {
		t.Helper()
		got, err := compile("language\tword\torigin\n"+table, "language\tchange\twords\n"+changes)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != want {
			t.Errorf("%q: got %q, want %q", table, got, want)
		}
	}
	f("en\tThe\tx\nen\tDon’t\tx\nde\tdie\tx\n", "", "de die\nen dont the\n")
	f("en\t10\tx\nen\t!\tx\nen\tno-one\tx\nen\tno\tx\n", "", "en no\n") // numbers, punctuation, two tokens
	f("en\tthe\tx\nen\tworld\tx\n", "en\tdrop\tworld\nen\tadd\tgonna wanna\n", "en gonna the wanna\n")
	f("hr\tkoji\tx\nhr\tnjega\tx\n", "", "hr koji njega\nsr koji njega који њега\n")
	f("ca\tel\tx\nca\ti\tx\n", "", "ca del el i lel mel nel sel tel\n")
}

func TestCompileFails(t *testing.T) {
	f := func(changes, want string) {
		t.Helper()
		_, err := compile("language\tword\torigin\nen\tthe\tx\n", "language\tchange\twords\n"+changes)
		if err == nil || err.Error() != want {
			t.Errorf("%q: got error %v, want %s", changes, err, want)
		}
	}
	f("en\tdrop\tworld\n", "changes.tsv: the en list has no \"world\" to drop")
	f("en\tmove\tthe\n", "changes.tsv: unknown change \"move\", want add or drop")
}

// TestGenerated checks that the committed lists match the source.
func TestGenerated(t *testing.T) {
	want, err := compileFolder(filepath.Join("..", "..", "..", "..", "shared", "data"))
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "no source table")
	}
	if err != nil {
		t.Fatal(err)
	}
	got, err := readPacked(filepath.Join("..", "words.txt.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Error("words.txt.gz is out of date: run go generate ./internal/model/stopword")
	}
}
