package bench

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"

	"earshot/internal/model/quantify"
)

// opinionData is where labelled posts are, unless told otherwise.
const opinionData = "../shared/data/opinion"

// OpinionFigures are how right the proportions of opinion monitors are.
type OpinionFigures struct {
	Default string         `json:"default"` // the method that the service uses
	Mixes   []MixFigures   `json:"mixes"`
	Drift   []DriftFigures `json:"drift"`
}

// measureOpinion learns from labelled posts and estimates the proportions of others.
func measureOpinion(ctx context.Context, s *session) (any, error) {
	figures := OpinionFigures{Default: string(quantify.Default)}
	banking, err := readLabelled(s.data, "banking77_train", "banking77_dev")
	if err != nil {
		return nil, err
	}
	train, err := readLabelled(s.data, "troll_category_train")
	if err != nil {
		return nil, err
	}
	dev, err := readLabelled(s.data, "troll_category_dev")
	if err != nil {
		return nil, err
	}
	bags := s.count
	s.sample = &Sample{Name: filepath.Base(s.data)}
	s.count = len(banking) + len(train) + len(dev)
	for _, m := range []mixing{bankingMixing(banking, bags), trollMixing(append(append([]labelled(nil), train...), dev...), bags)} {
		s.say("%s: %d draws", m.set, m.draws)
		f, err := m.measure(ctx, s)
		if err != nil {
			return nil, err
		}
		figures.Mixes = append(figures.Mixes, f)
	}
	for _, documents := range []int{driftSample, 0} {
		s.say("natural drift, %d documents a category (0: all)", documents)
		f, err := measureDrift(ctx, s, train, dev, documents)
		if err != nil {
			return nil, err
		}
		figures.Drift = append(figures.Drift, f)
	}
	return figures, nil
}

// A MethodError is the mean absolute error of a method: the mean over categories of how far
// the estimate is from the share that posts of the category really have.
type MethodError struct {
	Method string  `json:"method"`
	Error  float64 `json:"meanAbsoluteError"`
	Ratio  float64 `json:"ofClassifyAndCount"` // 0 where that has no error
}

// methodErrors names the errors of all methods, in their order.
func methodErrors(sums []float64, n int) []MethodError {
	out := make([]MethodError, len(sums))
	for i, sum := range sums {
		out[i] = MethodError{Method: string(quantify.Methods[i]), Error: sum / float64(n)}
		if sums[0] > 0 {
			out[i].Ratio = sum / sums[0]
		}
	}
	return out
}

// absoluteError is the mean distance of an estimate from the truth.
func absoluteError(estimate, truth []float64) float64 {
	sum := 0.0
	for k, p := range estimate {
		sum += max(p-truth[k], truth[k]-p)
	}
	return sum / float64(len(estimate))
}

// parallel calls do for 0 to n-1, on so many goroutines, and returns an error of one.
func parallel(workers, n int, do func(int) error) error {
	errs, next := make([]error, n), make(chan int)
	var group sync.WaitGroup
	for range workers {
		group.Go(func() {
			for i := range next {
				errs[i] = do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
	for i, err := range errs {
		if err != nil {
			return fmt.Errorf("draw %d: %w", i, err)
		}
	}
	return nil
}
