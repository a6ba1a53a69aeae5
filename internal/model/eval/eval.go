// Package eval measures the accuracy, calibration and speed of the models on labeled texts. Each
// metric comes with a confidence interval, because many labeled sets are small.
package eval

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/model/sentiment"
)

// A Result is the performance of a model on a file. The intervals are 95% confidence intervals.
type Result struct {
	Rows    int `json:"rows"`
	Skipped int `json:"skipped,omitempty"` // rows without a label

	// Coverage is the fraction of rows for which the model predicts a class. Accuracy is the
	// fraction of predictions that are correct. For tasks with a class for "none of these", such as
	// language and place, Accuracy covers all rows.
	Coverage         float64  `json:"coverage"`
	Accuracy         float64  `json:"accuracy"`
	AccuracyInterval Interval `json:"accuracyInterval"`

	// MacroRecall and MacroF1 are means over the classes that occur in the labels. A row without a
	// prediction counts as missed.
	MacroRecall         float64  `json:"macroRecall"`
	MacroRecallInterval Interval `json:"macroRecallInterval"`
	MacroF1             float64  `json:"macroF1"`
	MacroF1Interval     Interval `json:"macroF1Interval"`

	// PerClass also has classes that were predicted but occur in no label. For a class that should
	// not be predicted (brands have no gender), Recall is the fraction of rows without a
	// prediction. A correct prediction counts for the predicted class only; if a row with several
	// labels is missed, each of them is charged with an equal part of the row.
	PerClass map[string]Class `json:"perClass"`

	// CalibrationError is the expected calibration error: the mean absolute difference between
	// confidence and accuracy over ten bins of confidence, weighted by the number of predictions.
	CalibrationError         *float64  `json:"calibrationError,omitempty"`
	CalibrationErrorInterval *Interval `json:"calibrationErrorInterval,omitempty"`

	MultiLabel *MultiLabel `json:"multiLabel,omitempty"` // if a row may have several labels
	Shares     *Shares     `json:"shares,omitempty"`     // if the model returns a score for each class

	PostsPerSecond float64           `json:"postsPerSecond,omitempty"`
	Groups         map[string]Result `json:"groups,omitempty"`
}

// A Class is the performance of a model on one class.
type Class struct {
	Rows      int     `json:"rows"` // rows with this label
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
}

// Options configure a run.
type Options struct {
	// By names columns. Each group of rows with the same values in all of them is measured, too.
	By []string

	Domain     sentiment.Domain // domain of rows that state none
	Thresholds Thresholds       // of multi-label predictions; nil uses those of the task
	Rows       *RowWriter       // receives each row with its prediction, unless nil
}

// A prediction is the prediction of a model for a row.
type prediction struct {
	label      string    // "" if there is no prediction
	confidence float64   // from 0 to 1
	scores     []float32 // probabilities of the classes of the task, nil if the model has none
}

// A task is an attribute that a model predicts.
type task struct {
	label      string     // column of the labels
	instead    string     // column that a table may have instead of label, for labelOf; "" if none
	needs      []string   // required columns
	labels     []string   // valid labels; nil if any is valid
	classes    []string   // classes of the model's scores; nil if it returns only the best class
	several    bool       // a label may list several classes, separated by commas; any is correct
	thresholds Thresholds // of multi-label predictions
	empty      string     // class of an empty label; "" skips such rows
	none       string     // class of rows without a prediction; "" if there is no such class
	outside    string     // class that should not be predicted, excluded from all other metrics
	sure       bool       // predictions have a confidence

	// class returns the class that a label stands for.
	class func(label string) string

	// labelOf returns the label of a row of a table without the column label.
	labelOf func(r row) string

	// ask returns the prediction for a row. If allowed is not empty, the prediction is one of them.
	ask func(r row, allowed []string) prediction
}

// Tasks returns the names of all tasks, sorted.
func Tasks() []string { return slices.Sorted(maps.Keys(tasks(nil, 0))) }

