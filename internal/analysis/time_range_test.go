package analysis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/ledger"
)

func TestRanges(t *testing.T) {
	w := newWorld(t)
	s := w.patientService()
	f := func(zone, start, end, want string) {
		t.Helper()
		form := coffee()
		form.Timezone, form.StartDate, form.EndDate = zone, start, end
		r, err := s.Submit(t.Context(), user(1), form)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = r.Request.Start.Format("02T15:04:05Z07:00") + " " + r.Request.End.Format("02T15:04:05Z07:00")
		}
		if got != want {
			t.Errorf("%s to %s in %s: got %s, want %s", start, end, zone, got, want)
		}
	}
	notAfter := "Invalid request body: endDate must be after startDate"
	tooLong := "Invalid request body: endDate must be at most 24 hours after startDate"
	f("UTC", "2026-03-01T00:00:00", "2026-03-02T00:00:00", "01T00:00:00Z 02T00:00:00Z")
	f("America/New_York", "2026-03-01T00:00:00", "2026-03-02T00:00:00", "01T05:00:00Z 02T05:00:00Z")
	f("America/New_York", "2026-03-01T00:00:00Z", "2026-03-01T12:00:00+0200", "01T00:00:00Z 01T10:00:00Z")
	f("America/New_York", "2026-03-01T00:00:00.5-05:00", " 2026-03-01 06:00:00 ", "01T05:00:00Z 01T11:00:00Z")
	f("Europe/Berlin", "2026-03-01", "2026-03-02", "28T23:00:00Z 01T23:00:00Z")
	// a day of 25 hours, and one of 23 hours
	f("America/New_York", "2026-11-01T00:00:00", "2026-11-02T00:00:00", "01T04:00:00Z 02T05:00:00Z")
	f("America/New_York", "2026-11-01T00:00:00", "2026-11-02T00:00:01", tooLong)
	f("America/New_York", "2026-03-08T00:00:00", "2026-03-09T00:00:00", "08T05:00:00Z 09T04:00:00Z")
	f("America/New_York", "2026-03-08T00:00:00", "2026-03-09T01:00:00", "08T05:00:00Z 09T05:00:00Z")
	f("America/New_York", "2026-03-08T00:00:00", "2026-03-09T01:00:01", tooLong)
	// midnight occurs twice, or not at all
	f("America/Havana", "2026-11-01T00:00:00", "2026-11-02T00:00:00", "01T04:00:00Z 02T05:00:00Z")
	f("America/Havana", "2026-03-08T00:00:00", "2026-03-09T00:00:00", "08T05:00:00Z 09T04:00:00Z")
	// clocks go forward from 2 to 3, and the skipped hour is empty
	f("Europe/Berlin", "2026-03-29T01:00:00", "2026-03-29T02:00:00", "29T00:00:00Z 29T01:00:00Z")
	f("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T03:00:00", "29T01:00:00Z 29T01:00:00Z")
	f("Europe/Berlin", "2026-03-29T02:15:00", "2026-03-29T02:45:00", "29T01:00:00Z 29T01:00:00Z")
	f("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T03:15:00", "29T01:00:00Z 29T01:15:00Z")
	f("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T04:00:00", "29T01:00:00Z 29T02:00:00Z")
	f("Europe/Berlin", "2026-03-29T03:00:00", "2026-03-29T02:00:00", notAfter)
	f("Europe/Berlin", "2026-03-29T02:30:00", "2026-03-29T02:30:00", notAfter)
	f("Pacific/Apia", "2011-12-30", "2011-12-31", "30T10:00:00Z 30T10:00:00Z") // a whole day
	// times with an offset are compared as instants
	f("Europe/Berlin", "2026-03-29T02:00:00+01:00", "2026-03-29T03:00:00+02:00", notAfter)
	f("Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T01:00:00Z", notAfter)
	f("Europe/Berlin", "2026-03-29T04:00:00+02:00", "2026-03-29T03:30:00+01:00", "29T02:00:00Z 29T02:30:00Z")
	// clocks go back, and the first of two occurrences counts, east and west of Greenwich
	f("Europe/Berlin", "2026-10-25T01:00:00", "2026-10-25T02:00:00", "24T23:00:00Z 25T00:00:00Z")
	f("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-25T03:00:00", "25T00:00:00Z 25T02:00:00Z")
	f("Europe/Berlin", "2026-10-25T02:30:00+02:00", "2026-10-25T02:15:00+01:00", "25T00:30:00Z 25T01:15:00Z")
	f("Europe/Berlin", "2026-10-25T02:30:00", "2026-10-25T02:15:00", notAfter)
	f("Europe/Berlin", "2026-10-25T02:00:00", "2026-10-26T02:00:00", "25T00:00:00Z 26T01:00:00Z")
	f("America/New_York", "2026-11-01T01:00:00", "2026-11-01T02:00:00", "01T05:00:00Z 01T07:00:00Z")
	// the last day of a leap year, in the years that time zones describe by rule
	f("Europe/Berlin", "2096-12-31T00:00:00", "2097-01-01T00:00:00", "30T23:00:00Z 31T23:00:00Z")
}

