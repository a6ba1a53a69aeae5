// Package eval measures the models on labelled texts: how often they are right, how
// well they know it, and how fast they are.
package eval

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
)

// A Result is how a model did on a file.
type Result struct {
	Rows    int `json:"rows"`
	Skipped int `json:"skipped,omitempty"` // rows without a label

	// Coverage is the share of rows that the model answered, and Accuracy the share of
	// those that it answered rightly. To a task that has an answer for "none of these",
	// as languages and places have, all rows are answered for Accuracy.
	Coverage float64 `json:"coverage"`
	Accuracy float64 `json:"accuracy"`

	// MacroRecall and MacroF1 are means over the classes that the labels have. A row
	// without an answer is missed.
	MacroRecall float64 `json:"macroRecall"`
	MacroF1     float64 `json:"macroF1"`

	// PerClass has also the answers that are right for no row. Of a class that is rightly
	// not answered, as brands have no gender, Recall is the share that was not.
	PerClass map[string]Class `json:"perClass"`

	// CalibrationError is the mean distance between how sure the model is and how often
	// it is right, in ten bins of sureness, weighted by their answers.
	CalibrationError *float64 `json:"calibrationError,omitempty"`

	PostsPerSecond float64           `json:"postsPerSecond"`
	Groups         map[string]Result `json:"groups,omitempty"`
}

// A Class is how a model did on one label.
type Class struct {
	Rows      int     `json:"rows"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Options say how to measure.
type Options struct {
	By string // also measure each group of rows with the same value in this column
}

// An prediction is what a model says of a row.
type prediction struct {
	label      string  // "" when it does not answer
	confidence float64 // from 0 to 1
}

// A task is something that a model predicts.
type task struct {
	label   string   // column of the labels
	needs   []string // columns that it cannot do without
	several bool     // a label may name several classes, separated by commas, any of which is right
	empty   string   // the class of an empty label; "" skips such rows
	none    string   // the class of not answering; "" where that is no answer
	outside string   // a class that is rightly not answered, and counts in no other figure
	sure    bool     // answers come with a confidence

	// class returns the class that a label stands for.
	class func(label string) string

	// ask returns what the model says of a row. The answer is one of classes, where there
	// are any.
	ask func(r row, classes []string) prediction
}

// Tasks lists what can be measured.
func Tasks() []string { return slices.Sorted(maps.Keys(tasks(nil))) }

// Run measures a task on a table of labelled rows: tab-separated, the first line names
// the columns, perhaps packed with gzip.
func Run(name string, m *Models, from io.Reader, o Options) (Result, error) {
	t, known := tasks(m)[name]
	if !known {
		return Result{}, earshot.Errorf(earshot.Invalid, "there is no task %q: use %s", name, strings.Join(Tasks(), ", "))
	}
	table, err := readTable(from, append([]string{t.label}, t.needs...))
	if err != nil {
		return Result{}, err
	}
	if o.By != "" && !table.has(o.By) {
		return Result{}, earshot.Errorf(earshot.Invalid, "there is no column %q", o.By)
	}
	outcomes, skipped := t.gold(table)
	if len(outcomes) == 0 {
		return Result{}, earshot.Errorf(earshot.Invalid, "there are no rows with a %s", t.label)
	}
	var classes []string
	if t.none == "" {
		classes = classesOf(outcomes)
	}
	start := time.Now()
	for i := range outcomes {
		outcomes[i].prediction = t.ask(outcomes[i].row, classes)
	}
	elapsed := time.Since(start)
	result := t.score(outcomes)
	result.Skipped = skipped
	result.PostsPerSecond = rounded(float64(len(outcomes)) / max(elapsed.Seconds(), 1e-9))
	if o.By != "" {
		result.Groups = t.groups(outcomes, o.By)
	}
	return result, nil
}

// An outcome is a row, what is right for it and what the model said.
type outcome struct {
	row        row
	gold       []string
	prediction prediction
}

func (o *outcome) isCorrect() bool { return slices.Contains(o.gold, o.prediction.label) }

// gold returns the rows that have a label, with it.
func (t task) gold(all *table) (outcomes []outcome, skipped int) {
	for _, r := range all.rows() {
		label := cmp.Or(strings.TrimSpace(r.get(t.label)), t.empty)
		if label == "" {
			skipped++
			continue
		}
		names := []string{label}
		if t.several {
			names = strings.Split(label, ",")
		}
		for i, name := range names {
			names[i] = t.class(strings.TrimSpace(name))
		}
		outcomes = append(outcomes, outcome{row: r, gold: names})
	}
	return outcomes, skipped
}

func classesOf(outcomes []outcome) []string {
	set := map[string]bool{}
	for _, o := range outcomes {
		for _, name := range o.gold {
			set[name] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

func (t task) groups(outcomes []outcome, column string) map[string]Result {
	by := map[string][]outcome{}
	for _, o := range outcomes {
		value := o.row.get(column)
		by[value] = append(by[value], o)
	}
	results := map[string]Result{}
	for value, some := range by {
		results[value] = t.score(some)
	}
	return results
}
