// Package eval measures the accuracy, calibration and speed of the models on labeled texts.
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

// A Result is the performance of a model on a file.
type Result struct {
	Rows    int `json:"rows"`
	Skipped int `json:"skipped,omitempty"` // rows without a label

	// Coverage is the fraction of rows for which the model predicts a class. Accuracy is the
	// fraction of predictions that are correct. For tasks with a class for "none of these", such as
	// language and place, Accuracy covers all rows.
	Coverage float64 `json:"coverage"`
	Accuracy float64 `json:"accuracy"`

	// MacroRecall and MacroF1 are means over the classes that occur in the labels. A row without a
	// prediction counts as missed.
	MacroRecall float64 `json:"macroRecall"`
	MacroF1     float64 `json:"macroF1"`

	// PerClass also has classes that were predicted but occur in no label. For a class that should
	// not be predicted (brands have no gender), Recall is the fraction of rows without a
	// prediction.
	PerClass map[string]Class `json:"perClass"`

	// CalibrationError is the expected calibration error: the mean absolute difference between
	// confidence and accuracy over ten bins of confidence, weighted by the number of predictions.
	CalibrationError *float64 `json:"calibrationError,omitempty"`

	PostsPerSecond float64           `json:"postsPerSecond"`
	Groups         map[string]Result `json:"groups,omitempty"`
}

// A Class is the performance of a model on one class.
type Class struct {
	Rows      int     `json:"rows"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Options configure a run.
type Options struct {
	By string // also measure each group of rows with the same value in this column
}

// A prediction is the prediction of a model for a row.
type prediction struct {
	label      string  // "" if there is no prediction
	confidence float64 // from 0 to 1
}

// A task is an attribute that a model predicts.
type task struct {
	label   string   // column of the labels
	needs   []string // required columns
	several bool     // a label may list several classes, separated by commas; any is correct
	empty   string   // class of an empty label; "" skips such rows
	none    string   // class of rows without a prediction; "" if there is no such class
	outside string   // class that should not be predicted, excluded from all other metrics
	sure    bool     // predictions have a confidence

	// class returns the class that a label stands for.
	class func(label string) string

	// ask returns the prediction for a row. If classes is not empty, the prediction is one of them.
	ask func(r row, classes []string) prediction
}

// Tasks returns the names of all tasks, sorted.
func Tasks() []string { return slices.Sorted(maps.Keys(tasks(nil))) }

// Run measures a task on a table of labeled rows. The table is tab-separated, optionally gzipped,
// and its first line names the columns.
func Run(name string, m *Models, from io.Reader, o Options) (Result, error) {
	t, known := tasks(m)[name]
	if !known {
		return Result{}, earshot.Errorf(earshot.Invalid, "unknown task %q; use one of %s", name, strings.Join(Tasks(), ", "))
	}
	table, err := readTable(from, append([]string{t.label}, t.needs...))
	if err != nil {
		return Result{}, err
	}
	if o.By != "" && !table.has(o.By) {
		return Result{}, earshot.Errorf(earshot.Invalid, "the table has no column %q", o.By)
	}
	outcomes, skipped := t.gold(table)
	if len(outcomes) == 0 {
		return Result{}, earshot.Errorf(earshot.Invalid, "the table has no rows with a value in column %q", t.label)
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

// An outcome is a row with its correct classes and the prediction of the model.
type outcome struct {
	row        row
	gold       []string
	prediction prediction
}

func (o *outcome) isCorrect() bool { return slices.Contains(o.gold, o.prediction.label) }

// gold returns the labeled rows with their classes, and the number of rows without a label.
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
