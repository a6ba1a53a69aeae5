package calibrate

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLabels estimates the shares of 1,000 posts. The model expects 400 of them to be of the first class.
func TestLabels(t *testing.T) {
	bins := []Bin{{[]float64{0.8, 0.2}, 400}, {[]float64{0.2, 0.8}, 600}}
	label := func(bin, class, n int) (list []Label) {
		for range n {
			list = append(list, Label{bins[bin].Predicted, class, 1})
		}
		return list
	}
	join := func(lists ...[]Label) (all []Label) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	f := func(name string, labels []Label, total, share, low, high float64) {
		t.Helper()
		got := Estimate(bins, labels, total)
		if sum := got[0].Share + got[1].Share; math.Abs(sum-1) > 1e-9 {
			t.Errorf("%s: shares add up to %v", name, sum)
		}
		if s := got[0]; math.Abs(s.Share-share) > 0.005 || math.Abs(s.Low-low) > 0.005 || math.Abs(s.High-high) > 0.005 {
			t.Errorf("%s: got %.3f (%.3f to %.3f), want %.3f (%.3f to %.3f)", name, s.Share, s.Low, s.High, share, low, high)
		}
		if s, other := got[0], got[1]; math.Abs(s.Low-(1-other.High)) > 1e-9 && s.Low > 0 && s.High < 1 {
			t.Errorf("%s: the intervals of two classes are not opposite: %v, %v", name, s, other)
		}
	}
	// As predicted: 400·0.8 + 600·0.2 = 440.
	f("no labels", nil, 0, 0.44, 0, 0.977)
	f("labels that agree", join(label(0, 0, 32), label(0, 1, 8), label(1, 0, 12), label(1, 1, 48)), 0, 0.44, 0.364, 0.519)
	// The labels say that half as many are of the first class in each bin: 400·0.4 + 600·0.1 = 220.
	f("labels that disagree", join(label(0, 0, 16), label(0, 1, 24), label(1, 0, 6), label(1, 1, 54)), 0, 0.222, 0.155, 0.307)
	f("many labels", join(label(0, 0, 1600), label(0, 1, 2400), label(1, 0, 600), label(1, 1, 5400)), 0, 0.22, 0.213, 0.228)
	f("half of the posts", join(label(0, 0, 80), label(0, 1, 120), label(1, 0, 30), label(1, 1, 270)), 1000, 0.221, 0.199, 0.245)
	f("all posts", join(label(0, 0, 160), label(0, 1, 240), label(1, 0, 60), label(1, 1, 540)), 1000, 0.22, 0.22, 0.22)
	f("one class", join(label(0, 1, 20), label(1, 1, 30)), 0, 0.011, 0, 0.083)
	// Predictions that are worth nothing: the share among the labels, as wide as without predictions.
	f("a useless model", join(label(0, 0, 20), label(0, 1, 20), label(1, 0, 30), label(1, 1, 30)), 0, 0.497, 0.400, 0.595)
	if got := Estimate([]Bin{{[]float64{1, 0}, 0}}, nil, 0); got != nil {
		t.Errorf("no posts: got %v", got)
	}
}

// TestWeights halves what labels count.
func TestWeights(t *testing.T) {
	bins := []Bin{{[]float64{0.5, 0.5}, 100}}
	width := func(weight float64) float64 {
		var labels []Label
		for i := range 100 {
			labels = append(labels, Label{bins[0].Predicted, i % 4 / 3, weight})
		}
		s := Estimate(bins, labels, 0)[0]
		return s.High - s.Low
	}
	if ratio := width(0.25) / width(1); math.Abs(ratio-2) > 0.15 {
		t.Errorf("labels of a fourth of the weight: got intervals %.2f times as wide, want 2 times", ratio)
	}
}