// TestPartsOfDayAddUp requests the days on which clocks change, by the hour and by the quarter of
// an hour, in steps of a clock that does not change.
func TestPartsOfDayAddUp(t *testing.T) {
	f := func(zone, day string, step time.Duration, want map[string]int64, total int64) {
		t.Helper()
		start, err := time.Parse(time.DateOnly, day)
		if err != nil {
			t.Fatal(err)
		}
		w := newWorld(t)
		w.every(t, 15*time.Minute, start.Add(-24*time.Hour), start.Add(48*time.Hour))
		s := w.patientService()
		posts := func(from, to time.Time) int64 {
			form := coffee()
			form.Timezone, form.StartDate, form.EndDate = zone, from.Format(wallClock), to.Format(wallClock)
			r := submit(t, s, form)
			expect(t, form.StartDate, r, ledger.Done, 1)
			return r.Metrics.Volume[0]
		}
		sum := int64(0)
		usual := int64(step / (15 * time.Minute))
		for at := start; at.Before(start.Add(24 * time.Hour)); at = at.Add(step) {
			wanted, special := want[at.Format("15:04")]
			if !special {
				wanted = usual
			}
			got := posts(at, at.Add(step))
			sum += got
			if got != wanted {
				t.Errorf("%s %s: got %d posts, want %d", zone, at.Format(wallClock), got, wanted)
			}
		}
		if whole := posts(start, start.Add(24*time.Hour)); whole != total || sum != total {
			t.Errorf("%s %s: got %d posts and %d in parts, want %d", zone, day, whole, sum, total)
		}
	}
	quarters := func(hour string, posts int64) map[string]int64 {
		return map[string]int64{hour + ":00": posts, hour + ":15": posts, hour + ":30": posts, hour + ":45": posts}
	}
	f("Europe/Berlin", "2026-03-28", time.Hour, nil, 96)
	f("Europe/Berlin", "2026-03-29", time.Hour, map[string]int64{"02:00": 0}, 92)
	f("Europe/Berlin", "2026-03-29", 15*time.Minute, quarters("02", 0), 92)
	f("Europe/Berlin", "2026-10-25", time.Hour, map[string]int64{"02:00": 8}, 100)
	f("Europe/Berlin", "2026-10-25", 15*time.Minute, map[string]int64{"02:45": 5}, 100)
	f("America/New_York", "2026-11-01", time.Hour, map[string]int64{"01:00": 8}, 100)
	f("America/New_York", "2026-11-01", 15*time.Minute, map[string]int64{"01:45": 5}, 100)
	f("America/New_York", "2026-03-08", time.Hour, map[string]int64{"02:00": 0}, 92)
	f("America/Havana", "2026-03-08", time.Hour, map[string]int64{"00:00": 0}, 92)
	f("America/Havana", "2026-11-01", time.Hour, map[string]int64{"00:00": 8}, 100)
	f("Australia/Lord_Howe", "2026-10-04", time.Hour, map[string]int64{"02:00": 2}, 94)
}

const wallClock = "2006-01-02T15:04:05"

// every adds posts at regular intervals.
func (w *world) every(t *testing.T, step time.Duration, from, to time.Time) {
	t.Helper()
	var posts []earshot.Post
	for at := from; at.Before(to); at = at.Add(step) {
		p := post("Twitter", at.Format(wallClock))
		p.Time = at
		posts = append(posts, p)
	}
	w.add(t, posts...)
}

// TestEmptyRangeHasZeros requests all kinds for an hour that clocks skip.
func TestEmptyRangeHasZeros(t *testing.T) {
	w := newWorld(t)
	p := post("Twitter", "at the clock change")
	p.Time = time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC)
	w.add(t, p)
	form := coffee()
	form.Analysis = strings.Split(someKinds, ", ")
	form.Timezone, form.StartDate, form.EndDate = "Europe/Berlin", "2026-03-29T02:00:00", "2026-03-29T03:00:00"
	r := submit(t, w.patientService(), form)
	expect(t, "a skipped hour", r, ledger.Done, 1)
	a := r.Metrics
	if a.Posts != 0 || !slices.Equal(a.Volume, []int64{0}) || !slices.Equal(a.Sentiments, make([]int64, 3)) ||
		!slices.Equal(a.Emotions, make([]int64, 7)) || !slices.Equal(a.Ages, make([]int64, 4)) || len(a.Sites) != 0 {
		t.Errorf("got %+v, want zeros", a)
	}
	w.used(t, 1, 0)
}
