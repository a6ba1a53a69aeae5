package earshot_test

import (
	"encoding/json"
	"testing"
	"time"

	"earshot"
)

func TestParseDate(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, err := earshot.ParseDate(text)
		if err != nil {
			got = earshot.Date{}
		}
		if b, _ := got.MarshalText(); string(b) != want {
			t.Errorf("%q: got %q %v, want %q", text, b, err, want)
		}
	}
	f("2024-02-29", "2024-02-29")
	f("2024-02-29T00:00:00", "2024-02-29")
	f("2024-02-29T00:00:00Z", "2024-02-29")
	f("2023-02-29", "")
	f("2024-02-29T00:00:01", "")
	f("2024-2-9", "")
	f("0000-01-01", "")
	f("today", "")
}

func TestParseTime(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, err := earshot.ParseTime(text)
		if err != nil {
			if want != "" {
				t.Errorf("%q: %v, want %s", text, err, want)
			}
			return
		}
		if got := got.Format(time.RFC3339Nano); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	f("2024-01-31T08:30:00", "2024-01-31T08:30:00Z")
	f("2024-01-31T08:30:00.25", "2024-01-31T08:30:00.25Z")
	f("2024-01-31T08:30:00Z", "2024-01-31T08:30:00Z")
	f("2024-01-31T08:30:00.5+02:00", "2024-01-31T06:30:00.5Z")
	f("2024-01-31T08:30:00+0200", "2024-01-31T06:30:00Z")
	f("2024-01-31", "2024-01-31T00:00:00Z")
	f("2024-01-32T00:00:00", "")
	f("1706689800", "")
	f("", "")
}

func TestDateJSONRoundTrip(t *testing.T) {
	for _, want := range []earshot.Date{{}, {Year: 2024, Month: 2, Day: 29}} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got earshot.Date
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Errorf("%s: got %v %v, want %v", data, got, err, want)
		}
	}
}

func TestCountDistinguishesUnsetFromZero(t *testing.T) {
	type record struct {
		N earshot.Count `json:"n,omitzero"`
	}
	f := func(n earshot.Count, want string) {
		t.Helper()
		data, err := json.Marshal(record{n})
		if err != nil || string(data) != want {
			t.Errorf("got %s %v, want %s", data, err, want)
		}
		var back record
		if err := json.Unmarshal(data, &back); err != nil || back.N != n {
			t.Errorf("%s: got %v %v, want %v", data, back.N, err, n)
		}
	}
	f(earshot.Count{}, `{}`)
	f(earshot.Counted(0), `{"n":0}`)
	f(earshot.Counted(12), `{"n":12}`)
}

func TestIDsUnmarshalFromNumbersAndStrings(t *testing.T) {
	f := func(text string, want earshot.MonitorID, ok bool) {
		t.Helper()
		var got earshot.MonitorID
		err := json.Unmarshal([]byte(text), &got)
		if (err == nil) != ok || got != want {
			t.Errorf("%s: got %d %v, want %d", text, got, err, want)
		}
	}
	f(`2147483649`, 2147483649, true)
	f(`"2147483649"`, 2147483649, true)
	f(`0`, 0, true)
	f(`null`, 0, true)
	f(`-5`, 0, false)
	f(`"x"`, 0, false)
	f(`1.5`, 0, false)
}

func TestPlaceContains(t *testing.T) {
	usa := earshot.Place{Country: "USA"}
	california := earshot.Place{Country: "USA", State: "CA"}
	diego := earshot.Place{Country: "USA", State: "CA", City: "San Diego"}
	f := func(a, b earshot.Place, want bool) {
		t.Helper()
		if got := a.Contains(b); got != want {
			t.Errorf("%s contains %s: got %v, want %v", a.ID(), b.ID(), got, want)
		}
	}
	f(usa, diego, true)
	f(california, diego, true)
	f(diego, diego, true)
	f(diego, california, false)
	f(california, earshot.Place{Country: "USA", State: "NY"}, false)
	f(usa, earshot.Place{}, false)
}

func TestResultsEndAfterTodayOrDisabledDay(t *testing.T) {
	day := func(s string) earshot.Date {
		d, err := earshot.ParseDate(s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	now := time.Date(2026, 3, 15, 2, 0, 0, 0, time.UTC) // still the 14th in New York
	f := func(m earshot.Monitor, start, end string) {
		t.Helper()
		want := earshot.Days{Start: day(start), End: day(end)}
		if got := m.Results(now); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	f(earshot.Monitor{Enabled: true, Timezone: "UTC", Start: day("2026-03-01")}, "2026-03-01", "2026-03-16")
	f(earshot.Monitor{Enabled: true, Timezone: "America/New_York", Start: day("2026-03-01")}, "2026-03-01", "2026-03-15")
	f(earshot.Monitor{Timezone: "UTC", Start: day("2026-03-01"), DisabledOn: day("2026-03-05")}, "2026-03-01", "2026-03-06")
	f(earshot.Monitor{Enabled: true, Timezone: "UTC", Start: day("2026-04-01")}, "2026-04-01", "2026-04-01")
}

func TestDateStart(t *testing.T) {
	f := func(zone, day, want string) {
		t.Helper()
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		d, err := earshot.ParseDate(day)
		if err != nil {
			t.Fatal(err)
		}
		if got := d.Start(loc).Format(time.RFC3339); got != want {
			t.Errorf("%s in %s: got %s, want %s", day, zone, got, want)
		}
	}
	f("UTC", "2026-03-15", "2026-03-15T00:00:00Z")
	f("America/New_York", "2026-03-08", "2026-03-08T00:00:00-05:00")
	f("America/Sao_Paulo", "2018-11-04", "2018-11-04T01:00:00-02:00") // midnight is skipped
	f("America/Havana", "2024-11-03", "2024-11-03T00:00:00-04:00")    // midnight occurs twice
	f("Antarctica/Casey", "2023-03-09", "2023-03-09T00:00:00+11:00")  // three hours occur twice
	f("Pacific/Apia", "2011-12-30", "2011-12-31T00:00:00+14:00")      // the day does not exist
}

func TestDaysUntil(t *testing.T) {
	f := func(from, to string, want int) {
		t.Helper()
		var a, b earshot.Date
		if err := a.UnmarshalText([]byte(from)); err != nil {
			t.Fatal(err)
		}
		if err := b.UnmarshalText([]byte(to)); err != nil {
			t.Fatal(err)
		}
		if got := a.DaysUntil(b); got != want {
			t.Errorf("from %s to %s: got %d, want %d", from, to, got, want)
		}
	}
	f("2024-02-28", "2024-03-01", 2)
	f("2024-03-01", "2024-02-28", -2)
	f("1969-12-31", "1970-01-02", 2)
	f("0001-01-01", "9999-12-31", 3652058)
}

func TestTimestampFormat(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5000 {
		at := time.Unix(int64(i)*8_001_237-20_000_000_000, 0).In(berlin)
		if got, want := earshot.Timestamp(at).String(), at.Format("2006-01-02T15:04:05"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	for _, year := range []int{-1, 0, 9999, 10000} {
		at := time.Date(year, 12, 31, 23, 59, 59, 0, time.UTC)
		if got, want := earshot.Timestamp(at).String(), at.Format("2006-01-02T15:04:05"); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