// Run measures a task on a table of labeled rows. The table is tab-separated, optionally gzipped,
// and its first line names the columns.
func Run(name string, m *Models, from io.Reader, o Options) (Result, error) {
	t, a, err := predict(name, m, from, o)
	if err != nil {
		return Result{}, err
	}
	if o.Thresholds != nil {
		t.thresholds = o.Thresholds
	}
	result := t.score(a.outcomes, a.allowed)
	result.Skipped = a.skipped
	result.PostsPerSecond = rounded(float64(len(a.outcomes)) / max(a.elapsed.Seconds(), 1e-9))
	if len(o.By) > 0 {
		result.Groups = map[string]Result{}
		for key, group := range groupBy(a.outcomes, o.By) {
			result.Groups[key] = t.score(group, a.allowed)
		}
	}
	if o.Rows != nil {
		err = o.Rows.write(t, a.outcomes)
	}
	return result, err
}

// answers are the predictions for all rows of a table.
type answers struct {
	outcomes []outcome
	allowed  []string // classes that a prediction may have; nil if any
	skipped  int      // rows without a label
	elapsed  time.Duration
}

// predict reads a table and asks the model about each of its rows.
func predict(name string, m *Models, from io.Reader, o Options) (task, answers, error) {
	t, known := tasks(m, o.Domain)[name]
	if !known {
		return t, answers{}, earshot.Errorf(earshot.Invalid, "unknown task %q; use one of %s", name, strings.Join(Tasks(), ", "))
	}
	needs := t.needs
	if t.instead == "" {
		needs = append([]string{t.label}, needs...)
	}
	table, err := readTable(from, needs)
	if err != nil {
		return t, answers{}, err
	}
	if !table.has(t.label) && !table.has(cmp.Or(t.instead, t.label)) {
		return t, answers{}, missingColumn(t.label)
	}
	for _, column := range o.By {
		if !table.canGroupBy(column) {
			return t, answers{}, earshot.Errorf(earshot.Invalid, "the table has no column %q to group by", column)
		}
	}
	a := answers{}
	a.outcomes, a.skipped, err = t.gold(table)
	if err != nil {
		return t, answers{}, err
	}
	if len(a.outcomes) == 0 {
		return t, answers{}, earshot.Errorf(earshot.Invalid, "the table has no rows with a value in column %q", t.label)
	}
	if t.none == "" {
		a.allowed = classesOf(a.outcomes)
	}
	start := time.Now()
	for i := range a.outcomes {
		a.outcomes[i].prediction = t.ask(a.outcomes[i].row, a.allowed)
	}
	a.elapsed = time.Since(start)
	return t, a, nil
}

// An outcome is a row with its correct classes and the prediction of the model.
type outcome struct {
	row        row
	gold       []string // sorted
	prediction prediction
}

func (o *outcome) isCorrect() bool { return slices.Contains(o.gold, o.prediction.label) }

// gold returns the labeled rows with their classes, and the number of rows without a label.
func (t task) gold(all *table) (outcomes []outcome, skipped int, err error) {
	for _, r := range all.rows() {
		if _, valid := domains[r.get("domain")]; !valid && r.get("domain") != "" {
			return nil, 0, earshot.Errorf(earshot.Invalid, "line %d: unknown domain %q; use one of %s", r.line(), r.get("domain"), strings.Join(Domains(), ", "))
		}
		label := r.get(t.label)
		if !all.has(t.label) {
			label = t.labelOf(r)
		}
		label = cmp.Or(strings.TrimSpace(label), t.empty)
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
			if t.labels != nil && !slices.Contains(t.labels, names[i]) {
				return nil, 0, earshot.Errorf(earshot.Invalid, "line %d: unknown label %q in column %q; use one of %s",
					r.line(), strings.TrimSpace(name), t.label, strings.Join(t.labels, ", "))
			}
		}
		slices.Sort(names)
		outcomes = append(outcomes, outcome{row: r, gold: slices.Compact(names)})
	}
	return outcomes, skipped, nil
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
