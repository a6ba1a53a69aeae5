package digest

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/ledger"
)

const (
	tickEvery    = 20 * time.Second
	sweepEvery   = 10 * time.Minute
	claimTimeout = time.Minute              // after which another process continues a run that was not handed over
	punctual     = 15 * time.Minute         // a run that starts later is marked as late
	maxLate      = 14 * 24 * time.Hour      // what is older is not worth sending; less than the ledger's retention
	rewriteAfter = ledger.Retention * 2 / 3 // so that the ledger does not drop runs that are kept

	maxDelivery = 7 * 24 * time.Hour // after which every delivery has ended

	keptRuns = 30 // of a report
	maxSends = 20 // of a run
)

// Run sends reports when they are due, until ctx ends. Several processes may run it at the same time.
func (s *Service) Run(ctx context.Context) {
	var runner runner
	for {
		runner.tick(ctx, s)
		if !sleep.For(ctx, tickEvery) {
			return
		}
	}
}

// A runner remembers what need not be looked at yet. It is empty after a restart.
type runner struct {
	plans map[earshot.ReportID]plan
	swept time.Time
}

// A plan is when a version of a report is due next.
type plan struct {
	edits int64
	next  time.Time
}

// tick sends the reports that are due.
func (r *runner) tick(ctx context.Context, s *Service) {
	if now := s.Now(); now.Sub(r.swept) >= sweepEvery || now.Before(r.swept) {
		if err := s.guard(func() error { return s.sweep(ctx) }); err != nil {
			s.logError(ctx, "cannot maintain the runs of reports; will retry", "error", err)
		} else {
			r.swept = now
		}
	}
	plans := map[earshot.ReportID]plan{}
	for _, report := range s.Catalog.Reports.List() {
		if report.Disabled {
			continue
		}
		p, known := r.plans[report.ID]
		if !known || p.edits != report.Edits || !s.Now().Before(p.next) {
			var next time.Time
			err := s.guard(func() (err error) {
				next, err = s.runDue(ctx, report)
				return err
			})
			if errors.Is(err, errClaimed) {
				continue
			}
			if err != nil {
				s.logError(ctx, "cannot send a report; will retry", "report", report.ID, "error", err)
				continue
			}
			p = plan{report.Edits, next}
		}
		plans[report.ID] = p
	}
	r.plans = plans
}

// guard calls do and turns a panic into an error, so that what is wrong with one report neither keeps
// the others from being sent nor ends the process.
func (s *Service) guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			s.Log.Error("panic while sending reports", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(p), "\n")
			err = fmt.Errorf("panic: %s", reason)
		}
	}()
	return do()
}

func (s *Service) logError(ctx context.Context, message string, args ...any) {
	if ctx.Err() == nil {
		s.Log.Error(message, args...)
	}
}

// errClaimed means that another process is sending the report.
var errClaimed = errors.New("claimed by another process")

// runDue sends a report if it was due and has not been sent for that time. It returns when it is due
// next; the zero time means never.
func (s *Service) runDue(ctx context.Context, r *earshot.ScheduledReport) (next time.Time, err error) {
	schedule, err := ParseSchedule(r.Cron, r.Timezone)
	if err != nil {
		return time.Time{}, err
	}
	now := s.now()
	if next = schedule.Next(now); next.IsZero() {
		next = now.AddDate(1, 0, 0)
	}
	due := schedule.Previous(now)
	if !due.After(r.Since) || now.Sub(due) > maxLate {
		return next, nil
	}
	run, revision, err := s.Ledger.FindRun(ctx, r.ID, ledger.PeriodOf(due))
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		run = &ledger.ReportRun{Report: r.ID, Time: due, Late: now.Sub(due) > punctual, Written: now}
		if run.Error = s.obstacle(r); run.Error == "" {
			run.Sends = []ledger.ReportSend{{Time: now, Channels: s.channelIDs(r)}}
		}
		revision, err = s.Ledger.PutRun(ctx, run, 0)
		if errors.Is(err, ledger.ErrConflict) {
			return next, errClaimed
		}
		if err != nil {
			return next, err
		}
	case err != nil:
		return next, err
	case slices.ContainsFunc(run.Sends, func(send ledger.ReportSend) bool { return !send.Handed && now.Sub(send.Time) < claimTimeout }):
		return next, errClaimed
	}
	return next, s.handOver(ctx, r, run, revision)
}

