package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/abadojack/whatlanggo"
	"github.com/pemistahl/lingua-go"

	"earshot/internal/model/langid"
)

// A detector detects the languages of texts.
type detector struct {
	name string
	open func() (detect func(text string) string, err error)
	// adds is whether it also uses what the previous detector loaded.
	adds bool
}

// Lingua keeps its models in memory for the whole process. The models of its high accuracy mode are
// in addition to those of the low accuracy mode.
var detectors = []detector{
	{name: "earshot", open: openLangid},
	{name: "whatlanggo", open: openWhatlanggo},
	{name: "lingua low", open: func() (func(string) string, error) { return openLingua(true), nil }},
	{name: "lingua high", open: func() (func(string) string, error) { return openLingua(false), nil }, adds: true},
}

// A languageText is a text in a known language. The language is "" if Earshot does not support it.
// A detector is then right if it returns no language or any unsupported one.
type languageText struct {
	language string
	kind     string
	text     string
}

// A languageFigure contains the measurements of one detector.
type languageFigure struct {
	name    string
	right   map[string]int // number of correct results, by kind
	perText time.Duration
	load    time.Duration
	bytes   int64
}

// compareLanguage prints how accurately and how fast Earshot's model, whatlanggo and lingua-go
// detect the languages of texts in a file. The file has tab-separated columns, of which language,
// kind and text are used, and is compressed with gzip.
func compareLanguage(w io.Writer, file string) error {
	texts, err := readLanguages(file)
	if err != nil {
		return err
	}
	var figures []languageFigure
	for _, d := range detectors {
		fmt.Fprintln(os.Stderr, d.name)
		f, err := measureDetector(d, texts)
		if err != nil {
			return fmt.Errorf("%s: %w", d.name, err)
		}
		if d.adds {
			f.bytes += figures[len(figures)-1].bytes
			f.load += figures[len(figures)-1].load
		}
		figures = append(figures, f)
	}
	return printLanguages(w, texts, figures)
}

func measureDetector(d detector, texts []languageText) (languageFigure, error) {
	f := languageFigure{name: d.name, right: map[string]int{}}
	before := heap()
	start := time.Now()
	detect, err := d.open()
	if err != nil {
		return f, err
	}
	f.load = time.Since(start)
	f.bytes = heap() - before
	for _, t := range texts[:min(len(texts), 500)] { // warm up, because the first texts are slow
		detect(t.text)
	}
	answers := make([]string, len(texts))
	start = time.Now()
	for i, t := range texts {
		answers[i] = detect(t.text)
	}
	f.perText = time.Since(start) / time.Duration(len(texts))
	for i, t := range texts {
		if ours(answers[i]) == t.language {
			f.right[t.kind]++
		}
	}
	runtime.KeepAlive(detect)
	return f, nil
}

// heap returns the number of bytes in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func printLanguages(w io.Writer, texts []languageText, figures []languageFigure) error {
	all := map[string]int{}
	for _, t := range texts {
		all[t.kind]++
	}
	kinds := slices.Sorted(maps.Keys(all))
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(table, "\t")
	for _, kind := range kinds {
		fmt.Fprintf(table, "%s (%d)\t", kind, all[kind])
	}
	fmt.Fprintln(table, "µs/text\tload ms\tMB\t")
	for _, f := range figures {
		fmt.Fprintf(table, "%s\t", f.name)
		for _, kind := range kinds {
			fmt.Fprintf(table, "%.2f%%\t", 100*float64(f.right[kind])/float64(all[kind]))
		}
		fmt.Fprintf(table, "%.1f\t%d\t%.1f\t\n", float64(f.perText.Nanoseconds())/1e3, f.load.Milliseconds(), float64(f.bytes)/1e6)
	}
	return table.Flush()
}

func openLangid() (func(string) string, error) {
	m, err := langid.New()
	if err != nil {
		return nil, err
	}
	return func(text string) string {
		code, _ := m.Detect(text)
		return code
	}, nil
}

func openWhatlanggo() (func(string) string, error) {
	return func(text string) string {
		return renamed(whatlanggo.DetectLang(text).Iso6391())
	}, nil
}

// openLingua opens a detector of all languages that lingua supports, with all models loaded.
func openLingua(low bool) func(string) string {
	b := lingua.NewLanguageDetectorBuilder().FromAllLanguages().WithPreloadedLanguageModels()
	if low {
		b = b.WithLowAccuracyMode()
	}
	d := b.Build()
	return func(text string) string {
		language, _ := d.DetectLanguageOf(text)
		return renamed(strings.ToLower(language.IsoCode639_1().String()))
	}
}

// renamed returns the code that the specification uses, which has a single code for Norwegian.
func renamed(code string) string {
	if code == "nb" || code == "nn" {
		return "no"
	}
	return code
}

// ours returns the code, or "" if Earshot does not support it.
func ours(code string) string {
	if slices.Contains(langid.Codes(), code) {
		return code
	}
	return ""
}

// readLanguages reads the texts of a file. Texts in unsupported languages get a separate kind.
func readLanguages(file string) ([]languageText, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", file, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	columns := strings.Split(lines.Text(), "\t")
	language, kind, text := slices.Index(columns, "language"), slices.Index(columns, "kind"), slices.Index(columns, "text")
	if language < 0 || kind < 0 || text < 0 {
		return nil, fmt.Errorf("read %s: the columns language, kind and text are required", file)
	}
	var texts []languageText
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != len(columns) {
			return nil, fmt.Errorf("read %s: line %d has %d columns", file, len(texts)+2, len(fields))
		}
		t := languageText{ours(fields[language]), fields[kind], fields[text]}
		if t.language == "" {
			t.kind = "other " + t.kind
		}
		texts = append(texts, t)
	}
	if len(texts) == 0 {
		err = errors.New("the file has no texts")
	}
	return texts, errors.Join(lines.Err(), err)
}
