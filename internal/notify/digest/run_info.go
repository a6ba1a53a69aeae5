package digest

import (
	"slices"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/state/ledger"
)

// A RunInfo is a report for one of its times.
type RunInfo struct {
	Period string       `json:"period"`
	Time   time.Time    `json:"time"` // when it was due, or requested
	Start  earshot.Date `json:"start"`
	End    earshot.Date `json:"end"`  // exclusive
	Late   bool         `json:"late"` // Earshot was not running when it was due
	State  SendState    `json:"state"`
	Error  string       `json:"error"` // why it was not sent
	Sends  []SendInfo   `json:"sends"` // newest first
}

// A SendInfo is one time that a run was sent.
type SendInfo struct {
	Time     time.Time       `json:"time"`
	By       string          `json:"by"` // empty: the schedule
	Channels []ChannelResult `json:"channels"`
}

// A ChannelResult is the outcome of sending a report to a channel.
type ChannelResult struct {
	ID       earshot.ChannelID `json:"id"`
	Name     string            `json:"name"` // empty: removed
	State    SendState         `json:"state"`
	Error    string            `json:"error"`
	Finished time.Time         `json:"finished,omitzero"`
}

// A SendState is the outcome of sending a report.
type SendState string

const (
	sendQueued SendState = "queued"
	sendDone   SendState = "sent"
	sendFailed SendState = "failed"
)

// DescribeRun returns a run as JSON. Its state is that of the last send: failed if one of its channels has
// failed, and queued while one still waits.
func (s *Service) DescribeRun(r *earshot.ScheduledReport, run *ledger.ReportRun) RunInfo {
	days := daysOf(r, run.Time)
	shown := RunInfo{Period: string(run.Period()), Time: run.Time, Start: days.Start, End: days.End, Late: run.Late, Error: run.Error, State: sendFailed, Sends: []SendInfo{}}
	for i, send := range slices.Backward(run.Sends) {
		info := SendInfo{Time: send.Time, By: send.By, Channels: jsonvalue.Map(send.Channels, func(id earshot.ChannelID) ChannelResult { return s.channelResult(id, send.Results) })}
		shown.Sends = append(shown.Sends, info)
		if i == len(run.Sends)-1 {
			shown.State = stateOf(info.Channels)
		}
	}
	return shown
}

func stateOf(channels []ChannelResult) SendState {
	state := sendDone
	for _, ch := range channels {
		if ch.State == sendQueued || ch.State == sendFailed && state == sendDone {
			state = ch.State
		}
	}
	return state
}

func (s *Service) channelResult(id earshot.ChannelID, results []ledger.ReportResult) ChannelResult {
	shown := ChannelResult{ID: id, State: sendQueued}
	if ch, ok := s.Catalog.Channels.Find(id); ok {
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
