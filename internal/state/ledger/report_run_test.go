package ledger

import (
	"errors"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/kv"
)

// fullRun returns a run with every field set.
func fullRun() *ReportRun {
	moment := time.Date(2026, 11, 16, 7, 0, 0, 0, time.UTC)
	return &ReportRun{
		Report: 7, Time: moment, Exported: []earshot.MonitorID{9}, Late: true, Error: "removed", Written: moment.Add(2 * time.Hour),
		Sends: []ReportSend{{
			Time: moment.Add(time.Hour), By: "ann", Channels: []earshot.ChannelID{8}, Handed: true,
			Results: []ReportResult{{Channel: 8, State: earshot.DeliverySent, Time: moment.Add(time.Hour), Error: "e"}},
		}},
	}
}

func TestStoredFormOfRunsIsUnchanged(t *testing.T) {
	wantSet(t, "ReportRun", reflect.ValueOf(fullRun()).Elem())
	local := fullRun() // times in another zone are stored the same
	local.Time, local.Written, local.Sends[0].Time, local.Sends[0].Results[0].Time = local.Time.In(zone), local.Written.In(zone), local.Sends[0].Time.In(zone), local.Sends[0].Results[0].Time.In(zone)
	got, err := encodeRun(local)
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	const file = "testdata/report_run.golden"
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the stored form changed; records written before would be misread\ngot\n%s\nwant\n%s", got, want)
	}
	r, err := decodeRun(runKey{7, "2026-11-16T0700Z"}, want)
	if err != nil || !reflect.DeepEqual(r, fullRun()) {
		t.Errorf("got %+v, %v, want %+v", r, err, fullRun())
	}
	if _, err := decodeRun(runKey{8, "2026-11-16T0700Z"}, want); err == nil {
		t.Error("a run was found under the key of another report")
	}
	if local.Sends[0].Time.Location() != zone {
		t.Error("encoding changed the run")
	}
}

func TestRunKeysRoundTrip(t *testing.T) {
	f := func(s string, want runKey, ok bool) {
		t.Helper()
		got, err := parseRunKey(s)
		if got != want || (err == nil) != ok {
			t.Errorf("%q: got %+v, %v, want %+v", s, got, err, want)
		}
		if ok {
			if err := kv.CheckKey(s); err != nil {
				t.Error(err)
			}
		}
	}
	f("report.7.2026-11-16T0700Z", runKey{7, "2026-11-16T0700Z"}, true)
	for _, s := range []string{"", "report.7", "report.7.", "report.07.2026-11-16T0700Z", "report.x.2026-11-16T0700Z", "report.7.2026-11-16", "report.7.2026-13-16T0700Z", "report.7.2026-02-30T0700Z",
		"report.7.2026-11-16T0700Z.1", "report.7.2026-11-16t0700z", "result.7.2026-11-16T0700Z"} {
		f(s, runKey{}, false)
	}
	if p := PeriodOf(time.Date(2026, 11, 16, 8, 0, 59, 0, time.FixedZone("", 3600))); p != "2026-11-16T0700Z" {
		t.Errorf("got %s", p)
	}
}

func TestReportRuns(t *testing.T) {
	for name, open := range stores {
		t.Run(name, func(t *testing.T) { testRuns(t, New(open(t)), New(open(t))) })
	}
}

func testRuns(t *testing.T, l, restored *Ledger) {
	ctx := t.Context()
	put := func(r *ReportRun, revision uint64) uint64 {
		t.Helper()
		revision, err := l.PutRun(ctx, r, revision)
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	first := fullRun()
	revision := put(first, 0)
	if _, err := l.PutRun(ctx, first, 0); !errors.Is(err, ErrConflict) {
		t.Errorf("a second claim: got %v, want ErrConflict", err)
	}
	later := fullRun()
	later.Time = later.Time.AddDate(0, 0, 7)
	put(later, 0)
	other := fullRun()
	other.Report = 70
	put(other, 0)
	analysis := &Analysis{ID: 9, User: 5}
	if _, err := l.Put(ctx, analysis, 0); err != nil {
		t.Fatal(err)
	}

	first.Late = false
	put(first, revision)
	if _, err := l.PutRun(ctx, first, revision); !errors.Is(err, ErrConflict) {
		t.Errorf("an old revision: got %v, want ErrConflict", err)
	}
	found, _, err := l.FindRun(ctx, 7, first.Period())
	if err != nil || !reflect.DeepEqual(found, first) {
		t.Errorf("got %+v, %v, want %+v", found, err, first)
	}
	if _, _, err := l.FindRun(ctx, 7, "2026-11-17T0700Z"); !errors.Is(err, ErrNotFound) {
		t.Errorf("got %v, want ErrNotFound", err)
	}
	wantRuns := func(l *Ledger, report earshot.ReportID, want ...*ReportRun) {
		t.Helper()
		if got, err := l.LastRun(ctx, report); len(want) == 0 && !errors.Is(err, ErrNotFound) || len(want) > 0 && (err != nil || !reflect.DeepEqual(got, want[0])) {
			t.Errorf("report %d: got last run %+v, %v", report, got, err)
		}
		if got, err := l.Runs(ctx, report); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("runs of %d: got %v, %v, want %v", report, got, err, want)
		}
	}
	wantRuns(l, 7, later, first)
	wantRuns(l, 70, other)
	wantRuns(l, 700)
	if got, err := l.ReportsWithRuns(ctx); err != nil || !slices.Equal(got, []earshot.ReportID{7, 70}) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := l.HighestID(ctx); err != nil || got != 70 {
		t.Errorf("got highest ID %d, %v, want 70", got, err)
	}

	if err := restored.Load(ctx, l.Entries(ctx)); err != nil {
		t.Fatal(err)
	}
	wantRuns(restored, 7, later, first)
	wantRuns(restored, 70, other)
	want := []string{"result.9", "report.7.2026-11-16T0700Z", "report.7.2026-11-23T0700Z", "report.70.2026-11-16T0700Z"}
	if got := keys(entries(t, restored)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if _, _, err := restored.Find(ctx, 9); err != nil {
		t.Error(err)
	}

	for range 2 {
		if err := l.RemoveRun(ctx, 7, first.Period()); err != nil {
			t.Fatal(err)
		}
	}
	wantRuns(l, 7, later)
	for _, e := range []kv.Entry{{Key: "report.7"}, {Key: "report.7.x", Value: []byte("{}")}, {Key: "report.7.2026-11-16T0700Z", Value: []byte("{}")}, {Key: "report.7.2026-11-16T0700Z", Value: []byte("{")}} {
		if err := New(kv.NewMemory()).Load(ctx, sequence(nil, e)); err == nil {
			t.Errorf("%s %s was loaded", e.Key, e.Value)
		}
	}
}
