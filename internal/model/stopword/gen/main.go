// Gen compiles the lists that package stopword embeds from a multilingual table of stop words and
// from changes.tsv in this directory. See the README.md of package stopword.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	log.SetFlags(0)
	data := flag.String("data", "", "data `folder`")
	out := flag.String("out", ".", "output `folder`")
	flag.Parse()
	if err := run(*data, *out); err != nil {
		log.Fatal(err)
	}
}

func run(data, out string) error {
	text, err := compileFolder(data)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(out, "words.txt.gz"), packed.Bytes(), 0o644)
}

//go:embed changes.tsv
var changeTable string

// compileFolder returns the lists, one line per language: its code followed by its words.
func compileFolder(data string) ([]byte, error) {
	table, err := readPacked(filepath.Join(data, "lexicons", "stopwords.tsv.gz"))
	if err != nil {
		return nil, err
	}
	return compile(table, changeTable)
}

func compile(table, changes string) ([]byte, error) {
	all := lists{}
	for _, fields := range rows(table) {
		all.add(fields[0], fields[1])
	}
	all.shareCroatian()
	for _, fields := range rows(changes) {
		for _, word := range strings.Fields(fields[2]) {
			if err := all.change(fields[0], fields[1], word); err != nil {
				return nil, err
			}
		}
	}
	all.elide()
	return all.print(), nil
}

// rows returns the fields of each line of a table except the header.
func rows(table string) (list [][]string) {
	for line := range strings.Lines(table) {
		list = append(list, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	return list[1:]
}

func readPacked(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return "", fmt.Errorf("read %s: %w", path, err)
	}
	return string(text), nil
}
