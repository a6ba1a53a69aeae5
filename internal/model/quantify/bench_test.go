package quantify

import "testing"

// A day of 10,000 different posts, 10 categories and 1,000 lessons is to take no more than
// 100 ms, its intervals 1 s; intervals of 300 posts and 250 lessons 50 ms.
func BenchmarkProportions(b *testing.B) {
	w := newWorld(10, 3, 1)
	lessons, sample := w.lessons(100), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		b.StopTimer()
		e := New(10, nil, lessons)
		b.StartTimer()
		e.Proportions(sample)
	}
}

func BenchmarkProportionsAgain(b *testing.B) {
	w := newWorld(10, 3, 1)
	e, sample := New(10, nil, w.lessons(100)), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		e.Proportions(sample)
	}
}

func BenchmarkIntervals(b *testing.B) {
	w := newWorld(10, 3, 1)
	e, sample := New(10, nil, w.lessons(100)), w.posts(5000, 3000, 1000, 500, 500)
	for b.Loop() {
		e.Intervals(sample)
	}
}

func BenchmarkIntervalsSmall(b *testing.B) {
	w := newWorld(5, 3, 1)
	e, sample := New(5, nil, w.lessons(50)), w.posts(100, 100, 50, 30, 20)
	for b.Loop() {
		e.Intervals(sample)
	}
}

func BenchmarkNew(b *testing.B) {
	w := newWorld(50, 3, 1)
	lessons := w.lessons(400)
	for b.Loop() {
		New(50, nil, lessons)
	}
}
