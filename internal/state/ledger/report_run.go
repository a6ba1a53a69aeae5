package ledger

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// A ReportRun is a scheduled report for one of its times, and to whom it was sent. Whoever creates
// the run for a time sends the report.
type ReportRun struct {
	Report earshot.ReportID
	Time   time.Time // when the report was due, or when a person requested it
	Late   bool      // it was sent later, because Earshot was not running
	Error  string    // why it was not sent; empty if it was
	Sends  []ReportSend

	Exported []earshot.MonitorID `json:",omitempty"` // monitors whose audit says that the report contains microblog posts

	Written time.Time // the last time; the ledger drops what is older than Retention
}

// A ReportSend is one time that a run was sent to channels.
type ReportSend struct {
	Time     time.Time
	By       string // empty: the schedule
	Channels []earshot.ChannelID
	Handed   bool           // over for delivery
	Results  []ReportResult // of channels whose delivery has ended
}

// A ReportResult is how the delivery of a report to a channel has ended.
type ReportResult struct {
	Channel earshot.ChannelID
	State   earshot.DeliveryState
	Time    time.Time
	Error   string
}

// A Period names the time of a report run: its minute in UTC, for example 2026-11-16T0700Z.
type Period string

const periodFormat = "2006-01-02T1504Z"

// PeriodOf returns the period of a time.
func PeriodOf(t time.Time) Period { return Period(t.UTC().Format(periodFormat)) }

// Time returns the time of a period. It reports whether the period is valid.
func (p Period) Time() (time.Time, bool) {
	t, err := time.Parse(periodFormat, string(p))
	return t, err == nil && PeriodOf(t) == p
}

// Period returns the period of the run.
func (r *ReportRun) Period() Period { return PeriodOf(r.Time) }

// runKind is the kind of the keys of report runs: report.7.2026-11-16T0700Z.
const runKind = "report"

// A runKey names a report run.
type runKey struct {
	report earshot.ReportID
	period Period
}

func (k runKey) String() string {
	return runKind + "." + strconv.FormatInt(int64(k.report), 10) + "." + string(k.period)
}

// parseRunKey parses the result of String.
func parseRunKey(s string) (runKey, error) {
	parts := strings.Split(s, ".")
	if len(parts) == 3 {
		id, err := strconv.ParseInt(parts[1], 10, 64)
		k := runKey{earshot.ReportID(id), Period(parts[2])}
		if _, ok := k.period.Time(); ok && err == nil && k.String() == s {
			return k, nil
		}
	}
	return runKey{}, fmt.Errorf("ledger: invalid key %q", s)
}

// encodeRun returns the stored form of a run. Decoding it returns an equal run with times in UTC.
func encodeRun(r *ReportRun) ([]byte, error) {
	stored := *r
	stored.Time, stored.Written = r.Time.UTC(), r.Written.UTC()
	stored.Sends = slices.Clone(r.Sends)
	for i := range stored.Sends {
		send := &stored.Sends[i]
		send.Time, send.Results = send.Time.UTC(), slices.Clone(send.Results)
		for k := range send.Results {
			send.Results[k].Time = send.Results[k].Time.UTC()
		}
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("encode run of report %d: %w", r.Report, err)
	}
	return value, nil
}

// decodeRun decodes the result of encodeRun.
func decodeRun(k runKey, value []byte) (*ReportRun, error) {
	var r ReportRun
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, fmt.Errorf("%s: decode report run: %w", k, err)
	}
	if r.Report != k.report || r.Period() != k.period {
		return nil, fmt.Errorf("ledger: %s contains run %s of report %d", k, r.Period(), r.Report)
	}
	return &r, nil
}

// FindRun returns a run and its revision, or ErrNotFound.
func (l *Ledger) FindRun(ctx context.Context, report earshot.ReportID, p Period) (*ReportRun, uint64, error) {
	k := runKey{report, p}
	e, err := l.store.Get(ctx, k.String())
	if err != nil {
		return nil, 0, err
	}
	r, err := decodeRun(k, e.Value)
	return r, e.Revision, err
}

// PutRun writes a run if it still has the given revision, and returns the new revision. Revision 0
// means that it must not exist yet. Otherwise PutRun returns ErrConflict. Once PutRun returns, the run
// survives a crash.
func (l *Ledger) PutRun(ctx context.Context, r *ReportRun, revision uint64) (uint64, error) {
	value, err := encodeRun(r)
	if err != nil {
		return 0, err
	}
	return l.store.Put(ctx, runKey{r.Report, r.Period()}.String(), value, revision)
}

// RemoveRun removes a run. A repeat is harmless.
func (l *Ledger) RemoveRun(ctx context.Context, report earshot.ReportID, p Period) error {
	return l.store.Purge(ctx, runKey{report, p}.String())
}

// Runs returns the runs of a report, newest first.
func (l *Ledger) Runs(ctx context.Context, report earshot.ReportID) ([]*ReportRun, error) {
	keys, err := l.runKeys(ctx, strconv.FormatInt(int64(report), 10))
	if err != nil {
		return nil, err
	}
	var list []*ReportRun
	for _, k := range keys {
		r, _, err := l.FindRun(ctx, k.report, k.period)
		if errors.Is(err, ErrNotFound) {
			continue // expired in the meantime
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *ReportRun) int { return b.Time.Compare(a.Time) })
	return list, nil
}

// LastRun returns the newest run of a report, or ErrNotFound.
func (l *Ledger) LastRun(ctx context.Context, report earshot.ReportID) (*ReportRun, error) {
	keys, err := l.runKeys(ctx, strconv.FormatInt(int64(report), 10))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(keys, func(a, b runKey) int { return cmp.Compare(b.period, a.period) }) // periods are ordered as their times
	for _, k := range keys {
		r, _, err := l.FindRun(ctx, k.report, k.period)
		if !errors.Is(err, ErrNotFound) { // expired in the meantime
			return r, err
		}
	}
	return nil, ErrNotFound
}

// ReportsWithRuns returns the reports that have runs, ascending.
func (l *Ledger) ReportsWithRuns(ctx context.Context) ([]earshot.ReportID, error) {
	keys, err := l.runKeys(ctx, "*")
	var ids []earshot.ReportID
	for _, k := range keys {
		ids = append(ids, k.report)
	}
	slices.SortFunc(ids, cmp.Compare)
	return slices.Compact(ids), err
}

// runKeys returns the keys of the runs of a report, or of all for "*", in byte order. It skips invalid
// keys.
func (l *Ledger) runKeys(ctx context.Context, report string) ([]runKey, error) {
	names, err := l.store.Keys(ctx, runKind+"."+report+".*")
	if err != nil {
		return nil, fmt.Errorf("list report runs: %w", err)
	}
	keys := make([]runKey, 0, len(names))
	for _, name := range names {
		if k, err := parseRunKey(name); err == nil {
			keys = append(keys, k)
		}
	}
	return keys, nil
}
