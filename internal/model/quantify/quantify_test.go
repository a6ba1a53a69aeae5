package quantify

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
)

// A world makes lessons and posts: shares of documents of a category are drawn around it.
type world struct {
	categories int
	random     *rand.Rand
	skill      float64 // how well categories can be told apart
}

func newWorld(categories int, skill float64, seed uint64) *world {
	return &world{categories, rand.New(rand.NewPCG(seed, 1)), skill}
}

// shares are exactly calibrated: logits are normal around the category, with variance skill.
func (w *world) shares(category int) []float32 {
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

func (w *world) lessons(each int) []Lesson {
	var out []Lesson
	for k := range w.categories {
		for range each {
			out = append(out, Lesson{Shares: w.shares(k), Category: k})
		}
	}
	return out
}

func (w *world) posts(counts ...int) []Group {
	var out []Group
	for k, n := range counts {
		for range n {
			out = append(out, Group{Shares: w.shares(k), Posts: 1})
		}
	}
	return out
}

func check(t *testing.T, what string, got []float64) {
	t.Helper()
	sum := 0.0
	for _, p := range got {
		if math.IsNaN(p) || p < 0 || p > 1 {
			t.Errorf("%s: %v is no share", what, got)
			return
		}
		sum += p
	}
	if math.Abs(sum-1) > 1e-9 {
		t.Errorf("%s: %v adds up to %v", what, got, sum)
	}
}

// TestExact is the case that can be computed by hand: of category 0 twenty lessons in a hundred are
// taken for 1, of category 1 all are recognised. 40 posts of 100 look like 0, so 50 are.
func TestExact(t *testing.T) {
	zero, one := []float32{0.999, 0.001}, []float32{0.001, 0.999}
	var lessons []Lesson
	for i := range 100 {
		shares := zero
		if i < 20 {
			shares = one
		}
		lessons = append(lessons, Lesson{Shares: shares, Category: 0}, Lesson{Shares: one, Category: 1})
	}
	e := New(2, nil, lessons)
	sample := []Group{{zero, 40}, {one, 60}}
	for method, want := range map[Method]float64{ClassifyAndCount: 0.4, AdjustedCount: 0.5, ProbabilisticAdjustedCount: 0.5} {
		if got := e.ByMethod(method, sample); math.Abs(got[0]-want) > 1e-6 {
			t.Errorf("%s: got %v, want %v", method, got[0], want)
		}
	}
	if got := e.Proportions(sample)[0]; got < 0.45 || got > 0.55 {
		t.Errorf("default: got %v, want about 0.5", got)
	}
}

// TestMixes tells that every method but the counting ones finds mixes that are far from
// even, with shares that are right.
func TestMixes(t *testing.T) {
	w := newWorld(4, 4, 7)
	e := New(4, nil, w.lessons(200))
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

// TestPrior tells that shares for an uneven mix are understood as such.
func TestPrior(t *testing.T) {
	w, prior := newWorld(3, 4, 3), []float64{0.8, 0.1, 0.1}
	skewed := func(shares []float32) []float32 {
		sum := float32(0)
		for k := range shares {
			shares[k] *= float32(prior[k])
			sum += shares[k]
		}
		for k := range shares {
			shares[k] /= sum
		}
		return shares
	}
	lessons, sample := w.lessons(100), w.posts(100, 300, 600)
	for i := range lessons {
		skewed(lessons[i].Shares)
	}
	for i := range sample {
		skewed(sample[i].Shares)
	}
	e := New(3, prior, lessons)
	for _, m := range []Method{ExpectationMaximisation, Calibrated, Default} {
		if got := e.ByMethod(m, sample); math.Abs(got[0]-0.1) > 0.04 || math.Abs(got[2]-0.6) > 0.04 {
			t.Errorf("%s: got %.3f, want 0.1 0.3 0.6", m, got)
		}
	}
}

// TestOdd has samples and lessons at the edge of what is possible.
func TestOdd(t *testing.T) {
	for _, categories := range []int{2, 3, 50} {
		w := newWorld(categories, 3, 5)
		all := w.lessons(5)
		for name, lessons := range map[string][]Lesson{"all": all, "none": nil, "of one category": all[:5]} {
			e := New(categories, nil, lessons)
			counts := make([]int, categories)
			counts[1] = 30
			nan := float32(math.NaN())
			for what, sample := range map[string][]Group{
				"none":       nil,
				"no posts":   {{w.shares(0), 0}, {w.shares(1), math.NaN()}, {w.shares(1), -2}},
				"one":        {{w.shares(1), 1}},
				"part":       {{w.shares(1), 0.01}},
				"of one":     w.posts(counts...),
				"many":       {{w.shares(0), 1e5}},
				"no shares":  {{make([]float32, categories), 3}},
				"no numbers": {{slices.Repeat([]float32{nan}, categories), 3}},
				"too few":    {{[]float32{1}, 3}},
			} {
				for _, m := range Methods {
					check(t, fmt.Sprint(categories, " categories, lessons ", name, ", sample ", what, ", ", m), e.ByMethod(m, sample))
				}
				proportions := e.Proportions(sample)
				for k, v := range e.Intervals(sample) {
					if !(0 <= v.Low && v.Low <= proportions[k] && proportions[k] <= v.High && v.High <= 1) {
						t.Errorf("%d categories, lessons %s, sample %s: interval %v of %v", categories, name, what, v, proportions[k])
					}
				}
			}
		}
	}
}

// TestSame tells that answers depend neither on earlier questions nor on goroutines, nor on
// how posts are grouped.
func TestSame(t *testing.T) {
	w := newWorld(5, 3, 9)
	lessons, sample := w.lessons(30), w.posts(50, 10, 0, 90, 20)
	want, wantIntervals := New(5, nil, lessons).Proportions(sample), New(5, nil, lessons).Intervals(sample)
	e := New(5, nil, lessons)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			e.Proportions(newWorld(5, 3, 1).posts(9, 9, 9, 9, 9))
			if got := e.Proportions(sample); !slices.Equal(got, want) {
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
		levels := make([]float32, len(g.Shares))
		for k, s := range g.Shares {
			levels[k] = Share(Level(s))
		}
		stored = append(stored, Group{levels, 0.5}, Group{levels, 0.5})
	}
	for k, got := range e.Proportions(stored) {
		if math.Abs(got-want[k]) > 1e-6 {
			t.Errorf("stored: category %d has %v, want %v", k, got, want[k])
		}
	}
}

// TestLevels tells that levels are in order and come back as they are.
func TestLevels(t *testing.T) {
	for level := range uint8(MostLevel + 1) {
		if got := Level(Share(level)); got != level {
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
	if Level(-1) != 0 || Level(0) != 0 || Level(2) != MostLevel || Level(float32(math.NaN())) != 0 || Share(200) != Share(MostLevel) {
		t.Error("levels of what is no share")
	}
}
