package earshot_test

import (
	"testing"

	"earshot"
)

func TestContractPeriod(t *testing.T) {
	f := func(periodStart, today, start, end string) {
		t.Helper()
		var c earshot.Contract
		if periodStart != "" {
			c.PeriodStart = day(t, periodStart)
		}
		if got, want := c.Period(day(t, today)), (earshot.Days{Start: day(t, start), End: day(t, end)}); got != want {
			t.Errorf("contract from %q, %s: got %v to %v, want %v to %v", periodStart, today, got.Start, got.End, want.Start, want.End)
		}
	}
	// Without a period start, the period is the calendar year.
	f("", "2026-01-01", "2026-01-01", "2027-01-01")
	f("", "2026-12-31", "2026-01-01", "2027-01-01")

	f("2024-04-01", "2026-03-31", "2025-04-01", "2026-04-01")
	f("2024-04-01", "2026-04-01", "2026-04-01", "2027-04-01")
	f("2024-04-01", "2024-04-01", "2024-04-01", "2025-04-01")
	f("2024-01-01", "2026-07-01", "2026-01-01", "2027-01-01")
	f("2024-12-31", "2026-12-30", "2025-12-31", "2026-12-31")
	f("2024-12-31", "2026-12-31", "2026-12-31", "2027-12-31")

	// The period repeats before its start, too.
	f("2030-04-01", "2026-05-01", "2026-04-01", "2027-04-01")
	f("2030-04-01", "2030-03-31", "2029-04-01", "2030-04-01")

	// A leap day.
	f("2024-02-29", "2024-02-29", "2024-02-29", "2025-03-01")
	f("2024-02-29", "2025-02-28", "2024-02-29", "2025-03-01")
	f("2024-02-29", "2025-03-01", "2025-03-01", "2026-03-01")
	f("2024-02-29", "2027-12-31", "2027-03-01", "2028-02-29")
	f("2024-02-29", "2028-02-29", "2028-02-29", "2029-03-01")
}

func TestContractPeriodsCoverEveryDay(t *testing.T) {
	for _, start := range []string{"2024-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "2024-12-31"} {
		c := earshot.Contract{PeriodStart: day(t, start)}
		last := c.Period(day(t, "2019-06-15"))
		for d := day(t, "2019-06-15"); d.Year < 2030; d = d.AddDays(1) {
			p := c.Period(d)
			if !p.Contains(d) || p != last && p.Start != last.End {
				t.Fatalf("contract from %s, %v: got %v, after %v", start, d, p, last)
			}
			last = p
		}
	}
}

func day(t *testing.T, s string) earshot.Date {
	t.Helper()
	d, err := earshot.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
