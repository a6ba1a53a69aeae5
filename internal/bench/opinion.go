package bench

import (
	"context"
	"path/filepath"

	"earshot/internal/model/quantify"
)

// opinionData is the default directory of labeled posts.
const opinionData = "../shared/data/opinion"

// An OpinionResult is the accuracy of the proportions of opinion monitors.
type OpinionResult struct {
	Default string        `json:"default"` // the method that the service uses
	Mixes   []MixResult   `json:"mixes"`
	Drift   []DriftResult `json:"drift"`
}

// measureOpinion trains on labeled posts and estimates the proportions of others.
func measureOpinion(ctx context.Context, s *session) (any, error) {
	result := OpinionResult{Default: string(quantify.Default)}
	banking, err := readLabeled(s.data, "banking77_train", "banking77_dev")
	if err != nil {
		return nil, err
	}
	train, err := readLabeled(s.data, "troll_category_train")
	if err != nil {
		return nil, err
	}
	dev, err := readLabeled(s.data, "troll_category_dev")
	if err != nil {
		return nil, err
	}
	bags := s.count
	s.sample = &Sample{Name: filepath.Base(s.data)}
	s.count = len(banking) + len(train) + len(dev)
	for _, m := range []mixExperiment{bankingExperiment(banking, bags), trollExperiment(append(append([]labeledText(nil), train...), dev...), bags)} {
		s.logf("%s: %d draws", m.set, m.draws)
		f, err := m.measure(ctx, s)
		if err != nil {
			return nil, err
		}
		result.Mixes = append(result.Mixes, f)
	}
	for _, documents := range []int{driftSample, 0} {
		s.logf("natural drift, %d documents per category (0: all)", documents)
		f, err := measureDrift(ctx, s, train, dev, documents)
		if err != nil {
			return nil, err
		}
		result.Drift = append(result.Drift, f)
	}
	return result, nil
}

// A MethodError is the mean absolute error of a method: the mean over categories of the distance
// between the estimate and the true share of the category.
type MethodError struct {
	Method string  `json:"method"`
	Error  float64 `json:"meanAbsoluteError"`
	Ratio  float64 `json:"ofClassifyAndCount"` // 0 if classify-and-count has no error
}

// methodErrors returns the errors of all methods, in the order of [quantify.Methods].
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

// absoluteError returns the mean distance of an estimate from the truth.
func absoluteError(estimate, truth []float64) float64 {
	sum := 0.0
	for k, p := range estimate {
		sum += max(p-truth[k], truth[k]-p)
	}
	return sum / float64(len(estimate))
}
