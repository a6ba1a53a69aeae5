package main

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/jonreiter/govader"

	"earshot/internal/model/sentiment"
)

// A reader classifies the sentiment of a text, as an index of sentiments.
type reader struct {
	name string
	read func(text string) int
}

// sentiments lists the classes, in the order of scores.
var sentiments = []string{"positive", "neutral", "negative"}

// compareSentiment prints how accurately and how fast Earshot's model and VADER's rules classify
// the sentiment of the English texts in a file. The file has tab-separated columns, of which label
// and text are used, and is compressed with gzip.
func compareSentiment(w io.Writer, file string) error {
	texts, labels, err := readLabeled(file)
	if err != nil {
		return err
	}
	readers, err := sentimentReaders()
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d texts from %s\n", len(texts), file)
	fmt.Fprintf(w, "%-10s %14s %10s\n", "", "macro recall", "µs/text")
	for _, r := range readers {
		for _, text := range texts { // warm up, because the first texts are slow
			r.read(text)
		}
		var right, all [3]float64
		start := time.Now()
		for i, text := range texts {
			all[labels[i]]++
			if r.read(text) == labels[i] {
				right[labels[i]]++
			}
		}
		took := time.Since(start)
		recall := 0.0
		for k := range all {
			recall += right[k] / max(all[k], 1) / 3
		}
		fmt.Fprintf(w, "%-10s %14.3f %10.1f\n", r.name, recall, float64(took.Microseconds())/float64(len(texts)))
	}
	return nil
}

func sentimentReaders() ([]reader, error) {
	model, err := sentiment.New()
	if err != nil {
		return nil, err
	}
	vader := govader.NewSentimentIntensityAnalyzer()
	return []reader{
		{"earshot", func(text string) int {
			s, _ := model.Infer(text, "en", sentiment.Social)
			return s.Assigned()
		}},
		{"vader", func(text string) int { return vaderClass(vader.PolarityScores(text).Compound) }},
	}, nil
}

// vaderClass returns the class of a compound score, according to the thresholds that VADER's
// authors recommend.
func vaderClass(compound float64) int {
	switch {
	case compound >= 0.05:
		return 0
	case compound <= -0.05:
		return 2
	}
	return 1
}

// readLabeled reads the texts of a file and their labels, as indexes of sentiments.
func readLabeled(file string) (texts []string, labels []int, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	unzipped, err := gzip.NewReader(f)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", file, err)
	}
	lines := bufio.NewScanner(unzipped)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	columns := strings.Split(lines.Text(), "\t")
	label, text := slices.Index(columns, "label"), slices.Index(columns, "text")
	if label < 0 || text < 0 {
		return nil, nil, fmt.Errorf("read %s: the columns label and text are required", file)
	}
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		if len(fields) != len(columns) {
			return nil, nil, fmt.Errorf("read %s: line %d has %d columns", file, len(texts)+2, len(fields))
		}
		k := slices.Index(sentiments, fields[label])
		if k < 0 {
			return nil, nil, fmt.Errorf("read %s: line %d has the unknown label %q", file, len(texts)+2, fields[label])
		}
		texts, labels = append(texts, fields[text]), append(labels, k)
	}
	if len(texts) == 0 {
		err = errors.New("the file has no texts")
	}
	return texts, labels, errors.Join(lines.Err(), err)
}
