package eval

import (
	"maps"
	"math"
	"slices"
)

// A tally counts the outcomes of one class.
type tally struct{ gold, predicted, correct int }

// score computes the metrics for outcomes.
func (t task) score(outcomes []outcome) Result {
	r := Result{PerClass: map[string]Class{}}
	inside := outcomes
	if t.outside != "" {
		var left int
		inside, left = t.split(outcomes)
		if n := len(outcomes) - len(inside); n > 0 {
			r.PerClass[t.outside] = Class{Rows: n, Recall: rounded(ratio(left, n))}
		}
	}
	r.Rows = len(outcomes)
	c := t.count(inside)
	r.Coverage = rounded(ratio(c.assigned, len(inside)))
	r.Accuracy = rounded(ratio(c.right, c.answered))
	var classes, recalls, f1s float64
	// The order is fixed because float sums depend on it.
	for _, name := range slices.Sorted(maps.Keys(c.tallies)) {
		n := c.tallies[name]
		class := n.class()
		if n.gold > 0 {
			classes++
			recalls += class.Recall
			f1s += class.F1
		}
		r.PerClass[name] = Class{class.Rows, rounded(class.Precision), rounded(class.Recall), rounded(class.F1)}
	}
	if classes > 0 {
		r.MacroRecall, r.MacroF1 = rounded(recalls/classes), rounded(f1s/classes)
	}
	if t.sure {
		e := rounded(calibrationError(inside))
		r.CalibrationError = &e
	}
	return r
}

// split returns the outcomes that should have a prediction, and how many of the others have none.
func (t task) split(outcomes []outcome) (inside []outcome, left int) {
	for _, o := range outcomes {
		switch {
		case o.gold[0] != t.outside:
			inside = append(inside, o)
		case o.prediction.label == "":
			left++
		}
	}
	return inside, left
}

// counts holds the numbers that the metrics are computed from.
type counts struct {
	answered, assigned, right int
	tallies                   map[string]*tally
}

func (t task) count(outcomes []outcome) counts {
	c := counts{tallies: map[string]*tally{}}
	of := func(class string) *tally {
		if c.tallies[class] == nil {
			c.tallies[class] = new(tally)
		}
		return c.tallies[class]
	}
	for i := range outcomes {
		o := &outcomes[i]
		credited := o.gold[0]
		if o.isCorrect() {
			credited = o.prediction.label // if several are correct, credit the predicted one
			of(credited).correct++
			c.right++
		}
		of(credited).gold++
		if o.prediction.label == "" {
			continue
		}
		c.answered++
		of(o.prediction.label).predicted++
		if o.prediction.label != t.none {
			c.assigned++
		}
	}
	return c
}

func (n *tally) class() Class {
	c := Class{Rows: n.gold, Precision: ratio(n.correct, n.predicted), Recall: ratio(n.correct, n.gold)}
	if n.correct > 0 {
		c.F1 = 2 * c.Precision * c.Recall / (c.Precision + c.Recall)
	}
	return c
}

// calibrationError returns the expected calibration error over ten bins of confidence.
func calibrationError(outcomes []outcome) float64 {
	const bins = 10
	var n, right, sure [bins]float64
	var all float64
	for i := range outcomes {
		o := &outcomes[i]
		if o.prediction.label == "" || o.prediction.confidence == 0 { // no confidence to check
			continue
		}
		bin := min(int(o.prediction.confidence*bins), bins-1)
		n[bin]++
		all++
		sure[bin] += o.prediction.confidence
		if o.isCorrect() {
			right[bin]++
		}
	}
	var e float64
	for i := range bins {
		if n[i] > 0 {
			e += math.Abs(sure[i]-right[i]) / all
		}
	}
	return e
}

func ratio(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// rounded rounds to four decimal places, because more are not significant.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
