package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

func TestReadTableErrorNamesTheLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), "table.tsv.gz")
	if err := writePacked(path, []byte("a\tb\n1\t2\n3\n")); err != nil {
		t.Fatal(err)
	}
	if _, err := dataset.Table(path); err == nil || !strings.HasSuffix(err.Error(), "table.tsv.gz: line 3 has 1 columns, want 2") {
		t.Errorf("got error %v, want one about line 3", err)
	}
}

// TestGenerated checks that the committed tables match the source.
func TestGenerated(t *testing.T) {
	if testing.Short() {
		t.Skip("slow: compiles all tables")
	}
	want, err := compileFolder(filepath.Join("..", "..", "..", "..", "shared", "data"))
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "no source tables")
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range want {
		if got := readMade(t, filepath.Join("..", name)); !bytes.Equal(got, content) {
			t.Errorf("%s is out of date: run go generate ./internal/geo", name)
		}
	}
}

func TestWriteCompressesGzipFiles(t *testing.T) {
	out := t.TempDir()
	for _, name := range []string{"a.bin", "b.tsv.gz"} {
		path := filepath.Join(out, name)
		if err := write(path, []byte("text")); err != nil {
			t.Fatal(err)
		}
		if got := readMade(t, path); string(got) != "text" {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

// readMade returns the uncompressed content of a generated table.
func readMade(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if filepath.Ext(path) == ".gz" {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
