package detect

import (
	"testing"
	"time"
)

func TestSegment(t *testing.T) {
	m := &Model{zone: time.UTC}
	for h := range weekHours {
		rate := 10.0
		if h%24 < 12 {
			rate = 1 // nights are quiet
		}
		m.before[h+1] = m.before[h] + rate
	}
	noon := monday.Add(12 * time.Hour)
	f := func(start time.Time, hours []float64, wantFrom, wantTo int, wantOK bool) {
		t.Helper()
		from, to, ok := m.Segment(start, hours)
		if from != wantFrom || to != wantTo || ok != wantOK {
			t.Errorf("%v: got [%d, %d) %t, want [%d, %d) %t", hours, from, to, ok, wantFrom, wantTo, wantOK)
		}
	}
	f(noon, nil, 0, 0, false)
	f(noon, []float64{10, 9, 11, 10}, 0, 0, false)
	f(noon, []float64{14, 14, 14}, 0, 0, false) // 1.4 times
	f(noon, []float64{10, 15, 10}, 1, 2, true)  // 1.5 times
	f(noon, []float64{10, 10, 30, 80, 20, 10, 10}, 2, 5, true)
	f(noon, []float64{30, 10, 30}, 0, 3, true)                          // one quiet hour does not end an event
	f(noon, []float64{20, 0, 0, 30, 10}, 3, 4, true)                    // several do
	f(noon, []float64{30, 0, 0, 0, 30}, 0, 1, true)                     // the first of equal ones
	f(monday, []float64{1, 1, 5, 1}, 2, 3, true)                        // little at noon is much at night
	f(monday, []float64{3, 0, 0, 0}, 0, 1, true)                        //
	f(monday.Add(9*time.Hour), []float64{1, 1, 1, 10, 10}, 0, 0, false) // the day begins
}

func TestOnset(t *testing.T) {
	m := &Model{zone: time.UTC, dispersion: [len(Windows)]float64{1.3, 1.3, 1.3}}
	for h := range weekHours {
		m.before[h+1] = m.before[h] + 4
	}
	f := func(hours []float64, want int) {
		t.Helper()
		if got := m.Onset(monday, hours, 0, len(hours)); got != want {
			t.Errorf("%v: got %d, want %d", hours, got, want)
		}
	}
	f([]float64{40, 30, 20}, 0)
	f([]float64{9, 40, 30, 20}, 1)        // 2.2 times, before 10 times
	f([]float64{7, 8, 40, 30}, 2)         // two of them
	f([]float64{9, 8, 10, 9}, 0)          // the event has twice the expected posts
	f([]float64{15, 40, 60, 80}, 0)       // improbable by itself
	f([]float64{7, 11, 14, 25, 20, 9}, 1) // rises slowly
	f([]float64{6}, 0)
	f([]float64{0, 40}, 1)
}
