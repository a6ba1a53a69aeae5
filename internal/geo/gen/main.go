// Gen compiles the tables that package geo embeds. Its inputs are the GeoNames tables, aliases.tsv
// in this directory, and everyday text, which shows which names are also common words. See the
// README.md of package geo.
package main

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"flag"
	"log"
	"os"
	"path/filepath"
	"strings"

	"earshot/internal/model/dataset"
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
	made, err := compileFolder(data)
	if err != nil {
		return err
	}
	for name, content := range made {
		if err := write(filepath.Join(out, name), content); err != nil {
			return err
		}
	}
	return nil
}

//go:embed aliases.tsv
var aliasTable string

// compileFolder returns the content of each table to write, by file name.
func compileFolder(data string) (map[string][]byte, error) {
	tables := map[string][]row{}
	for _, name := range []string{"countries", "admin1", "cities", "us_zip"} {
		rows, err := dataset.Table(filepath.Join(data, "geo", name+".tsv.gz"))
		if err != nil {
			return nil, err
		}
		tables[name] = rows
	}
	counter := wordCounter{}
	if err := counter.addTable(filepath.Join(data, "langid", "langid_train.tsv.gz")); err != nil {
		return nil, err
	}
	for _, name := range []string{"news", "blogs"} {
		if err := counter.addPosts(filepath.Join(data, "posts", name+"_posts.jsonl.gz")); err != nil {
			return nil, err
		}
	}
	return compile(tables, counter.words())
}

func compile(tables map[string][]row, words map[string]bool) (map[string][]byte, error) {
	g, err := newGazetteer(tables["countries"], tables["admin1"], tables["cities"])
	if err != nil {
		return nil, err
	}
	aliases, err := parseTable("aliases.tsv", aliasTable)
	if err != nil {
		return nil, err
	}
	names, err := compileNames(g, aliases, words)
	if err != nil {
		return nil, err
	}
	zips, err := compileZIPs(g, tables["us_zip"])
	if err != nil {
		return nil, err
	}
	countryNames, err := compileCountryNames(tables["countries"])
	if err != nil {
		return nil, err
	}
	records, text := g.encode()
	return map[string][]byte{
		"places.bin":          records,
		"places.tsv":          text,
		"zones.txt":           []byte(strings.Join(g.zones, "\n")),
		"names.bin":           names,
		"zips.bin":            zips,
		"towns.bin":           compileTowns(g, tables["us_zip"], words),
		"bands.bin":           compileBands(g),
		"countries.tsv":       compileCountries(tables["countries"]),
		"countrynames.tsv.gz": countryNames,
	}, nil
}

// write writes a file, gzipped if the name ends in .gz.
func write(path string, content []byte) error {
	if filepath.Ext(path) == ".gz" {
		return writePacked(path, content)
	}
	return os.WriteFile(path, content, 0o644)
}

func writePacked(path string, text []byte) error {
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
	return os.WriteFile(path, packed.Bytes(), 0o644)
}
