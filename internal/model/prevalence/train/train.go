// Package train fits the table of internal/model/prevalence to texts that the sentiment model was not
// trained on. It is not part of the service.
package train

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"

	"earshot"
	"earshot/internal/model/prevalence"
	"earshot/internal/model/secondlook"
	"earshot/internal/model/sentiment"
	"earshot/internal/parallel"
)

// Build fits the tables of the sentiment model in the repository, without and with a second look at
// English texts, to the texts in the data folder that were held out when the models were trained. It
// returns the files of internal/model/prevalence.
func Build(data string) (map[string][]byte, error) {
	m, err := openModel()
	if err != nil {
		return nil, err
	}
	texts, err := HeldOutTexts(data)
	if err != nil {
		return nil, err
	}
	scored := Score(m, texts)
	table, err := Fit(scored).Encode()
	if err != nil {
		return nil, err
	}
	if err := Look(scored, texts); err != nil {
		return nil, err
	}
	looked, err := Fit(scored).Encode()
	return map[string][]byte{"table.json.gz": table, "table_look.json.gz": looked}, err
}

// openModel opens the sentiment model whose files are in the repository. It may be newer than the one
// in this program.
func openModel() (*sentiment.Model, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for {
		paths, err := filepath.Glob(filepath.Join(dir, "internal", "model", "sentiment", "*.bin"))
		if err != nil {
			return nil, err
		}
		if len(paths) > 0 {
			return readModel(paths)
		}
		if dir == filepath.Dir(dir) {
			return nil, errors.New("internal/model/sentiment not found; run this inside the repository")
		}
		dir = filepath.Dir(dir)
	}
}

func readModel(paths []string) (*sentiment.Model, error) {
	files := sentiment.Files{}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		files[filepath.Base(path)] = file
	}
	return sentiment.Open(files)
}

// A Scored is a labeled text with its scores.
type Scored struct {
	Source    string
	Language  string
	Domain    sentiment.Domain
	Sentiment earshot.Sentiment
	Emotion   earshot.Emotion

	Sentiments, Emotions []int // labels; empty if unknown
}

// Score runs the model on texts.
func Score(m *sentiment.Model, texts []HeldOut) []Scored {
	list := make([]Scored, len(texts))
	for i, t := range texts {
		s, e := m.Infer(t.Text, t.Language, t.Domain)
		list[i] = Scored{
			Source: t.Source, Language: t.Language, Domain: t.Domain, Sentiments: t.Sentiments, Emotions: t.Emotions,
			Sentiment: s.Inferred(), Emotion: e.Inferred(),
		}
	}
	return list
}

// Look replaces the scores of the texts that the second look can read. It takes minutes.
func Look(scored []Scored, texts []HeldOut) error {
	m, err := secondlook.New()
	if err != nil {
		return err
	}
	return parallel.For(context.Background(), len(texts), 0, func(_ context.Context, i int) error {
		t := &texts[i]
		if !slices.Contains(secondlook.Languages, t.Language) {
			return nil
		}
		s, e, err := m.Infer(t.Text, t.Domain)
		scored[i].Sentiment, scored[i].Emotion = s.Inferred(), e.Inferred()
		return err
	})
}

// Fit fits a table.
func Fit(texts []Scored) *prevalence.Table {
	t := &prevalence.Table{
		Sentiments: fitTask(Sentiments(texts), prevalence.Task{Classes: 3, Neutral: earshot.Neutral, Assigned: make([][]float64, earshot.SentimentCells)}),
		Emotions:   fitTask(Emotions(texts), prevalence.Task{Classes: 7, Neutral: earshot.NoEmotion, Assigned: make([][]float64, earshot.EmotionCells)}),
	}
	t.Sentiments.Elsewhere = elsewhere
	t.Emotions.Known *= emotionsElsewhere
	t.Emotions.Unknown *= emotionsElsewhere
	for k, factor := range t.Emotions.ClassFactors {
		t.Emotions.ClassFactors[k] = max(factor, leastEmotionFactor)
	}
	for _, m := range elsewhere { // what is unknown is not better
		t.Sentiments.Unknown = max(t.Sentiments.Unknown, m.Error)
	}
	return t
}

