package digest

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/ledger"
)

// A year of ticks: once at every time of the schedule, and never twice.
func TestAYearOfReports(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	daily, weekly, monthly := w.report(s, "30 2 * * *"), w.report(s, "0 8 * * 1"), w.report(s, "0 9 1 * *")
	var want []string
	for _, r := range []*earshot.ScheduledReport{daily, weekly, monthly} {
		schedule, err := ParseSchedule(r.Cron, "Europe/Berlin")
		w.check(err)
		for at := schedule.Next(start); at.Before(start.AddDate(1, 0, 0)); at = schedule.Next(at) {
			want = append(want, fmt.Sprintf("report.%d.%s", r.ID, ledger.PeriodOf(at)))
		}
	}
	var runner runner
	for end := start.AddDate(1, 0, 0); w.now.Before(end); w.now = w.now.Add(29 * time.Minute) {
		if w.now.Hour() == 5 {
			runner = newRunner() // a restart
		} else {
			runner.swept = w.now // takes long
		}
		runner.tick(t.Context(), s)
	}
	w.wantSent(want...)
	if len(want) != 365+53+12 {
		t.Errorf("got %d times", len(want))
	}
	for key, n := range w.sent {
		if n != 1 {
			t.Errorf("%s was handed over %d times", key, n)
		}
	}
	runs, err := s.Runs(t.Context(), ann, daily.ID)
	if err != nil || len(runs) != keptRuns {
		t.Errorf("got %d runs, %v, want %d", len(runs), err, keptRuns)
	}
	if runs, _ = s.Runs(t.Context(), ann, monthly.ID); len(runs) != 12 || runs[0].Late {
		t.Errorf("got %d monthly runs, %+v", len(runs), runs[0])
	}
}

// A report that cannot be sent because of a defect does not keep others from being sent.
func TestPanicOfAReport(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	broken, other := w.report(s, "0 8 * * *"), w.report(s, "0 8 * * *")
	s.Notify = func(ctx context.Context, n earshot.Notification) error {
		if n.Message.Report == broken.ID {
			panic("broken")
		}
		return w.notify(ctx, n)
	}
	w.now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	tick(w, s)
	w.wantSent(fmt.Sprintf("report.%d.2026-03-10T0700Z", other.ID))
}

func newRunner() runner { return runner{} }

func tick(w *world, s *Service) {
	r := newRunner()
	r.tick(w.Context(), s)
}

func TestMissedReports(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	daily, weekly, monthly := w.report(s, "0 8 * * *"), w.report(s, "0 8 * * 1"), w.report(s, "0 8 1 * *")
	disabled := true
	off := w.report(s, "0 8 * * *")
	_, err := s.Edit(t.Context(), ann, off.ID, Changes{Disabled: &disabled})
	w.check(err)

	// Nothing is sent for times before a report exists.
	tick(w, s)
	w.wantSent()

	// Down for nine days: the latest time only, and late.
	w.now = time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	tick(w, s)
	want := []string{fmt.Sprintf("report.%d.2026-03-10T0700Z", daily.ID), fmt.Sprintf("report.%d.2026-03-09T0700Z", weekly.ID)}
	w.wantSent(want...)
	runs, err := s.Runs(t.Context(), ann, weekly.ID)
	if err != nil || len(runs) != 1 || !runs[0].Late || runs[0].Time.Format(time.RFC3339) != "2026-03-09T07:00:00Z" {
		t.Errorf("got %+v, %v", runs, err)
	}

	// Neither changing the schedule nor enabling a report sends it for a time that has passed.
	cron, enabled := "0 9 * * *", false
	_, err = s.Edit(t.Context(), ann, daily.ID, Changes{Cron: &cron})
	w.check(err)
	_, err = s.Edit(t.Context(), ann, off.ID, Changes{Disabled: &enabled})
	w.check(err)
	tick(w, s)
	w.wantSent(want...)

	// After three weeks, the monthly report of before is not worth sending.
	w.now = time.Date(2026, 4, 25, 12, 0, 0, 0, time.UTC)
	w.check(s.Remove(t.Context(), ann, daily.ID))
	w.check(s.Remove(t.Context(), ann, off.ID))
	w.check(s.Remove(t.Context(), ann, weekly.ID))
	tick(w, s)
	w.wantSent(want...)
	if runs, err := s.Runs(t.Context(), ann, monthly.ID); err != nil || len(runs) != 0 {
		t.Errorf("got %+v, %v", runs, err)
	}
	if ids, err := s.Ledger.ReportsWithRuns(t.Context()); err != nil || len(ids) != 0 {
		t.Errorf("runs of removed reports are left: %v, %v", ids, err)
	}
}

