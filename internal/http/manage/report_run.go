package manage

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/card"
	"earshot/internal/jsonvalue"
	"earshot/internal/state/ledger"
)

// A reportRun is a report for one of its times.
type reportRun struct {
	Period string       `json:"period"`
	Time   time.Time    `json:"time"` // when it was due, or requested
	Start  earshot.Date `json:"start"`
	End    earshot.Date `json:"end"`  // exclusive
	Late   bool         `json:"late"` // Earshot was not running when it was due
	State  sendState    `json:"state"`
	Error  string       `json:"error"` // why it was not sent
	Sends  []reportSend `json:"sends"` // newest first
}

// A reportSend is one time that a run was sent.
type reportSend struct {
	Time     time.Time       `json:"time"`
	By       string          `json:"by"` // empty: the schedule
	Channels []channelResult `json:"channels"`
}

// A channelResult is what happened to a report at a channel.
type channelResult struct {
	ID       earshot.ChannelID `json:"id"`
	Name     string            `json:"name"` // empty: removed
	State    sendState         `json:"state"`
	Error    string            `json:"error"`
	Finished time.Time         `json:"finished,omitzero"`
}

// A sendState is what happened to a report.
type sendState string

const (
	sendQueued sendState = "queued"
	sendDone   sendState = "sent"
	sendFailed sendState = "failed"
)

// newReportRun returns a run. Its state is that of the last send: failed if one of its channels has
// failed, and queued while one still waits.
func (a *API) newReportRun(r *earshot.ScheduledReport, run *ledger.ReportRun) reportRun {
	days := reportDays(r, run.Time)
	shown := reportRun{Period: string(run.Period()), Time: run.Time, Start: days.Start, End: days.End, Late: run.Late, Error: run.Error, State: sendFailed, Sends: []reportSend{}}
	for i, send := range slices.Backward(run.Sends) {
		s := reportSend{Time: send.Time, By: send.By, Channels: jsonvalue.Map(send.Channels, func(id earshot.ChannelID) channelResult { return a.newChannelResult(id, send.Results) })}
		shown.Sends = append(shown.Sends, s)
		if i == len(run.Sends)-1 {
			shown.State = stateOf(s.Channels)
		}
	}
	return shown
}

func stateOf(channels []channelResult) sendState {
	state := sendDone
	for _, ch := range channels {
		if ch.State == sendQueued || ch.State == sendFailed && state == sendDone {
			state = ch.State
		}
	}
	return state
}

func (a *API) newChannelResult(id earshot.ChannelID, results []ledger.ReportResult) channelResult {
	shown := channelResult{ID: id, State: sendQueued}
	if ch, ok := a.Digest.Catalog.Channels.Find(id); ok {
		shown.Name = ch.Name
	}
	if i := slices.IndexFunc(results, func(r ledger.ReportResult) bool { return r.Channel == id }); i >= 0 {
		r := results[i]
		shown.Error, shown.Finished, shown.State = r.Error, r.Time, sendDone
		if r.State == earshot.DeliveryFailed || r.State == earshot.DeliveryInterrupted {
			shown.State = sendFailed
		}
	}
	return shown
}

// reportDays returns the days that a report covers at a time.
func reportDays(r *earshot.ScheduledReport, at time.Time) earshot.Days {
	zone, err := earshot.Zone(r.Timezone)
	if err != nil { // written by another version
		zone = time.UTC
	}
	return card.RollingRange(r.Range).Days(earshot.DateOf(at.In(zone)))
}

// listReportRuns serves GET /manage/v1/reports/{id}/runs. The newest run is first. All of them fit on a
// page.
func (a *API) listReportRuns(ctx context.Context, c *earshot.Caller, p reportPath) (page[reportRun], error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return page[reportRun]{}, err
	}
	runs, err := a.Digest.Runs(ctx, c, p.ID)
	return page[reportRun]{Items: jsonvalue.Map(runs, func(run *ledger.ReportRun) reportRun { return a.newReportRun(r, run) })}, err
}

// sendReport serves POST /manage/v1/reports/{id}/send: sends the report of a period again, or that of
// now.
func (a *API) sendReport(ctx context.Context, c *earshot.Caller, p struct {
	reportPath
	Body struct {
		Period string `json:"period"` // of a run; empty: now
	} `body:"json"`
}) (reportRun, error) {
	r, err := a.Digest.Find(c, p.ID)
	if err != nil {
		return reportRun{}, err
	}
	run, err := a.Digest.Send(ctx, c, p.ID, ledger.Period(p.Body.Period))
	if err != nil {
		return reportRun{}, err
	}
	return a.newReportRun(r, run), nil
}
