package classify

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRegressionOfOneFeature compares the result with a closed-form condition. Two examples of two
// classes, with one feature each, have weights w and -w that satisfy w = strength*(1-p), where p =
// 1/(1+exp(-2w)) is the probability of the correct class.
func TestRegressionOfOneFeature(t *testing.T) {
	r := NewRegression(2, 2, 3, []Example{
		{Features: []uint32{0}, Values: []float32{1}, Class: 0, Weight: 1},
		{Features: []uint32{1}, Values: []float32{1}, Class: 1, Weight: 1},
	})
	r.fit(1e-6, 50)
	w := float64(r.Weights[0])
	if p := 1 / (1 + math.Exp(-2*w)); math.Abs(w-3*(1-p)) > 0.001 {
		t.Errorf("weight %v, but strength times error is %v", w, 3*(1-p))
	}
	want := []float32{float32(w), float32(-w), float32(-w), float32(w)}
	for i, got := range r.Weights {
		if math.Abs(float64(got-want[i])) > 0.001 {
			t.Errorf("weights %v, want %v", r.Weights, want)
		}
	}
}

// randomExamples returns examples with random features.
func randomExamples(n, classes, features int) []Example {
	random := rand.New(rand.NewPCG(1, 2))
	examples := make([]Example, n)
	for i := range examples {
		ex := &examples[i]
		ex.Class, ex.Weight = random.IntN(classes), 0.5+random.Float32()
		for f := range features {
			if random.IntN(4) == 0 || f == ex.Class {
				ex.Features, ex.Values = append(ex.Features, uint32(f)), append(ex.Values, random.Float32())
			}
		}
	}
	return examples
}

// TestRegressionConverges checks that the weights equal the weighted sum of the residuals of all
// examples, which holds only at the optimum.
func TestRegressionConverges(t *testing.T) {
	const classes, features, strength = 4, 12, 5
	examples := randomExamples(60, classes, features)
	r := NewRegression(classes, features, strength, examples)
	r.fit(1e-7, 200)
	want := make([]float64, classes*features)
	for _, ex := range examples {
		scores := make([]float32, classes)
		r.Sums(ex, scores)
		softmaxOf(scores)
		for j, f := range ex.Features {
			for k, score := range scores {
				miss := -float64(score)
				if k == ex.Class {
					miss++
				}
				want[int(f)*classes+k] += strength * float64(ex.Weight*ex.Values[j]) * miss
			}
		}
	}
	for i, w := range r.Weights {
		if math.Abs(float64(w)-want[i]) > 0.02 {
			t.Fatalf("weight %d is %v, but the residuals sum to %v", i, w, want[i])
		}
	}
}

func softmaxOf(x []float32) {
	var sum float32
	for i, v := range x {
		x[i] = float32(math.Exp(float64(v)))
		sum += x[i]
	}
	for i := range x {
		x[i] /= sum
	}
}

func TestRegressionIsDeterministic(t *testing.T) {
	examples := randomExamples(40, 3, 9)
	a, b := NewRegression(3, 9, 8, examples), NewRegression(3, 9, 8, examples)
	a.fit(0.001, 10)
	b.fit(0.001, 10)
	if !slices.Equal(a.Weights, b.Weights) {
		t.Error("the same examples gave different weights")
	}
}

func TestRegressionWithoutFeatures(t *testing.T) {
	r := NewRegression(3, 1, 8, []Example{{Class: 0, Weight: 1}, {Class: 2, Weight: 1}})
	r.fit(0.001, 10)
	if r.Weights[0] != 0 || r.Weights[1] != 0 || r.Weights[2] != 0 {
		t.Errorf("weights %v of a feature that no example has", r.Weights)
	}
	if empty := NewRegression(3, 1, 8, nil); empty.Pass() != 0 {
		t.Error("a regression without examples changed")
	}
}

// fit runs passes until the mean change in the dual variables is below tolerance, but at most
// maxPasses.
func (r *Regression) fit(tolerance float64, maxPasses int) {
	for range maxPasses {
		if r.Pass() < tolerance {
			return
		}
	}
}