// A process may die at every step, before or after the step takes effect. Afterwards, another one
// sends the report.
func TestRestartAtEveryStep(t *testing.T) {
	for _, lost := range []bool{false, true} {
		for step := 1; ; step++ {
			w := newWorld(t)
			r := w.report(w.service(), "0 8 * * 1")
			w.now = time.Date(2026, 3, 2, 7, 0, 5, 0, time.UTC)
			w.entries.writes, w.entries.at, w.entries.lost = 0, step, lost
			tick(w, w.service())
			if w.entries.writes < step {
				if step < 4 {
					t.Errorf("got %d steps, want claim, notification, record", step-1)
				}
				break
			}
			w.entries.at = 0
			w.now = w.now.Add(2 * claimTimeout)
			tick(w, w.service())
			w.wantSent(fmt.Sprintf("report.%d.2026-03-02T0700Z", r.ID))
			runs, err := w.service().Runs(t.Context(), ann, r.ID)
			if err != nil || len(runs) != 1 || len(runs[0].Sends) != 1 || !runs[0].Sends[0].Handed || runs[0].Late {
				t.Errorf("lost %v, step %d: got %+v, %v", lost, step, runs, err)
			}
			tick(w, w.service())
			for key, n := range w.sent {
				if n > 2 {
					t.Errorf("lost %v, step %d: %s was handed over %d times", lost, step, key, n)
				}
			}
		}
	}
}

// Two processes at once: each time is sent once.
func TestTwoProcesses(t *testing.T) {
	w := newWorld(t)
	a, b := w.service(), w.service()
	r := w.report(a, "0 * * * *")
	var want []string
	for range 50 {
		w.now = w.now.Add(time.Hour)
		want = append(want, fmt.Sprintf("report.%d.%s", r.ID, ledger.PeriodOf(w.now)))
		done := make(chan bool)
		for _, s := range []*Service{a, b} {
			go func() { tick(w, s); done <- true }()
		}
		<-done
		<-done
	}
	w.wantSent(want...)
	for key, n := range w.sent {
		if n != 1 {
			t.Errorf("%s was handed over %d times", key, n)
		}
	}
}

func TestRunsKeepFromExpiring(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	r := w.report(s, "0 8 1 * *")
	w.now = time.Date(2026, 4, 1, 8, 0, 0, 0, time.UTC)
	tick(w, s)
	for range 90 {
		w.now = w.now.AddDate(0, 0, 1)
		tick(w, s)
		runs, err := s.Runs(t.Context(), ann, r.ID)
		w.check(err)
		for _, run := range runs {
			if w.now.Sub(run.Written) >= ledger.Retention-24*time.Hour {
				t.Fatalf("run %s was written %v ago", run.Period(), w.now.Sub(run.Written))
			}
		}
	}
	if runs, err := s.Runs(t.Context(), ann, r.ID); err != nil || len(runs) != 3 {
		t.Errorf("got %d runs, %v, want 3", len(runs), err)
	}
}

