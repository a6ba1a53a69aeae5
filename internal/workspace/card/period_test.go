package card

import (
	"testing"

	"earshot"
)

func TestRollingRanges(t *testing.T) {
	for _, test := range []struct {
		r                 RollingRange
		today, start, end string
	}{
		{yesterday, "2026-03-01", "2026-02-28", "2026-03-01"},
		{last7Days, "2026-03-01", "2026-02-23", "2026-03-02"},
		{last30Days, "2026-11-16", "2026-10-18", "2026-11-17"},
		{last90Days, "2026-11-16", "2026-08-19", "2026-11-17"},
		{last365Days, "2024-12-31", "2024-01-02", "2025-01-01"},
		{thisWeek, "2026-11-16", "2026-11-16", "2026-11-17"}, // a Monday
		{thisWeek, "2026-11-15", "2026-11-09", "2026-11-16"}, // a Sunday
		{lastWeek, "2026-11-16", "2026-11-09", "2026-11-16"},
		{lastWeek, "2026-11-15", "2026-11-02", "2026-11-09"},
		{lastWeek, "2026-01-01", "2025-12-22", "2025-12-29"},
		{thisMonth, "2026-11-16", "2026-11-01", "2026-11-17"},
		{lastMonth, "2026-01-31", "2025-12-01", "2026-01-01"},
		{lastMonth, "2024-03-31", "2024-02-01", "2024-03-01"},
	} {
		got := test.r.Days(mustDate(t, test.today))
		if got.Start.String() != test.start || got.End.String() != test.end {
			t.Errorf("%s on %s is %s to %s, want %s to %s", test.r, test.today, got.Start, got.End, test.start, test.end)
		}
	}
}

// TestEveryRollingRangeHasItsOwnDays finds a range that Days does not know and takes for 30 days.
func TestEveryRollingRangeHasItsOwnDays(t *testing.T) {
	seen := map[earshot.Days]RollingRange{}
	for _, r := range rollingRanges {
		days := r.Days(mustDate(t, "2026-11-18")) // a Wednesday
		if other, ok := seen[days]; ok {
			t.Errorf("%s and %s are both %s to %s", other, r, days.Start, days.End)
		}
		seen[days] = r
	}
}

func mustDate(t *testing.T, text string) earshot.Date {
	t.Helper()
	d, err := earshot.ParseDate(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
