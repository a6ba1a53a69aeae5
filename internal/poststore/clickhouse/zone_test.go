package clickhouse

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chhttp"
	"earshot/internal/poststore/clickhouse/chtest"
)

// oddZones have clock changes of half an hour, in the middle of an hour, several times a year, by a
// whole day, or offsets with seconds.
var oddZones = []string{
	"UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Africa/Casablanca", "Pacific/Apia", "Asia/Pyongyang",
	"America/Caracas", "Africa/Monrovia", "Europe/Amsterdam", "Antarctica/Troll", "America/St_Johns", "Asia/Tehran", "Africa/Cairo",
}

// TestZoneTable compares times that SQL converts with those that Go converts, from the 19th century
// on, around clock changes and at random.
func TestZoneTable(t *testing.T) {
	db := openClient(t)
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range oddZones {
		zone, err := earshot.Zone(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, span := range [][2]int{{1850, 1930}, {1930, 1990}, {1990, 2045}, {2024, 2025}} {
			first, last := time.Date(span[0], 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(span[1], 1, 1, 0, 0, 0, 0, time.UTC).Unix()
			table, ok := newZoneTable(zone, first, last)
			if !ok {
				t.Fatalf("%s from %d to %d: got no table", name, span[0], span[1])
			}
			var secs []int64
			for _, start := range table.starts {
				for _, distance := range []int64{-86400, -3600, -1801, -1800, -1, 0, 1, 1799, 1800, 3599, 3600, 7200, 86399} {
					if sec := start + distance; start > first && sec <= last {
						secs = append(secs, sec)
					}
				}
			}
			for range 1000 {
				secs = append(secs, first+random.Int64N(last-first))
			}
			checkZone(t, db, name, zone, &table, secs)
		}
	}
}

// checkZone compares the hours, days and clocks of times in a zone.
func checkZone(t *testing.T, db *chhttp.Client, name string, zone *time.Location, table *zoneTable, secs []int64) {
	t.Helper()
	a := new(chhttp.Args)
	var sec, hour, day, clock proto.ColInt64
	sql := "SELECT sec, " + table.hour() + " AS hour, " + table.day() + " AS day, " + table.clock() + " AS clock FROM (SELECT arrayJoin(" + a.Ints(secs) + ") AS sec)"
	results := proto.Results{{Name: "sec", Data: &sec}, {Name: "hour", Data: &hour}, {Name: "day", Data: &day}, {Name: "clock", Data: &clock}}
	rows := 0
	err := db.Query(t.Context(), chhttp.Statement{SQL: sql, Args: a}, results, func(n int) error {
		rows += n
		for i := range n {
			at := time.Unix(sec.Row(i), 0).In(zone)
			if want := period.Hour(at).Unix(); hour.Row(i) != want {
				t.Fatalf("%s: got hour %v of %v, want %v", name, time.Unix(hour.Row(i), 0).UTC(), at, time.Unix(want, 0).UTC())
			}
			if got, want := time.Unix(day.Row(i)*daySeconds, 0).UTC().Format(time.DateOnly), at.Format(time.DateOnly); got != want {
				t.Fatalf("%s: got day %s of %v, want %s", name, got, at, want)
			}
			if got, want := clockKeys[clock.Row(i)], poststore.ClockKey(at); got != want {
				t.Fatalf("%s: got clock %s of %v, want %s", name, got, at, want)
			}
		}
		return nil
	})
	if err != nil || rows != len(secs) {
		t.Fatalf("%s: got %d times and error %v, want %d times", name, rows, err, len(secs))
	}
}

func TestZoneTableLimits(t *testing.T) {
	zone, err := earshot.Zone("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := newZoneTable(zone, time.Date(-5, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), 0); ok {
		t.Error("got a table for years before 0, whose keys have another order")
	}
	if _, ok := newZoneTable(zone, 0, time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()); ok {
		t.Error("got a table with thousands of clock changes")
	}
	if table, ok := newZoneTable(time.UTC, 0, time.Date(9000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()); !ok || len(table.starts) != 1 {
		t.Errorf("got %v for UTC, want a single period", table)
	}
}

// openClient returns a client of an empty database.
func openClient(t *testing.T) *chhttp.Client {
	server := chtest.Open(t)
	c, err := chhttp.New(chhttp.Options{URL: server.URL, Database: server.Database})
	if err != nil {
		t.Fatal(err)
	}
	return c
}
