package period

import (
	"testing"
	"time"

	"earshot"
)

func load(t *testing.T, zone string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(zone)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func days(t *testing.T, start, end string) earshot.Days {
	t.Helper()
	return earshot.Days{Start: date(t, start), End: date(t, end)}
}

func date(t *testing.T, s string) earshot.Date {
	t.Helper()
	d, err := earshot.ParseDate(s)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestSteps(t *testing.T) {
	tests := []struct {
		name       string
		zone       string
		start, end string
		grouping   earshot.Grouping
		want       []string // start and end in UTC, then in local time
	}{
		{
			"days of a zone", "Europe/Berlin", "2024-03-30", "2024-04-01", earshot.Daily, []string{
				"2024-03-29T23:00:00 2024-03-30T23:00:00 2024-03-30T00:00:00 2024-03-31T00:00:00",
				"2024-03-30T23:00:00 2024-03-31T22:00:00 2024-03-31T00:00:00 2024-04-01T00:00:00",
			},
		}, {
			"an empty range has no days", "UTC", "2024-03-30", "2024-03-30", earshot.Daily, nil,
		}, {
			"full weeks from Monday", "UTC", "2024-01-02", "2024-01-24", earshot.Weekly, []string{
				"2024-01-08T00:00:00 2024-01-15T00:00:00 2024-01-08T00:00:00 2024-01-15T00:00:00",
				"2024-01-15T00:00:00 2024-01-22T00:00:00 2024-01-15T00:00:00 2024-01-22T00:00:00",
			},
		}, {
			"exactly one week", "UTC", "2024-01-01", "2024-01-08", earshot.Weekly, []string{
				"2024-01-01T00:00:00 2024-01-08T00:00:00 2024-01-01T00:00:00 2024-01-08T00:00:00",
			},
		}, {
			"mid-January to mid-March is February", "UTC", "2024-01-15", "2024-03-15", earshot.Monthly, []string{
				"2024-02-01T00:00:00 2024-03-01T00:00:00 2024-02-01T00:00:00 2024-03-01T00:00:00",
			},
		}, {
			"months across the end of a year", "Asia/Kolkata", "2023-12-01", "2024-02-01", earshot.Monthly, []string{
				"2023-11-30T18:30:00 2023-12-31T18:30:00 2023-12-01T00:00:00 2024-01-01T00:00:00",
				"2023-12-31T18:30:00 2024-01-31T18:30:00 2024-01-01T00:00:00 2024-02-01T00:00:00",
			},
		}, {
			"a day whose midnight is skipped", "America/Sao_Paulo", "2018-11-03", "2018-11-05", earshot.Daily, []string{
				"2018-11-03T03:00:00 2018-11-04T03:00:00 2018-11-03T00:00:00 2018-11-04T00:00:00",
				"2018-11-04T03:00:00 2018-11-05T02:00:00 2018-11-04T00:00:00 2018-11-05T00:00:00",
			},
		}, {
			"a day whose midnight occurs twice", "America/Havana", "2023-11-04", "2023-11-06", earshot.Daily, []string{
				"2023-11-04T04:00:00 2023-11-05T04:00:00 2023-11-04T00:00:00 2023-11-05T00:00:00",
				"2023-11-05T04:00:00 2023-11-06T05:00:00 2023-11-05T00:00:00 2023-11-06T00:00:00",
			},
		}, {
			"a skipped day is empty", "Pacific/Apia", "2011-12-29", "2012-01-01", earshot.Daily, []string{
				"2011-12-29T10:00:00 2011-12-30T10:00:00 2011-12-29T00:00:00 2011-12-30T00:00:00",
				"2011-12-30T10:00:00 2011-12-30T10:00:00 2011-12-30T00:00:00 2011-12-31T00:00:00",
				"2011-12-30T10:00:00 2011-12-31T10:00:00 2011-12-31T00:00:00 2012-01-01T00:00:00",
			},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			steps, err := Steps(days(t, tt.start, tt.end), tt.grouping, load(t, tt.zone))
			if err != nil {
				t.Fatal(err)
			}
			if len(steps) != len(tt.want) {
				t.Fatalf("got %d steps, want %d", len(steps), len(tt.want))
			}
			for i, s := range steps {
				got := instant(s.Start) + " " + instant(s.End) + " " + s.StartDate.String() + " " + s.EndDate.String()
				if got != tt.want[i] {
					t.Errorf("step %d:\n got %s\nwant %s", i, got, tt.want[i])
				}
			}
		})
	}
}

func instant(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05") }

func TestNoFullUnit(t *testing.T) {
	tests := []struct {
		start, end string
		grouping   earshot.Grouping
		want       string
	}{
		{"2024-01-02", "2024-01-14", earshot.Weekly, "The selected range contains no full week"},
		{"2024-01-01", "2024-01-01", earshot.Weekly, "The selected range contains no full week"},
		{"2024-01-01", "2024-01-31", earshot.Monthly, "The selected range contains no full month"},
		{"2024-01-02", "2024-02-29", earshot.Monthly, "The selected range contains no full month"},
		{"0001-01-01", "9999-01-01", earshot.Hourly, "The selected range has more than 200000 hours"},
		{"2024-01-01", "2024-02-01", "YEARLY", "Unknown grouping 'YEARLY'"},
	}
	for _, tt := range tests {
		_, err := Steps(days(t, tt.start, tt.end), tt.grouping, time.UTC)
		if !earshot.IsKind(err, earshot.Invalid) || err.Error() != tt.want {
			t.Errorf("%s from %s to %s: got %v, want %s", tt.grouping, tt.start, tt.end, err, tt.want)
		}
	}
}
