package card

import (
	"testing"

	"earshot"
)

func TestEarlierPeriods(t *testing.T) {
	for _, test := range []struct {
		earlier                       EarlierPeriod
		start, end                    string
		earlierStart, earlierEnd, err string
	}{
		{earlier: "", start: "2026-03-08", end: "2026-03-15"},
		{earlier: noPeriod, start: "2026-03-08", end: "2026-03-15"},
		{earlier: previousPeriod, start: "2026-03-08", end: "2026-03-15", earlierStart: "2026-03-01", earlierEnd: "2026-03-08"},
		{earlier: previousPeriod, start: "2026-03-01", end: "2026-04-01", earlierStart: "2026-01-29", earlierEnd: "2026-03-01"},
		{earlier: previousYear, start: "2026-03-09", end: "2026-03-16", earlierStart: "2025-03-10", earlierEnd: "2025-03-17"}, // Mondays
		{earlier: previousYear, start: "2025-02-24", end: "2025-03-03", earlierStart: "2024-02-26", earlierEnd: "2024-03-04"}, // a leap year
		{earlier: "2025-12-24", start: "2026-03-08", end: "2026-03-15", earlierStart: "2025-12-24", earlierEnd: "2025-12-31"},
		{earlier: "2025-13-24", start: "2026-03-08", end: "2026-03-15", err: "Invalid request body: earlier must be none, previous, year or a date like 2026-03-01"},
		{earlier: "week", start: "2026-03-08", end: "2026-03-15", err: "Invalid request body: earlier must be none, previous, year or a date like 2026-03-01"},
	} {
		days, err := test.earlier.days(earshot.Days{Start: mustDate(t, test.start), End: mustDate(t, test.end)})
		var got [3]string
		if days != nil {
			got[0], got[1] = days.Start.String(), days.End.String()
		}
		if err != nil {
			got[2] = err.Error()
		}
		if want := [3]string{test.earlierStart, test.earlierEnd, test.err}; got != want {
			t.Errorf("%q of %s to %s: got %q, want %q", test.earlier, test.start, test.end, got, want)
		}
	}
}
