package eval

import (
	"io"

	"earshot"
)

// A MultiLabel compares sets of labels: a row with several labels counts in each of them, and so do
// several predicted classes.
type MultiLabel struct {
	Top         LabelSets  `json:"top"`                   // predicts the class with the highest score
	Thresholded *LabelSets `json:"thresholded,omitempty"` // predicts all classes whose score reaches a threshold
}

// LabelSets are the metrics of one way to predict sets of labels. The means are over the classes
// that occur in the labels.
type LabelSets struct {
	Thresholds      Thresholds       `json:"thresholds,omitempty"`
	MacroRecall     float64          `json:"macroRecall"`
	MacroF1         float64          `json:"macroF1"`
	MacroF1Interval Interval         `json:"macroF1Interval"`
	PerClass        map[string]Class `json:"perClass"`
}

// Thresholds are the scores from which classes are predicted. If no score of a row reaches its
// threshold, the class with the highest score is predicted.
type Thresholds map[string]float64

func (t task) multiLabel(outcomes []outcome, allowed []string) *MultiLabel {
	rows := t.labelRows(outcomes, allowed)
	m := &MultiLabel{Top: newLabelSets(rows, allowed, nil)}
	if t.thresholds != nil {
		thresholded := newLabelSets(rows, allowed, t.thresholds)
		m.Thresholded = &thresholded
	}
	return m
}

// newLabelSets measures the predictions with the given thresholds, or those of the class with the
// highest score if there are none.
func newLabelSets(rows []labelRow, classes []string, thresholds Thresholds) LabelSets {
	limits := make([]float64, len(classes))
	for i, name := range classes {
		limits[i] = 2 // no score reaches it
		if limit, ok := thresholds[name]; ok {
			limits[i] = limit
		}
	}
	for i := range rows {
		rows[i].predict(limits)
	}
	c := make(labelCounts, len(classes))
	for i := range rows {
		c.add(&rows[i])
	}
	recall, f1 := c.macro()
	s := LabelSets{Thresholds: thresholds, MacroRecall: rounded(recall), MacroF1: rounded(f1), PerClass: map[string]Class{}}
	for i, name := range classes {
		class := c[i].class()
		s.PerClass[name] = Class{int(c[i].gold), rounded(class.Precision), rounded(class.Recall), rounded(class.F1)}
	}
	s.MacroF1Interval = bootstrap(len(rows), func(sample []int32) []float64 {
		clear(c)
		for _, i := range sample {
			c.add(&rows[i])
		}
		_, f1 := c.macro()
		return []float64{f1}
	})[0]
	return s
}

// A labelRow is an outcome with a bit for each class of its sets.
type labelRow struct {
	gold, predicted uint64
	scores          []float64 // nil if there is no prediction
	top             int       // index of the highest score
}

func (t task) labelRows(outcomes []outcome, classes []string) []labelRow {
	rows := make([]labelRow, len(outcomes))
	for i := range outcomes {
		o, r := &outcomes[i], &rows[i]
		p := t.distribution(o.prediction.scores, classes)
		for class, name := range classes {
			for _, label := range o.gold {
				if label == name {
					r.gold |= 1 << class
				}
			}
			if o.prediction.label != "" {
				r.scores = append(r.scores, p[name])
			}
			if o.prediction.label == name {
				r.top = class
			}
		}
	}
	return rows
}

// predict sets the predicted classes: those whose score reaches its limit, or else the best one.
func (r *labelRow) predict(limits []float64) {
	r.predicted = 0
	for class, score := range r.scores {
		if score >= limits[class] {
			r.predicted |= 1 << class
		}
	}
	if r.predicted == 0 && r.scores != nil {
		r.predicted = 1 << r.top
	}
}

// labelCounts counts the labels, predictions and correct predictions of each class.
type labelCounts []labelCount

type labelCount struct{ gold, predicted, correct float64 }

func (n labelCount) class() Class { return newClass(n.gold, n.predicted, n.correct) }

func (c labelCounts) add(r *labelRow) {
	for class := range c {
		gold, predicted := r.gold>>class&1, r.predicted>>class&1
		c[class].gold += float64(gold)
		c[class].predicted += float64(predicted)
		c[class].correct += float64(gold & predicted)
	}
}

// macro returns the means of recall and F1 over the classes that occur in the labels.
func (c labelCounts) macro() (recall, f1 float64) {
	classes := 0
	for _, n := range c {
		if n.gold > 0 {
			class := n.class()
			classes, recall, f1 = classes+1, recall+class.Recall, f1+class.F1
		}
	}
	n := float64(max(classes, 1))
	return recall / n, f1 / n
}

// FitThresholds returns the thresholds with the highest macro F1 on a table of labeled rows. Fit them
// on training data, never on the rows to measure.
func FitThresholds(name string, m *Models, from io.Reader, o Options) (Thresholds, error) {
	t, a, err := predict(name, m, from, Options{Domain: o.Domain})
	if err != nil {
		return nil, err
	}
	if !t.several {
		return nil, earshot.Errorf(earshot.Invalid, "the task %q has one label a row and needs no thresholds", name)
	}
	rows := t.labelRows(a.outcomes, a.allowed)
	limits := make([]float64, len(a.allowed))
	for i := range limits {
		limits[i] = 0.5
	}
	c := make(labelCounts, len(limits))
	macroF1 := func() float64 {
		clear(c)
		for i := range rows {
			rows[i].predict(limits)
			c.add(&rows[i])
		}
		_, f1 := c.macro()
		return f1
	}
	// Each class in turn takes its best threshold. The best class of a row is predicted whatever its
	// score is, so the choices depend on each other; three rounds settle them.
	best := macroF1()
	for range 3 {
		for class := range limits {
			chosen := limits[class]
			for percent := 5; percent <= 95; percent += 5 {
				limits[class] = float64(percent) / 100
				if f1 := macroF1(); f1 > best {
					best, chosen = f1, limits[class]
				}
			}
			limits[class] = chosen
		}
	}
	fitted := Thresholds{}
	for i, name := range a.allowed {
		fitted[name] = limits[i]
	}
	return fitted, nil
}
