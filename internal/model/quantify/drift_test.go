package quantify

import (
	"math"
	"math/rand/v2"
	"testing"
)

// drifted returns posts whose scores have lost some of their skill since training, more in some
// categories than in others, as if some of their words were new.
func (w *world) drifted(random *rand.Rand, counts ...int) []Group {
	skill := w.skill
	defer func() { w.skill = skill }()
	var out []Group
	for k, n := range counts {
		w.skill = skill * (0.1 + 0.9*random.Float64())
		for range n {
			out = append(out, Group{Scores: w.scores(k), Posts: 1})
		}
	}
	return out
}

// TestMisfit checks that the misfit tells posts that have changed since training from others.
func TestMisfit(t *testing.T) {
	measure := func(drift bool) (sum float64) {
		for seed := range uint64(20) {
			w, random := newWorld(4, 3, seed), rand.New(rand.NewPCG(seed, 2))
			e := New(4, nil, w.examples(100))
			sample := w.posts(200, 100, 50, 50)
			if drift {
				sample = w.drifted(random, 200, 100, 50, 50)
			}
			b := e.newBag(sample)
			sum += e.misfit(&b, e.likelihoods(Anchored, b)) / 20
		}
		return sum
	}
	if same, drifted := measure(false), measure(true); same > 1.5 || drifted < 5*same {
		t.Errorf("the misfit is %.2f without drift and %.2f with drift", same, drifted)
	}
}

// TestDrift checks that intervals hold, and that estimates are hardly worse than counting, although
// posts have changed since training.
func TestDrift(t *testing.T) {
	for _, documents := range []int{20, 50, 300} {
		in, all, estimated, counted := 0.0, 0.0, 0.0, 0.0
		for seed := range uint64(20) {
			w, random := newWorld(4, 3, seed), rand.New(rand.NewPCG(seed, 3))
			e := New(4, nil, w.examples(documents))
			counts := []int{20 + random.IntN(200), 20 + random.IntN(200), 20 + random.IntN(200), 0}
			sample := w.drifted(random, counts...)
			prevalence, count := e.Prevalence(sample), e.ByMethod(ClassifyAndCount, sample)
			for k, v := range e.Intervals(sample) {
				truth := float64(counts[k]) / float64(len(sample))
				if v.Low <= truth && truth <= v.High {
					in++
				}
				all++
				estimated += math.Abs(prevalence[k] - truth)
				counted += math.Abs(count[k] - truth)
			}
		}
		t.Logf("%d documents: coverage %.3f, %.2f of the error of counting", documents, in/all, estimated/counted)
		if in/all < 0.9 {
			t.Errorf("%d documents: coverage is %.3f", documents, in/all)
		}
		if estimated > counted {
			t.Errorf("%d documents: the error is %.2f of the error of counting", documents, estimated/counted)
		}
	}
}

// TestSufficient checks that categories that the classifier cannot tell apart are counted.
func TestSufficient(t *testing.T) {
	f := func(skill float64, documents int, want bool) {
		t.Helper()
		w := newWorld(3, skill, 1)
		examples, sample := w.examples(documents), w.posts(60, 30, 10)
		if got := Sufficient(3, examples); got != want {
			t.Errorf("skill %v, %d documents: got %v", skill, documents, got)
		}
		for _, g := range sample { // as stored, so that both count the same scores
			for k, score := range g.Scores {
				g.Scores[k] = Score(Level(score))
			}
		}
		e := New(3, nil, examples)
		prevalence, counted := e.Prevalence(sample), e.ByMethod(ClassifyAndCount, sample)
		different := 0.0
		for k, v := range e.Intervals(sample) {
			different = max(different, math.Abs(prevalence[k]-counted[k]))
			if !want && v.High-v.Low < 0.5 {
				t.Errorf("skill %v, %d documents: interval %v of %v", skill, documents, v, prevalence[k])
			}
		}
		if (different > 1e-9) != want {
			t.Errorf("skill %v, %d documents: prevalence %.3f, counted %.3f", skill, documents, prevalence, counted)
		}
	}
	f(3, 20, true)
	f(1, 200, true)
	f(0.01, 20, false)
	f(0.01, 200, false)
	if Sufficient(3, nil) {
		t.Error("no examples are sufficient")
	}
}
