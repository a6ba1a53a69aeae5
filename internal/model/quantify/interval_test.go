package quantify

import (
	"math"
	"slices"
	"testing"
)

// TestIntervals measures the coverage of the intervals.
func TestIntervals(t *testing.T) {
	in, all, wide := 0, 0, 0.0
	for seed := range uint64(30) {
		w := newWorld(4, 3, seed)
		e := New(4, nil, w.examples(30))
		counts := []int{20, 100, 60, 20}
		for k, v := range e.Intervals(w.posts(counts...)) {
			truth := float64(counts[k]) / 200
			if v.Low <= truth && truth <= v.High {
				in++
			}
			all++
			wide += v.High - v.Low
		}
	}
	if share := float64(in) / float64(all); share < 0.93 {
		t.Errorf("coverage is %.3f", share)
	}
	if wide /= float64(all); wide > 0.25 {
		t.Errorf("intervals are %.3f wide", wide)
	}
}

// TestIntervalsNarrow checks that more documents and more posts make intervals narrower.
func TestIntervalsNarrow(t *testing.T) {
	width := func(documents, posts int) float64 {
		w, sum := newWorld(3, 3, 4), 0.0
		for _, v := range New(3, nil, w.examples(documents)).Intervals(w.posts(posts, posts, posts)) {
			sum += v.High - v.Low
		}
		return sum
	}
	few, more, all := width(10, 20), width(10, 2000), width(300, 2000)
	if !(few > more && more > all) {
		t.Errorf("widths %.3f, %.3f, %.3f", few, more, all)
	}
}

// TestExamplesOfOneDocument checks that repeating the example of a document adds no certainty.
func TestExamplesOfOneDocument(t *testing.T) {
	w := newWorld(3, 3, 8)
	once, sample := w.examples(20), w.posts(30, 60, 10)
	var thrice []Example
	for i, x := range once {
		x.Document = i + 1
		thrice = append(thrice, x, x, x)
	}
	a, b := New(3, nil, once), New(3, nil, thrice)
	for k, p := range a.Prevalence(sample) {
		if got := b.Prevalence(sample)[k]; math.Abs(got-p) > 1e-6 {
			t.Errorf("category %d has %v, want %v", k, got, p)
		}
	}
	if got, want := b.Intervals(sample), a.Intervals(sample); !slices.Equal(got, want) {
		for k := range got {
			if math.Abs(got[k].High-want[k].High) > 1e-4 {
				t.Errorf("got %v, want %v", got, want)
				break
			}
		}
	}
}