// obstacle returns why a report cannot be sent, or "".
func (s *Service) obstacle(r *earshot.ScheduledReport) string {
	if len(s.channelIDs(r)) == 0 {
		return "The report has no channels to send it to"
	}
	if isEmpty(s.Catalog, r) {
		return "All monitors and dashboards of the report were removed"
	}
	return ""
}

// isEmpty reports whether all monitors and dashboards of a report without cards were removed.
func isEmpty(c *catalog.Catalog, r *earshot.ScheduledReport) bool {
	return len(r.Cards) == 0 && !slices.ContainsFunc(r.Monitors, func(id earshot.MonitorID) bool {
		m, ok := c.FindMonitor(id)
		return ok && m.Team == r.Team
	}) && !slices.ContainsFunc(r.Dashboards, func(id earshot.DashboardID) bool {
		d, ok := c.Dashboards.Find(id)
		return ok && d.Team == r.Team
	})
}

func (s *Service) channelIDs(r *earshot.ScheduledReport) (ids []earshot.ChannelID) {
	for _, ch := range s.Channels(r) {
		ids = append(ids, ch.ID)
	}
	return ids
}

// handOver hands the sends of a run over for delivery, unless that was done, and records it. Handing
// over again has no effect, so a crash in between is harmless.
func (s *Service) handOver(ctx context.Context, r *earshot.ScheduledReport, run *ledger.ReportRun, revision uint64) error {
	handed := 0
	for i := range run.Sends {
		if send := &run.Sends[i]; !send.Handed {
			if err := s.Notify(ctx, notification(r, run, i)); err != nil {
				return fmt.Errorf("hand over for delivery: %w", err)
			}
			send.Handed = true
			handed++
		}
	}
	if handed == 0 {
		return nil
	}
	run.Written = s.now()
	_, err := s.Ledger.PutRun(ctx, run, revision)
	if errors.Is(err, ledger.ErrConflict) {
		return errClaimed // someone has requested it again; the next tick records both
	}
	return err
}

func notification(r *earshot.ScheduledReport, run *ledger.ReportRun, send int) earshot.Notification {
	key := sendKey(run, send)
	return earshot.Notification{
		Key: key, Team: r.Team, Channels: run.Sends[send].Channels,
		Message: earshot.Message{
			Event: "report.ready", Severity: earshot.Info, Title: r.Name, Path: reportsPath, Thread: key,
			Report: r.ID, Period: string(run.Period()),
		},
	}
}

// reportsPath is the page of the web app with the reports.
const reportsPath = "/signals/reports"

// reportKey is the start of the keys of notifications of reports.
const reportKey = "report."

// sendKey returns the key of the notification of a send: report.7.2026-11-16T0700Z for the first, and
// with a number for those that people request later.
func sendKey(run *ledger.ReportRun, send int) string {
	key := fmt.Sprintf(reportKey+"%d.%s", run.Report, run.Period())
	if send > 0 {
		key += fmt.Sprintf(".%d", send+1)
	}
	return key
}