// An Example is a text with its score in a cell, for one task. A text with several labels is several
// examples.
type Example struct {
	Source   string
	Language string
	Domain   sentiment.Domain
	Cell     earshot.ScoreCell
	Scores   []float64
	Class    int
	Weight   float64
}

// Sentiments returns the examples of texts whose sentiment is known.
func Sentiments(texts []Scored) (list []Example) {
	for i := range texts {
		t := &texts[i]
		list = append(list, t.examples(t.Sentiment.Cell(), t.Sentiment[:], t.Sentiments)...)
	}
	return list
}

// Emotions returns the examples of texts whose emotion is known.
func Emotions(texts []Scored) (list []Example) {
	for i := range texts {
		t := &texts[i]
		list = append(list, t.examples(t.Emotion.Cell(), t.Emotion[:], t.Emotions)...)
	}
	return list
}

func (t *Scored) examples(cell earshot.ScoreCell, scores []earshot.Percent, labels []int) (list []Example) {
	if cell == 0 {
		return nil
	}
	shares := make([]float64, len(scores))
	for k, score := range scores {
		shares[k] = float64(score) / 100
	}
	for _, class := range labels {
		list = append(list, Example{t.Source, t.Language, t.Domain, cell, shares, class, 1 / float64(len(labels))})
	}
	return list
}

// fitTask fits the profiles and settings of a task.
func fitTask(examples []Example, t prevalence.Task) prevalence.Task {
	assign(examples, &t)
	t.Profiles = profiles(examples, t.Classes, len(t.Assigned))
	fitSettings(&t, examples)
	return t
}

// assign sets the shares of classes that the texts of each cell are assigned to. Those of a cell without
// examples are even.
func assign(examples []Example, t *prevalence.Task) {
	for cell := range t.Assigned {
		t.Assigned[cell] = make([]float64, t.Classes)
		for k := range t.Assigned[cell] {
			t.Assigned[cell][k] = 1 / float64(t.Classes)
		}
	}
	counts := make([]float64, len(t.Assigned))
	for _, x := range examples {
		counts[x.Cell]++
		for k, share := range t.Assigned[x.Cell] {
			is := 0.0
			if k == top(x.Scores) {
				is = 1
			}
			t.Assigned[x.Cell][k] += (is - share) / counts[x.Cell]
		}
	}
}

// Texts that a profile, and a class of it, need at least.
const (
	minProfile = 60
	minClass   = 15
)

// profiles returns the profiles of all sources with enough texts, in a fixed order.
func profiles(examples []Example, classes, cells int) []prevalence.Profile {
	bySource := map[sourceKey]*prevalence.Profile{}
	var list []*prevalence.Profile
	for _, x := range examples {
		key := x.source()
		p := bySource[key]
		if p == nil {
			p = &prevalence.Profile{
				Source: x.Source, Language: x.Language, Domain: x.Domain, Counts: make([][]float64, classes),
				SingleTopic: x.Language == "en" && slices.Contains(singleTopic, x.Source), Selected: slices.Contains(selected, x.Source),
			}
			bySource[key] = p
			list = append(list, p)
		}
		if p.Counts[x.Class] == nil {
			p.Counts[x.Class] = make([]float64, cells)
		}
		p.Counts[x.Class][x.Cell] += x.Weight
	}
	var kept []prevalence.Profile
	for _, p := range list {
		total := 0.0
		for k, counts := range p.Counts {
			n := sum(counts)
			if n < minClass {
				p.Counts[k] = nil
				continue
			}
			total += n
		}
		if total >= minProfile {
			kept = append(kept, *p)
		}
	}
	slices.SortFunc(kept, func(a, b prevalence.Profile) int {
		return cmp.Or(cmp.Compare(a.Language, b.Language), cmp.Compare(a.Source, b.Source), cmp.Compare(a.Domain, b.Domain))
	})
	return kept
}

// A sourceKey identifies a source: the same one in another language is a different one.
type sourceKey struct {
	name, language string
	domain         sentiment.Domain
}

func (x *Example) source() sourceKey { return sourceKey{x.Source, x.Language, x.Domain} }

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
