// Command earshot-train builds the models that ship with Earshot from labeled data. Builds are
// reproducible: the same data yields the same bytes.
//
//	go run ./cmd/earshot-train [--data DIR] [--out DIR] [--check] [MODEL...]
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	interest "earshot/internal/model/interest/train"
	language "earshot/internal/model/langid/train"
	people "earshot/internal/model/people/train"
	sentiment "earshot/internal/model/sentiment/train"
	vision "earshot/internal/model/vision/train"
)

// A model is built by one package and stored in another.
type model struct {
	name   string
	folder string // relative to the root of the repository
	build  func(data string) (map[string][]byte, error)
}

var models = []model{
	{"language", "internal/model/langid", language.Build},
	{"sentiment", "internal/model/sentiment", sentiment.Build},
	{"people", "internal/model/people", people.Build},
	{"interest", "internal/model/interest", interest.Build},
	{"vision", "internal/model/vision", vision.Build},
}

func main() {
	data := flag.String("data", "../shared/data", "`folder` with the labeled data")
	out := flag.String("out", ".", "root `folder` of the repository")
	check := flag.Bool("check", false, "write nothing; fail if a model would change")
	flag.Usage = usage
	flag.Parse()
	chosen, err := choose(flag.Args())
	for _, m := range chosen {
		if err = errors.Join(err, m.make(*data, *out, *check, os.Stdout)); err != nil {
			break
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "earshot-train:", err)
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintf(flag.CommandLine.Output(), "Usage: earshot-train [flags] [MODEL...]\nModels (default: all): %s\n", strings.Join(names(), ", "))
	flag.PrintDefaults()
}

func names() []string {
	list := make([]string, len(models))
	for i, m := range models {
		list[i] = m.name
	}
	return list
}

// choose returns the models with the given names, or all models if wanted is empty.
func choose(wanted []string) ([]model, error) {
	if len(wanted) == 0 {
		return models, nil
	}
	chosen := make([]model, len(wanted))
	for i, name := range wanted {
		at := slices.Index(names(), name)
		if at < 0 {
			return nil, fmt.Errorf("unknown model %q; use one of %s", name, strings.Join(names(), ", "))
		}
		chosen[i] = models[at]
	}
	return chosen, nil
}

// make builds a model and writes its files. If check is set, it compares the result with the
// existing files instead.
func (m model) make(data, out string, check bool, log io.Writer) error {
	start := time.Now()
	files, err := m.build(data)
	if err != nil {
		return fmt.Errorf("%s: %w", m.name, err)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(out, filepath.FromSlash(m.folder), name)
		if check {
			err = same(path, files[name])
		} else {
			err = os.WriteFile(path, files[name], 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Fprintf(log, "%-10s %9d bytes  %s\n", m.name, len(files[name]), path)
	}
	fmt.Fprintf(log, "%-10s %.0f s\n", m.name, time.Since(start).Seconds())
	return nil
}

func same(path string, want []byte) error {
	got, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if !bytes.Equal(got, want) {
		return fmt.Errorf("%s is out of date; run `make models`", path)
	}
	return nil
}
