package quantify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// A world generates examples and posts with random scores around their category.
type world struct {
	categories int
	random     *rand.Rand
	skill      float64 // separation of the categories
}

func newWorld(categories int, skill float64, seed uint64) *world {
	return &world{categories, rand.New(rand.NewPCG(seed, 1)), skill}
}

// scores returns exactly calibrated scores: logits are normally distributed around the category,
// with variance skill.
func (w *world) scores(category int) []float32 {
	out, sum := make([]float32, w.categories), 0.0
	for k := range out {
		z := math.Sqrt(w.skill) * w.random.NormFloat64()
		if k == category {
			z += w.skill
		}
		out[k] = float32(math.Exp(z))
		sum += float64(out[k])
	}
	for k := range out {
		out[k] /= float32(sum)
	}
	return out
}

func (w *world) examples(each int) []Example {
	var out []Example
	for k := range w.categories {
		for range each {
			out = append(out, Example{Scores: w.scores(k), Category: k})
		}
	}
	return out
}

func (w *world) posts(counts ...int) []Group {
	var out []Group
	for k, n := range counts {
		for range n {
			out = append(out, Group{Scores: w.scores(k), Posts: 1})
		}
	}
	return out
}

func check(t *testing.T, what string, got []float64) {
	t.Helper()
	sum := 0.0
	for _, p := range got {
		if math.IsNaN(p) || p < 0 || p > 1 {
			t.Errorf("%s: %v is not a distribution", what, got)
			return
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s: %v sums to %v", what, got, sum)
	}
}

// TestExact checks a case that can be computed by hand. 20 of 100 examples of category 0 are
// misclassified as 1; those of category 1 never are. 40 of 100 posts look like category 0, so 50
// belong to it.
func TestExact(t *testing.T) {
	zero, one := []float32{0.999, 0.001}, []float32{0.001, 0.999}
	var examples []Example
	for i := range 100 {
		scores := zero
		if i < 20 {
			scores = one
		}
		examples = append(examples, Example{Scores: scores, Category: 0}, Example{Scores: one, Category: 1})
	}
	e := New(2, nil, examples)
	sample := []Group{{zero, 40}, {one, 60}}
	for method, want := range map[Method]float64{ClassifyAndCount: 0.4, AdjustedCount: 0.5, ProbabilisticAdjustedCount: 0.5} {
		if got := e.ByMethod(method, sample); math.Abs(got[0]-want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", method, got[0], want)
		}
	}
	if got := e.ByMethod(Blended, sample)[0]; got < 0.45 || got > 0.55 {
		t.Errorf("blended: got %v, want about 0.5", got)
	}
	if got := e.Prevalence(sample)[0]; got < 0.42 || got > 0.5 {
		t.Errorf("default: got %v, want between counting and 0.5", got)
	}
}

// TestMixes checks that every method except counting finds mixes that are far from uniform, given
// calibrated scores.
func TestMixes(t *testing.T) {
	w := newWorld(4, 4, 7)
	e := New(4, nil, w.examples(200))
	for _, counts := range [][]int{{700, 200, 100, 0}, {0, 0, 1000, 0}, {250, 250, 250, 250}, {10, 490, 10, 490}} {
		sample := w.posts(counts...)
		for _, m := range Methods {
			got := e.ByMethod(m, sample)
			check(t, string(m), got)
			limit := 0.035
			switch m {
			case AdjustedCount, ProbabilisticAdjustedCount, HopkinsKing:
				limit = 0.07
			case ClassifyAndCount, ProbabilisticCount:
				limit = 0.3
			}
			for k, n := range counts {
				if math.Abs(got[k]-float64(n)/1000) > limit {
					t.Errorf("%s: got %.3f of %v", m, got, counts)
					break
				}
			}
		}
	}
}

// TestPrior checks that scores calibrated for a prior are interpreted with that prior.
func TestPrior(t *testing.T) {
	w, prior := newWorld(3, 4, 3), []float64{0.8, 0.1, 0.1}
	skewed := func(scores []float32) []float32 {
		sum := float32(0)
		for k := range scores {
			scores[k] *= float32(prior[k])
			sum += scores[k]
		}
		for k := range scores {
			scores[k] /= sum
		}
		return scores
	}
	examples, sample := w.examples(100), w.posts(100, 300, 600)
	for i := range examples {
		skewed(examples[i].Scores)
	}
	for i := range sample {
		skewed(sample[i].Scores)
	}
	e := New(3, prior, examples)
	for _, m := range []Method{ExpectationMaximization, Calibrated, Default} {
		if got := e.ByMethod(m, sample); math.Abs(got[0]-0.1) > 0.05 || math.Abs(got[2]-0.6) > 0.05 {
			t.Errorf("%s: got %.3f, want 0.1 0.3 0.6", m, got)
		}
	}
}

// TestEdgeCases estimates with degenerate samples and examples.
func TestEdgeCases(t *testing.T) {
	for _, categories := range []int{2, 3, 50} {
		w := newWorld(categories, 3, 5)
		all := w.examples(5)
		for name, examples := range map[string][]Example{"all": all, "none": nil, "of one category": all[:5]} {
			e := New(categories, nil, examples)
			counts := make([]int, categories)
			counts[1] = 30
			nan := float32(math.NaN())
			for what, sample := range map[string][]Group{
				"none":       nil,
				"no posts":   {{w.scores(0), 0}, {w.scores(1), math.NaN()}, {w.scores(1), -2}},
				"one":        {{w.scores(1), 1}},
				"part":       {{w.scores(1), 0.01}},
				"of one":     w.posts(counts...),
				"many":       {{w.scores(0), 1e5}},
				"no scores":  {{make([]float32, categories), 3}},
				"no numbers": {{slices.Repeat([]float32{nan}, categories), 3}},
				"too few":    {{[]float32{1}, 3}},
			} {
				for _, m := range Methods {
					check(t, fmt.Sprint(categories, " categories, examples ", name, ", sample ", what, ", ", m), e.ByMethod(m, sample))
				}
				prevalence := e.Prevalence(sample)
				for k, v := range e.Intervals(sample) {
					if !(0 <= v.Low && v.Low <= prevalence[k] && prevalence[k] <= v.High && v.High <= 1) {
						t.Errorf("%d categories, examples %s, sample %s: interval %v of %v", categories, name, what, v, prevalence[k])
					}
				}
			}
		}
	}
}

// TestEstimatesAreReproducible checks that estimates depend neither on earlier or concurrent calls
// nor on how posts are grouped.
func TestEstimatesAreReproducible(t *testing.T) {
	w := newWorld(5, 3, 9)
	examples, sample := w.examples(30), w.posts(50, 10, 0, 90, 20)
	want, wantIntervals := New(5, nil, examples).Prevalence(sample), New(5, nil, examples).Intervals(sample)
	e := New(5, nil, examples)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			e.Prevalence(newWorld(5, 3, 1).posts(9, 9, 9, 9, 9))
			if got := e.Prevalence(sample); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
			if got := e.Intervals(sample); !slices.Equal(got, wantIntervals) {
				t.Errorf("got %v, want %v", got, wantIntervals)
			}
		})
	}
	group.Wait()
	var stored []Group
	for _, g := range sample {
		levels := make([]float32, len(g.Scores))
		for k, s := range g.Scores {
			levels[k] = Score(Level(s))
		}
		stored = append(stored, Group{levels, 0.5}, Group{levels, 0.5})
	}
	for k, got := range e.Prevalence(stored) {
		if math.Abs(got-want[k]) > 1e-6 {
			t.Errorf("stored: category %d has %v, want %v", k, got, want[k])
		}
	}
}

// TestLevels checks that levels are monotonic and survive a round trip.
func TestLevels(t *testing.T) {
	for level := range uint8(MaxLevel + 1) {
		if got := Level(Score(level)); got != level {
			t.Errorf("level %d becomes %d", level, got)
		}
	}
	last := uint8(0)
	for i := range 1001 {
		level := Level(float32(i) / 1000)
		if level < last {
			t.Fatalf("level of %v is %d, less than %d", float32(i)/1000, level, last)
		}
		last = level
	}
	if Level(-1) != 0 || Level(0) != 0 || Level(2) != MaxLevel || Level(float32(math.NaN())) != 0 || Score(200) != Score(MaxLevel) {
		t.Error("wrong level for a score out of range")
	}
}