func TestSend(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	r := w.report(s, "0 8 * * 1")
	f := func(period ledger.Period, want string) {
		t.Helper()
		_, err := s.Send(t.Context(), ann, r.ID, period)
		if err == nil && want != "" || err != nil && err.Error() != want {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	key := func(text string) string { return fmt.Sprintf("report.%d.%s", r.ID, text) }
	if last, err := s.lastRuns(t.Context())(r.ID); last != nil || err != nil {
		t.Errorf("got last run %+v, %v, want none", last, err)
	}
	f("2026-03-02T0700Z", fmt.Sprintf("Report %d has no run for '2026-03-02T0700Z'", r.ID))
	f("x.>", "Invalid request body: period 'x.>' is not the period of a run")
	f("", "")
	w.wantSent(key("2026-03-01T1200Z"))
	w.now = w.now.Add(10 * time.Second)
	f("", "") // in the same minute
	w.now = time.Date(2026, 3, 2, 7, 0, 5, 0, time.UTC)
	tick(w, s)
	f("2026-03-02T0700Z", "")
	f("2026-03-02T0700Z", "")
	all := []string{key("2026-03-01T1200Z"), key("2026-03-01T1200Z.2"), key("2026-03-02T0700Z"), key("2026-03-02T0700Z.2"), key("2026-03-02T0700Z.3")}
	w.wantSent(all...)
	tick(w, s)
	w.wantSent(all...)

	// A request is not lost if the process dies before it hands it over.
	w.now = w.now.Add(time.Hour)
	w.entries.writes, w.entries.at = 0, 2
	f("2026-03-02T0700Z", "")
	w.entries.at = 0
	w.wantSent(all...)
	w.now = w.now.Add(sweepEvery)
	tick(w, s)
	all = append(all, key("2026-03-02T0700Z.4"))
	w.wantSent(all...)
	for range maxSends - 4 {
		f("2026-03-02T0700Z", "")
	}
	f("2026-03-02T0700Z", "The report was sent 20 times for this period, which is the maximum")

	runs, err := s.Runs(t.Context(), ann, r.ID)
	if err != nil || len(runs) != 2 || len(runs[0].Sends) != maxSends || runs[0].Sends[0].By != "" || runs[0].Sends[1].By != "ann" || len(runs[1].Sends) != 2 {
		t.Errorf("got %+v, %v", runs, err)
	}
}

func TestRemovals(t *testing.T) {
	w := newWorld(t)
	s := w.service()
	lone, both, silent := w.report(s, "0 8 * * *"), w.report(s, "0 8 * * *"), w.report(s, "0 8 * * *")
	_, err := s.Edit(t.Context(), ann, both.ID, Changes{Dashboards: &[]earshot.DashboardID{30}})
	w.check(err)
	_, err = s.Edit(t.Context(), ann, silent.ID, Changes{Channels: &[]earshot.ChannelID{}, Monitors: &[]earshot.MonitorID{11}})
	w.check(err)
	_, err = w.catalog.Monitors.Update(t.Context(), 10, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	w.check(err)
	w.now = time.Date(2026, 3, 2, 7, 0, 5, 0, time.UTC)
	tick(w, s)
	w.wantSent(fmt.Sprintf("report.%d.2026-03-02T0700Z", both.ID))
	wantError := func(r *earshot.ScheduledReport, want string) {
		t.Helper()
		runs, err := s.Runs(t.Context(), ann, r.ID)
		if err != nil || len(runs) != 1 || runs[0].Error != want {
			t.Errorf("got %+v, %v, want %q", runs, err, want)
		}
	}
	wantError(lone, "All monitors and dashboards of the report were removed")
	wantError(silent, "The report has no channels to send it to")
	wantError(both, "")
	if _, err := s.Send(t.Context(), ann, lone.ID, ""); !earshot.IsKind(err, earshot.Unprocessable) {
		t.Errorf("got %v", err)
	}

	// Results of deliveries, also of a channel that was removed.
	_, err = s.Edit(t.Context(), ann, both.ID, Changes{Channels: &[]earshot.ChannelID{mail, chat}})
	w.check(err)
	w.now = w.now.AddDate(0, 0, 1)
	tick(w, s)
	key := fmt.Sprintf("report.%d.2026-03-03T0700Z", both.ID)
	wantResults := func(want ...string) {
		t.Helper()
		runs, err := s.Runs(t.Context(), ann, both.ID)
		w.check(err)
		last, err := s.lastRuns(t.Context())(both.ID)
		if err != nil || last == nil || !reflect.DeepEqual(last, runs[0]) {
			t.Errorf("got last run %+v, %v, want %+v", last, err, runs[0])
		}
		var got []string
		for _, r := range runs[0].Sends[0].Results {
			got = append(got, fmt.Sprintf("%d %s %s", r.Channel, r.State, r.Error))
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	w.check(w.catalog.Deliveries.Add(t.Context(), 1, &earshot.Delivery{ID: 1, Channel: mail, Key: key, State: earshot.DeliveryWaiting}))
	wantResults()
	_, err = w.catalog.Deliveries.Update(t.Context(), 1, func(d *earshot.Delivery) error { d.State, d.Finished = earshot.DeliverySent, w.now; return nil })
	w.check(err)
	w.check(w.catalog.Channels.Remove(t.Context(), chat))
	want := []string{"20 sent ", "21 failed The channel was removed"}
	wantResults(want...)
	tick(w, s) // records them
	w.check(w.catalog.Deliveries.Remove(t.Context(), 1))
	wantResults(want...)
}
