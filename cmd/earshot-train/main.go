// Command earshot-train builds the models that ship with Earshot from labeled data. Builds are
// reproducible: the same data yields the same bytes.
//
//	go run ./cmd/earshot-train [--data DIR] [--out DIR] [--license all|open] [--check] [MODEL...]
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
	prevalence "earshot/internal/model/prevalence/train"
	sentiment "earshot/internal/model/sentiment/train"
	vision "earshot/internal/model/vision/train"
)

// A model is built by one package and stored in another.
type model struct {
	name   string
	folder string // relative to the root of the repository
	build  func(data string) (map[string][]byte, error)

	// open builds the model only from data with a clear license, if build uses other data too.
	open func(data string) (map[string][]byte, error)
}

var models = []model{
	{"language", "internal/model/langid", language.Build, language.BuildOpen},
	{"sentiment", "internal/model/sentiment", sentiment.Build, sentiment.BuildOpen},
	{"prevalence", "internal/model/prevalence", prevalence.Build, nil}, // of the built-in sentiment model
	{"people", "internal/model/people", people.Build, nil},
	{"interest", "internal/model/interest", interest.Build, nil},
	{"vision", "internal/model/vision", vision.Build, nil},
}

func main() {
	data := flag.String("data", "../shared/data", "`folder` with the labeled data")
	out := flag.String("out", ".", "root `folder` of the repository")
	license := flag.String("license", "all", "`data` to train on: all, or open for data with a clear license only")
	check := flag.Bool("check", false, "write nothing; fail if a model would change")
	export := flag.String("export", "", "write phrases.tsv and heldout.txt for models/teacher to a `folder`, and do nothing else")
	flag.Usage = usage
	flag.Parse()
	if *export != "" {
		if err := exportTexts(*data, *export); err != nil {
			fmt.Fprintln(os.Stderr, "earshot-train:", err)
			os.Exit(1)
		}
		return
	}
	chosen, err := choose(flag.Args(), *license)
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

// exportTexts writes the texts of the repository that the programs in models/teacher need: the generated
// phrases, and the English texts that are held out from training.
func exportTexts(data, folder string) error {
	phrases, err := sentiment.Phrases()
	if err != nil {
		return err
	}
	texts, err := prevalence.HeldOutTexts(data)
	if err != nil {
		return err
	}
	var held bytes.Buffer
	for _, t := range texts {
		if t.Language == "en" {
			fmt.Fprintln(&held, t.Text)
		}
	}
	return errors.Join(
		os.WriteFile(filepath.Join(folder, "phrases.tsv"), phrases, 0o644),
		os.WriteFile(filepath.Join(folder, "heldout.txt"), held.Bytes(), 0o644),
	)
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
func choose(wanted []string, license string) ([]model, error) {
	if license != "all" && license != "open" {
		return nil, fmt.Errorf("unknown license %q; use all or open", license)
	}
	if len(wanted) == 0 {
		wanted = names()
	}
	chosen := make([]model, len(wanted))
	for i, name := range wanted {
		at := slices.Index(names(), name)
		if at < 0 {
			return nil, fmt.Errorf("unknown model %q; use one of %s", name, strings.Join(names(), ", "))
		}
		chosen[i] = models[at]
		if license == "open" && chosen[i].open != nil {
			chosen[i].build = chosen[i].open
		}
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
