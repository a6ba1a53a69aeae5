package eval

import (
	"maps"
	"math"
	"slices"
)

// score computes the metrics for outcomes whose predictions were limited to the allowed classes.
func (t task) score(outcomes []outcome, allowed []string) Result {
	r := Result{Rows: len(outcomes), PerClass: map[string]Class{}}
	inside := outcomes
	if t.outside != "" {
		var left int
		inside, left = t.split(outcomes)
		if n := len(outcomes) - len(inside); n > 0 {
			r.PerClass[t.outside] = Class{Rows: n, Recall: rounded(ratio(left, n))}
		}
	}
	s := t.newSample(inside)
	c := newCounts(s)
	for i := range s.rows {
		c.add(&s.rows[i])
	}
	r.Coverage = rounded(ratio(c.assigned, len(inside)))
	r.Accuracy = rounded(c.accuracy())
	recall, f1 := c.macro()
	r.MacroRecall, r.MacroF1 = rounded(recall), rounded(f1)
	for i, name := range s.classes {
		class := c.class(i)
		r.PerClass[name] = Class{s.labeled[i], rounded(class.Precision), rounded(class.Recall), rounded(class.F1)}
	}
	intervals := s.intervals()
	r.AccuracyInterval, r.MacroRecallInterval, r.MacroF1Interval = intervals[0], intervals[1], intervals[2]
	if t.sure {
		e := rounded(c.calibrationError())
		r.CalibrationError, r.CalibrationErrorInterval = &e, &intervals[3]
	}
	if t.several {
		r.MultiLabel = t.multiLabel(inside, allowed)
	}
	if t.classes != nil {
		r.Shares = t.shares(inside, allowed)
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

// A sample is a list of outcomes, with classes as numbers so that resamples are counted quickly.
type sample struct {
	classes []string // those of labels and predictions, sorted
	labeled []int    // rows with each class as a label
	rows    []sampleRow
}

type sampleRow struct {
	gold       []int
	predicted  int  // -1 if there is no prediction
	assigned   bool // whether the prediction is a class other than "none of these"
	correct    bool
	confidence float64
}

func (t task) newSample(outcomes []outcome) *sample {
	index := map[string]int{}
	for _, o := range outcomes {
		for _, name := range o.gold {
			index[name] = 0
		}
		if o.prediction.label != "" {
			index[o.prediction.label] = 0
		}
	}
	s := &sample{classes: slices.Sorted(maps.Keys(index))}
	for i, name := range s.classes {
		index[name] = i
	}
	s.labeled, s.rows = make([]int, len(s.classes)), make([]sampleRow, len(outcomes))
	for i := range outcomes {
		o := &outcomes[i]
		r := sampleRow{predicted: -1, correct: o.isCorrect(), confidence: o.prediction.confidence}
		for _, name := range o.gold {
			r.gold = append(r.gold, index[name])
			s.labeled[index[name]]++
		}
		if o.prediction.label != "" {
			r.predicted, r.assigned = index[o.prediction.label], o.prediction.label != t.none
		}
		s.rows[i] = r
	}
	return s
}

// intervals returns the confidence intervals of accuracy, macro recall, macro F1 and calibration
// error.
func (s *sample) intervals() []Interval {
	c := newCounts(s)
	return bootstrap(len(s.rows), func(rows []int32) []float64 {
		c.reset()
		for _, i := range rows {
			c.add(&s.rows[i])
		}
		recall, f1 := c.macro()
		return []float64{c.accuracy(), recall, f1, c.calibrationError()}
	})
}

// counts holds the numbers that the metrics are computed from.
type counts struct {
	answered, assigned, right int
	gold, predicted, correct  []float64 // rows of each class
	bins                      [10]bin
}

// A bin counts the predictions with a similar confidence.
type bin struct{ rows, correct, confidence float64 }

func newCounts(s *sample) *counts {
	n := len(s.classes)
	return &counts{gold: make([]float64, n), predicted: make([]float64, n), correct: make([]float64, n)}
}

func (c *counts) reset() {
	clear(c.gold)
	clear(c.predicted)
	clear(c.correct)
	*c = counts{gold: c.gold, predicted: c.predicted, correct: c.correct}
}

func (c *counts) add(r *sampleRow) {
	if r.correct {
		c.right++
		c.gold[r.predicted]++
		c.correct[r.predicted]++
	} else {
		part := 1 / float64(len(r.gold)) // the order of labels means nothing, so they share the miss
		for _, class := range r.gold {
			c.gold[class] += part
		}
	}
	if r.predicted < 0 {
		return
	}
	c.answered++
	c.predicted[r.predicted]++
	if r.assigned {
		c.assigned++
	}
	if r.confidence > 0 { // otherwise there is no confidence to check
		b := &c.bins[min(int(r.confidence*float64(len(c.bins))), len(c.bins)-1)]
		b.rows++
		b.confidence += r.confidence
		if r.correct {
			b.correct++
		}
	}
}

func (c *counts) accuracy() float64 { return ratio(c.right, c.answered) }

// macro returns the means of recall and F1 over the classes that occur in the labels.
func (c *counts) macro() (recall, f1 float64) {
	classes := 0
	for i, gold := range c.gold {
		if gold > 0 {
			class := c.class(i)
			classes, recall, f1 = classes+1, recall+class.Recall, f1+class.F1
		}
	}
	n := float64(max(classes, 1))
	return recall / n, f1 / n
}

func (c *counts) class(i int) Class {
	return newClass(c.gold[i], c.predicted[i], c.correct[i])
}

func newClass(gold, predicted, correct float64) Class {
	c := Class{Precision: ratio(correct, predicted), Recall: ratio(correct, gold)}
	if correct > 0 {
		c.F1 = 2 * c.Precision * c.Recall / (c.Precision + c.Recall)
	}
	return c
}

// calibrationError returns the expected calibration error over ten bins of confidence.
func (c *counts) calibrationError() float64 {
	var off, all float64
	for _, b := range c.bins {
		off += math.Abs(b.confidence - b.correct)
		all += b.rows
	}
	return ratio(off, all)
}

func ratio[T int | float64](part, whole T) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// rounded rounds to four decimal places, because more are not significant.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