// Send sends a report to its channels on behalf of c: for a period of one of its runs again, or for
// now if period is empty. It returns the run.
func (s *Service) Send(ctx context.Context, c *earshot.Caller, id earshot.ReportID, period ledger.Period) (*ledger.ReportRun, error) {
	r, err := s.Find(c, id)
	if err != nil {
		return nil, err
	}
	if reason := s.obstacle(r); reason != "" {
		return nil, earshot.Errorf(earshot.Unprocessable, "%s", reason)
	}
	again := period != ""
	if _, ok := period.Time(); again && !ok {
		return nil, earshot.InvalidBody("period '%s' is not the period of a run", earshot.Clip(string(period), 50))
	}
	if !again {
		period = ledger.PeriodOf(s.now())
	}
	for range maxTries {
		run, err := s.addSend(ctx, r, c.Name, period, again)
		if !errors.Is(err, ledger.ErrConflict) {
			return run, err
		}
	}
	return nil, &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}
}

// maxTries bounds the attempts of a write against competing writers.
const maxTries = 100

func (s *Service) addSend(ctx context.Context, r *earshot.ScheduledReport, by string, period ledger.Period, again bool) (*ledger.ReportRun, error) {
	now := s.now()
	run, revision, err := s.Ledger.FindRun(ctx, r.ID, period)
	switch {
	case errors.Is(err, ledger.ErrNotFound) && again:
		return nil, earshot.Errorf(earshot.NotFound, "Report %d has no run for '%s'", r.ID, earshot.Clip(string(period), 50))
	case errors.Is(err, ledger.ErrNotFound):
		run = &ledger.ReportRun{Report: r.ID, Time: now.Truncate(time.Minute)}
	case err != nil:
		return nil, err
	case len(run.Sends) >= maxSends:
		return nil, earshot.Errorf(earshot.Invalid, "The report was sent %d times for this period, which is the maximum", len(run.Sends))
	}
	run.Error, run.Written = "", now
	run.Sends = append(run.Sends, ledger.ReportSend{Time: now, By: by, Channels: s.channelIDs(r)})
	if revision, err = s.Ledger.PutRun(ctx, run, revision); err != nil {
		return nil, err
	}
	if err := s.handOver(ctx, r, run, revision); err != nil && !errors.Is(err, errClaimed) {
		s.logError(ctx, "cannot send a report; will retry", "report", r.ID, "error", err) // the next sweep does
	}
	return run, nil
}

// Runs returns the runs of a report, newest first, with the results of their deliveries so far.
func (s *Service) Runs(ctx context.Context, c *earshot.Caller, id earshot.ReportID) ([]*ledger.ReportRun, error) {
	if _, err := s.Find(c, id); err != nil {
		return nil, err
	}
	runs, err := s.Ledger.Runs(ctx, id)
	runs = runs[:min(len(runs), keptRuns)]
	deliveries := s.deliveries()
	for _, run := range runs {
		s.settle(run, deliveries)
	}
	return runs, err
}

// lastRuns returns a function that returns the last run of a report, with the results of its deliveries
// so far, or nil if there is none. It is for many reports at once, and does not check who may see them.
func (s *Service) lastRuns(ctx context.Context) func(earshot.ReportID) (*ledger.ReportRun, error) {
	deliveries := s.deliveries()
	return func(id earshot.ReportID) (*ledger.ReportRun, error) {
		run, err := s.Ledger.LastRun(ctx, id)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		s.settle(run, deliveries)
		return run, nil
	}
}

// A deliveryKey names a delivery: the key of its notification, and its channel.
type deliveryKey struct {
	key     string
	channel earshot.ChannelID
}

// deliveries returns the deliveries of reports that are still known.
func (s *Service) deliveries() map[deliveryKey]*earshot.Delivery {
	found := map[deliveryKey]*earshot.Delivery{}
	for _, d := range s.Catalog.Deliveries.List() {
		if strings.HasPrefix(d.Key, reportKey) {
			found[deliveryKey{d.Key, d.Channel}] = d
		}
	}
	return found
}

