package quantify

import (
	"math"
	"slices"
	"testing"
)

// TestDailyThin checks that earlier days improve the estimates of days with few posts.
func TestDailyThin(t *testing.T) {
	alone, daily := 0.0, 0.0
	for seed := range uint64(20) {
		w := newWorld(4, 1.5, seed)
		e := New(4, nil, w.examples(50))
		var days []Day
		counts := []int{7, 3, 2, 0}
		for range 20 {
			days = append(days, w.posts(counts...))
		}
		got := e.Daily(days, false)
		for t := LookbackDays; t < len(days); t++ {
			plain := e.Prevalence(days[t])
			for k, n := range counts {
				alone += math.Abs(plain[k] - float64(n)/12)
				daily += math.Abs(got[t].Prevalence[k] - float64(n)/12)
			}
		}
	}
	if daily > 0.8*alone {
		t.Errorf("error is %.3f of the error without earlier days", daily/alone)
	}
}

// TestDailyRange checks that an estimate depends on at most LookbackDays earlier days, and that a
// full day depends only on itself.
func TestDailyRange(t *testing.T) {
	w := newWorld(3, 3, 2)
	e := New(3, nil, w.examples(30))
	var days []Day
	for i := range 30 {
		days = append(days, w.posts(i%4, 2, i%3))
	}
	days[20] = w.posts(0, 150, 0)
	all := e.Daily(days, true)
	part := e.Daily(days[25-LookbackDays:26], true)
	if got, want := part[LookbackDays], all[25]; !slices.Equal(got.Prevalence, want.Prevalence) || !slices.Equal(got.Intervals, want.Intervals) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, want := all[20].Prevalence, e.Prevalence(days[20]); !slices.Equal(got, want) {
		t.Errorf("a full day has %v, estimated alone %v", got, want)
	}
	for i, d := range all {
		check(t, "day", d.Prevalence)
		for k, v := range d.Intervals {
			if !(0 <= v.Low && v.Low <= d.Prevalence[k] && d.Prevalence[k] <= v.High && v.High <= 1) {
				t.Errorf("day %d: interval %v of %v", i, v, d.Prevalence[k])
			}
		}
	}
}

// TestDailyEmpty checks that days without posts carry the estimate forward for LookbackDays days.
func TestDailyEmpty(t *testing.T) {
	w := newWorld(3, 4, 6)
	e := New(3, []float64{2, 1, 1}, w.examples(30))
	days := make([]Day, LookbackDays+3)
	days[1] = w.posts(0, 120, 0)
	got := e.Daily(days, true)
	if p := got[0].Prevalence; !slices.Equal(p, []float64{0.5, 0.25, 0.25}) || got[0].Intervals[0] != (Interval{0, 1}) {
		t.Errorf("no earlier days: %v", got[0])
	}
	if p := got[1+LookbackDays].Prevalence; p[1] < 0.95 {
		t.Errorf("carried forward: %v", p)
	}
	if p := got[2+LookbackDays].Prevalence; !slices.Equal(p, []float64{0.5, 0.25, 0.25}) {
		t.Errorf("after the lookback: %v", p)
	}
	if got := e.Daily(nil, true); len(got) != 0 {
		t.Errorf("no days: %v", got)
	}
}

// TestDailyAfterMany estimates a day with few posts after a day with very many. It checks that only
// the missing number of posts is borrowed, and that intervals use a subsample.
func TestDailyAfterMany(t *testing.T) {
	w := newWorld(4, 3, 3)
	e := New(4, nil, w.examples(30))
	many, few := w.posts(1000, 1000, 0, 0), w.posts(1, 2, 0, 0)
	b := e.newDayBag([]Day{many, few})
	if b.targetTotal != 3 || math.Abs(b.total-FullDayPosts) > 1e-9 {
		t.Errorf("%v posts, of %v", b.targetTotal, b.total)
	}
	thin := e.newBootstrap(b).bag
	if len(thin.posts) > maxBootstrapGroups+3 || len(thin.target) != len(thin.posts) {
		t.Errorf("%d groups, %d targets", len(thin.posts), len(thin.target))
	}
	got := e.Daily([]Day{many, few}, true)[1]
	check(t, "few after many", got.Prevalence)
	if got.Intervals[1].Low > 2.0/3 || got.Intervals[1].High < 2.0/3 {
		t.Errorf("interval %v of 2 in 3", got.Intervals[1])
	}
}