// TestIntervals estimates shares from the predictions of biased models, and counts how often intervals contain
// the truth.
func TestIntervals(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, labels := range []int{20, 30, 50, 100, 200} {
		const rounds, posts = 300, 1000
		var in, squares, plain float64
		for range rounds {
			// Logits of a model that is off by up to 1 for each class, and of the truth.
			off := [3]float64{random.Float64()*2 - 1, random.Float64()*2 - 1, 0}
			var bins []Bin
			var classes []int
			truth := make([]float64, 3)
			for range posts {
				p, q := make([]float64, 3), make([]float64, 3)
				var sumP, sumQ float64
				for k := range p {
					x := 1.5 * random.NormFloat64()
					p[k], q[k] = math.Exp(x), math.Exp(0.7*x+off[k])
					sumP += p[k]
					sumQ += q[k]
				}
				class, draw := 0, random.Float64()*sumQ
				for draw -= q[class]; draw > 0 && class < 2; draw -= q[class] {
					class++
				}
				for k := range p {
					p[k] /= sumP
				}
				bins, classes = append(bins, Bin{p, 1}), append(classes, class)
				truth[class] += 1.0 / posts
			}
			var sample []Label
			counted := make([]float64, 3)
			for _, i := range random.Perm(posts)[:labels] {
				sample = append(sample, Label{bins[i].Predicted, classes[i], 1})
				counted[classes[i]] += 1 / float64(labels)
			}
			for k, s := range Estimate(bins, sample, posts) {
				squares += (s.Share - truth[k]) * (s.Share - truth[k])
				plain += (counted[k] - truth[k]) * (counted[k] - truth[k])
				if s.Low <= truth[k] && truth[k] <= s.High {
					in += 1.0 / (3 * rounds)
				}
			}
		}
		if in < 0.93 || in > 0.985 {
			t.Errorf("%d labels: %.1f%% of the intervals contain the truth, want 95%%", labels, 100*in)
		}
		if squares > 0.85*plain {
			t.Errorf("%d labels: got %.3f of the squared error of counting labels, want at most 0.85", labels, squares/plain)
		}
	}
}

// TestDiffer compares labels of one time with labels of another, of a model that is right about half of
// the posts then, and about nine of ten or half later.
func TestDiffer(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func(n int, right float64) (list []Label) {
		for range n {
			class := random.IntN(2)
			p := []float64{0.3, 0.3}
			p[class] = 0.7
			if random.Float64() > right {
				class = 1 - class
			}
			list = append(list, Label{p, class, 1})
		}
		return list
	}
	f := func(n int, right float64, low, high int) {
		t.Helper()
		found := 0
		for range 200 {
			if Differ(draw(n, 0.5), draw(n, right)) {
				found++
			}
		}
		if found < low || found > high {
			t.Errorf("%d labels, right about %.1f: found a difference in %d of 200 cases, want %d to %d", n, right, found, low, high)
		}
	}
	f(100, 0.5, 0, 8)
	f(30, 0.5, 0, 8)
	f(100, 0.9, 195, 200)
	f(20, 0.9, 0, 0)
}

func FuzzEstimate(f *testing.F) {
	f.Add(0.5, 0.2, 10.0, uint8(3), 0.5)
	f.Add(0.0, 1.0, 1e9, uint8(200), 1.0)
	f.Add(1.0, 1.0, 1.0, uint8(1), 0.0)
	f.Fuzz(func(t *testing.T, a, b, posts float64, n uint8, weight float64) {
		if !(a >= 0 && a <= 1 && b >= 0 && b <= 1 && posts > 0 && posts < 1e12 && weight >= 0 && weight <= 1) {
			return
		}
		bins := []Bin{{[]float64{a, 1 - a}, posts}, {[]float64{b, 1 - b}, 1}}
		var labels []Label
		for i := range int(n) {
			labels = append(labels, Label{bins[i%2].Predicted, i % 3 / 2, weight})
		}
		sum := 0.0
		for _, s := range Estimate(bins, labels, 0) {
			if !(s.Low >= 0 && s.Low <= s.Share && s.Share <= s.High && s.High <= 1) {
				t.Fatalf("got %v", s)
			}
			sum += s.Share
		}
		if math.Abs(sum-1) > 1e-6 {
			t.Fatalf("shares add up to %v", sum)
		}
	})
}
