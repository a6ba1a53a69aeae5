package quantify_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"earshot/internal/model/quantify"
	"earshot/internal/test/testenv"
)

// TestMeasure measures the accuracy of the proportions of opinion monitors and of their intervals, for
// every method, on labeled posts: without drift, with simulated drift, and in the months after training.
// docs/decisions/0046-quantification.md and 0069-drift.md quote its figures.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	const data = "../../../../shared/data/opinion"
	if _, err := os.Stat(data); err != nil {
		testenv.SkipMissing(t, err)
	}
	testenv.LogJSON(t, measure(t, data, *bags, *seed))
}

var (
	bags = flag.Int("bags", 1000, "`number` of samples of posts to estimate, per data set")
	seed = flag.Uint64("seed", 1, "random seed: each `number` draws other samples")
)

// A Measurement is the accuracy of the proportions of opinion monitors.
type Measurement struct {
	Default string        `json:"default"` // the method that the service uses
	Mixes   []MixResult   `json:"mixes"`
	Drift   []DriftResult `json:"drift"`
}

// measure trains on labeled posts of a directory and estimates the proportions of others.
func measure(t *testing.T, dir string, bags int, seed uint64) Measurement {
	t.Helper()
	data := map[string][]labeledText{}
	for _, name := range []string{"banking77_train", "banking77_dev", "troll_category_train", "troll_category_dev", "tweeteval_stance_train", "tweeteval_stance_dev"} {
		texts, err := readLabeled(filepath.Join(dir, name+".tsv.gz"))
		if err != nil {
			t.Fatal(err)
		}
		data[name] = texts
	}
	train, dev := data["troll_category_train"], data["troll_category_dev"]
	result := Measurement{Default: string(quantify.Default)}
	for _, m := range mixExperiments(
		slices.Concat(data["banking77_train"], data["banking77_dev"]),
		slices.Concat(train, dev),
		slices.Concat(data["tweeteval_stance_train"], data["tweeteval_stance_dev"]),
		bags,
	) {
		t.Logf("%s: %d draws", m.set, m.draws)
		f, err := m.measure(t.Context(), seed)
		if err != nil {
			t.Fatal(err)
		}
		result.Mixes = append(result.Mixes, f)
	}
	for _, documents := range driftDocuments {
		t.Logf("natural drift, %d documents per category (0: all)", documents)
		f, err := measureDrift(t.Context(), seed, train, dev, documents, min(maxDriftDraws, max(1, bags/bagsPerDriftDraw)))
		if err != nil {
			t.Fatal(err)
		}
		result.Drift = append(result.Drift, f)
	}
	return result
}

// An Accuracy is the accuracy of the default method with one or more draws of training documents.
type Accuracy struct {
	Counting float64 `json:"classifyAndCount"` // mean absolute error
	Default  float64 `json:"default"`          // mean absolute error
	Coverage float64 `json:"intervalCoverage"` // share of true values in the 95% intervals
	Width    float64 `json:"intervalWidth"`
}

// A Worst is the worst of several draws, which may be a different draw for each value.
type Worst struct {
	Ratio    float64 `json:"ofClassifyAndCount"` // error of the default method, as a ratio
	Coverage float64 `json:"intervalCoverage"`
}

// summarize returns the mean and the worst of draws.
func summarize(draws []Accuracy) (mean Accuracy, worst Worst) {
	worst.Coverage = 1
	for _, d := range draws {
		n := float64(len(draws))
		mean.Counting, mean.Default = mean.Counting+d.Counting/n, mean.Default+d.Default/n
		mean.Coverage, mean.Width = mean.Coverage+d.Coverage/n, mean.Width+d.Width/n
		worst.Coverage = min(worst.Coverage, d.Coverage)
		if d.Counting > 0 {
			worst.Ratio = max(worst.Ratio, d.Default/d.Counting)
		}
	}
	return mean, worst
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