// settle adds the results of deliveries that have ended, and reports whether it has added any.
func (s *Service) settle(run *ledger.ReportRun, deliveries map[deliveryKey]*earshot.Delivery) (changed bool) {
	for i := range run.Sends {
		send := &run.Sends[i]
		for _, id := range send.Channels {
			if slices.ContainsFunc(send.Results, func(r ledger.ReportResult) bool { return r.Channel == id }) {
				continue
			}
			if result, ok := s.result(deliveries[deliveryKey{sendKey(run, i), id}], id, send); ok {
				send.Results = append(send.Results, result)
				changed = true
			}
		}
	}
	return changed
}

// result returns how the delivery to a channel has ended, if it has. d is nil if the delivery is not
// known, or no longer.
func (s *Service) result(d *earshot.Delivery, id earshot.ChannelID, send *ledger.ReportSend) (ledger.ReportResult, bool) {
	if d != nil {
		if d.State == earshot.DeliveryWaiting || d.State == earshot.DeliverySending {
			return ledger.ReportResult{}, false
		}
		return ledger.ReportResult{Channel: id, State: d.State, Time: d.Finished, Error: d.Error}, true
	}
	if !send.Handed {
		return ledger.ReportResult{}, false
	}
	failed := func(reason string) (ledger.ReportResult, bool) {
		return ledger.ReportResult{Channel: id, State: earshot.DeliveryFailed, Time: s.now(), Error: reason}, true
	}
	switch ch, ok := s.Catalog.Channels.Find(id); {
	case !ok:
		return failed("The channel was removed")
	case !ch.Disabled.IsZero() && ch.Disabled.Before(send.Time.Add(claimTimeout)):
		return failed("The channel was disabled")
	case s.now().Sub(send.Time) > maxDelivery:
		return failed("Nothing is known about the delivery")
	}
	return ledger.ReportResult{}, false
}

// sweep records how deliveries have ended, hands over what a process that died left behind, keeps the
// last runs of each report from expiring, and removes the others.
func (s *Service) sweep(ctx context.Context) error {
	ids, err := s.Ledger.ReportsWithRuns(ctx)
	if err != nil {
		return err
	}
	deliveries := s.deliveries()
	for _, id := range ids {
		runs, err := s.Ledger.Runs(ctx, id)
		if err != nil {
			return err
		}
		r, exists := s.Catalog.Reports.Find(id)
		for i, run := range runs {
			switch {
			case !exists && !s.Catalog.Reports.Complete(): // it may exist
			case !exists || i >= keptRuns:
				err = s.Ledger.RemoveRun(ctx, id, run.Period())
			case s.isStale(run):
				err = s.refresh(ctx, r, run.Period(), deliveries)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// isStale reports whether a run may have to be refreshed.
func (s *Service) isStale(run *ledger.ReportRun) bool {
	return s.now().Sub(run.Written) >= rewriteAfter || slices.ContainsFunc(run.Sends, func(send ledger.ReportSend) bool {
		return !send.Handed || len(send.Results) < len(send.Channels)
	})
}

// refresh brings a run up to date.
func (s *Service) refresh(ctx context.Context, r *earshot.ScheduledReport, period ledger.Period, deliveries map[deliveryKey]*earshot.Delivery) error {
	run, revision, err := s.Ledger.FindRun(ctx, r.ID, period)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	now, handed := s.now(), false
	for i := range run.Sends {
		send := &run.Sends[i]
		if send.Handed || now.Sub(send.Time) < claimTimeout {
			continue
		}
		if err := s.Notify(ctx, notification(r, run, i)); err != nil {
			return fmt.Errorf("hand over for delivery: %w", err)
		}
		send.Handed, handed = true, true
	}
	if !handed && !s.settle(run, deliveries) && now.Sub(run.Written) < rewriteAfter { // deliveries does not know what was just handed over
		return nil
	}
	run.Written = now
	if _, err = s.Ledger.PutRun(ctx, run, revision); errors.Is(err, ledger.ErrConflict) {
		return nil // until the next time
	}
	return err
}
