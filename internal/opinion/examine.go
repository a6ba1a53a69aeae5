package opinion

import (
	"context"
	"runtime"
	"sync"

	"earshot/internal/quantify"
)

// curve has the hundredths of the documents that accuracy is measured with, fewest
// first.
var curve = [...]int{25, 50, 75, 100}

// Exams are what was told of documents by models that had not seen them.
type exams struct {
	verdicts [len(curve)][]verdict // of all documents; the last by models that saw all others
}

// An exam is one fold of documents, told by a model of a part of the others.
type exam struct{ part, fold int }

// examine leaves out one fold after another and tells its documents.
func (c *corpus) examine(ctx context.Context) (*exams, error) {
	e := &exams{}
	for part := range e.verdicts {
		e.verdicts[part] = make([]verdict, len(c.texts))
	}
	queue := make(chan exam)
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for x := range queue {
				c.sit(x, e.verdicts[x.part])
			}
		})
	}
	err := ask(ctx, queue, c.divide())
	wait.Wait()
	return e, err
}

// ask puts all exams into the queue, those that take long first, and closes it.
func ask(ctx context.Context, queue chan<- exam, folds int) error {
	defer close(queue)
	for part := len(curve) - 1; part >= 0; part-- {
		for fold := range folds {
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

// lessons returns the calibrated shares of verdicts.
func (c *calibration) lessons(verdicts []verdict) []quantify.Lesson {
	lessons := make([]quantify.Lesson, len(verdicts))
	for i, v := range verdicts {
		shares := append([]float32(nil), v.sums...)
		c.apply(shares)
		lessons[i] = quantify.Lesson{Shares: shares, Category: v.class}
	}
	return lessons
}
