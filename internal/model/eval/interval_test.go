package eval

import (
	"strings"
	"testing"
)

func TestIntervals(t *testing.T) {
	f := func(rows []string, accuracy, recall, calibration Interval) {
		t.Helper()
		r := measure(t, parrot(task{sure: true}), rows...)
		if r.AccuracyInterval != accuracy || r.MacroRecallInterval != recall || *r.CalibrationErrorInterval != calibration {
			t.Errorf("got accuracy %v, macro recall %v, calibration error %v, want %v, %v, %v",
				r.AccuracyInterval, r.MacroRecallInterval, *r.CalibrationErrorInterval, accuracy, recall, calibration)
		}
	}
	repeat := func(n int, rows ...string) []string {
		return strings.Split(strings.TrimSuffix(strings.Repeat(strings.Join(rows, "\n")+"\n", n), "\n"), "\n")
	}
	f(repeat(50, "a a high"), Interval{1, 1}, Interval{1, 1}, Interval{0.1, 0.1})
	// The standard error of one half of 400 is 0.025, so the interval is 0.5 ± 0.049.
	f(repeat(200, "a a half", "a b half"), Interval{0.451, 0.5485}, Interval{0.451, 0.5485}, Interval{0, 0.0375})
	// One class with ten rows makes macro recall less certain than accuracy.
	f(append(repeat(90, "a a half"), repeat(5, "b b half", "b a half")...), Interval{0.9096, 0.9896}, Interval{0.5806, 0.914}, Interval{0.4096, 0.4896})
}
