package opinion

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"

	"earshot/internal/model/quantify"
)

// curve has the hundredths of the documents that accuracy is measured with, fewest
// first.
var curve = [...]int{25, 50, 75, 100}

// whole is the place of all documents in curve.
const whole = len(curve) - 1

// manyTexts is how many documents make every other fold enough for a part of them.
const manyTexts = 200

// An exam is one fold of documents, told by a model of a part of the others.
type exam struct{ part, fold int }

// Exams are what was told of documents by models that had not seen them, for each part
// of curve. A verdict has no sums where a document was not told.
type exams [len(curve)][]verdict

// examine leaves out one fold after another and tells its documents.
func (c *corpus) examine(ctx context.Context) (*exams, error) {
	c.divide()
	e := &exams{}
	for part := range e {
		e[part] = make([]verdict, len(c.texts))
	}
	queue := make(chan exam)
	var wait sync.WaitGroup
	var failed atomic.Value // what an exam panicked with, and where
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for x := range queue {
				if problem := c.try(x, e[x.part]); problem != "" {
					failed.Store(problem)
				}
			}
		})
	}
	err := c.ask(ctx, queue)
	wait.Wait()
	if problem := failed.Load(); problem != nil {
		panic(problem) // in the caller's goroutine, where it is dealt with
	}
	return e, err
}

// try is sit that returns what it panics with, and where.
func (c *corpus) try(x exam, verdicts []verdict) (problem string) {
	defer func() {
		if r := recover(); r != nil {
			problem = fmt.Sprintf("%v\n%s", r, debug.Stack())
		}
	}()
	c.sit(x, verdicts)
	return ""
}

// ask puts all exams into the queue, those that take long first, and closes it.
func (c *corpus) ask(ctx context.Context, queue chan<- exam) error {
	defer close(queue)
	for part := whole; part >= 0; part-- {
		for fold := range c.folds() {
			if part < whole && (len(c.texts) >= manyTexts && fold%2 == 1 || c.huge && fold > 0) {
				continue
			}
			select {
			case queue <- exam{part, fold}:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// sit fills in what is told of the documents of a fold. Each fold sees another part of
// the others.
func (c *corpus) sit(x exam, verdicts []verdict) {
	share := curve[x.part]
	l := c.teach(func(t *text) bool {
		return t.fold != x.fold && (share == 100 || (t.rank*61+x.fold*37)%100 < share)
	})
	for i := range c.texts {
		if t := &c.texts[i]; t.fold == x.fold {
			sums := make([]float32, len(c.categories))
			l.tell(t, sums)
			verdicts[i] = verdict{sums, t.class}
		}
	}
}

// lessons returns the calibrated shares of verdicts. Documents are numbered from 1 on.
func (c *calibration) lessons(verdicts []verdict) []quantify.Example {
	lessons := make([]quantify.Example, len(verdicts))
	for i, v := range verdicts {
		shares := slices.Clone(v.sums)
		c.apply(shares)
		for k, share := range shares {
			shares[k] = shareOf(portion(share)) // as they are saved
		}
		lessons[i] = quantify.Example{Scores: shares, Category: v.class, Document: i + 1}
	}
	return lessons
}
