package quantify

import "testing"

// Performance targets: 100 ms for a day of 10,000 distinct posts with 10 categories and 1,000
// examples, and 1 s for its intervals; 50 ms for the intervals of 300 posts with 250 examples.
func BenchmarkPrevalence(b *testing.B) {
	w := newWorld(10, 3, 1)
	examples, sample := w.examples(100), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		b.StopTimer()
		e := New(10, nil, examples)
		b.StartTimer()
		e.Prevalence(sample)
	}
}

func BenchmarkPrevalenceCached(b *testing.B) {
	w := newWorld(10, 3, 1)
	e, sample := New(10, nil, w.examples(100)), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		e.Prevalence(sample)
	}
}

func BenchmarkIntervals(b *testing.B) {
	w := newWorld(10, 3, 1)
	e, sample := New(10, nil, w.examples(100)), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		e.Intervals(sample)
	}
}

func BenchmarkIntervalsSmall(b *testing.B) {
	w := newWorld(5, 3, 1)
	e, sample := New(5, nil, w.examples(50)), w.posts(100, 100, 50, 30, 20)
	for b.Loop() {
		e.Intervals(sample)
	}
}

func BenchmarkNew(b *testing.B) {
	w := newWorld(50, 3, 1)
	examples := w.examples(400)
	for b.Loop() {
		New(50, nil, examples)
	}
}
