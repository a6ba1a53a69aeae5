package manage

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/signal"
)

type signalPath = idPath[earshot.SignalID]

type signalParams struct {
	pageParams
	Team     earshot.TeamID    `query:"team"`
	Monitor  earshot.MonitorID `query:"monitor"` // or a filter
	Rule     earshot.RuleID    `query:"rule"`
	Kind     signalKinds       `query:"kind"`
	State    signalStateParam  `query:"state"`
	Severity severities        `query:"severity"`
	Assigned assignedParam     `query:"assigned"`
	Since    time.Time         `query:"since"`
	Until    time.Time         `query:"until"`
}

// signalKinds is a comma-separated list of kinds.
type signalKinds []earshot.SignalKind

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *signalKinds) UnmarshalText(text []byte) (err error) {
	*k, err = parseList(string(text), slices.Concat(earshot.UnusualKinds, []earshot.SignalKind{earshot.ThresholdSignal, earshot.PostSignal}))
	return err
}

// severities is a comma-separated list of severities.
type severities []earshot.Severity

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *severities) UnmarshalText(text []byte) (err error) {
	*s, err = parseList(string(text), earshot.Severities)
	return err
}

// parseList parses a comma-separated list of some values.
func parseList[T ~string](text string, values []T) ([]T, error) {
	var list []T
	for field := range strings.SplitSeq(text, ",") {
		v := T(strings.TrimSpace(field))
		if !slices.Contains(values, v) {
			return nil, errors.New("a comma-separated list of " + strings.Join(jsonvalue.Map(values, func(v T) string { return string(v) }), ", "))
		}
		list = append(list, v)
	}
	return list, nil
}

// A signalStateParam is a state, or open: firing and not acknowledged.
type signalStateParam string

const openSignals = "open"

// UnmarshalText implements [encoding.TextUnmarshaler].
func (s *signalStateParam) UnmarshalText(text []byte) error {
	*s = signalStateParam(text)
	switch earshot.SignalState(text) {
	case earshot.Firing, earshot.ResolvedSignal, openSignals:
		return nil
	}
	return errors.New("firing, resolved or open")
}

// An assignedParam is the ID of a user, or me.
type assignedParam struct {
	me bool
	id earshot.UserID
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *assignedParam) UnmarshalText(text []byte) error {
	if p.me = string(text) == "me"; p.me {
		return nil
	}
	id, err := strconv.ParseInt(string(text), 10, 64)
	if p.id = earshot.UserID(id); err != nil || id <= 0 {
		return errors.New("the ID of a user, or me")
	}
	return nil
}

func (p signalParams) query(c *earshot.Caller) signal.Query {
	q := signal.Query{Team: p.Team, Monitor: p.Monitor, Rule: p.Rule, Kind: p.Kind, Severity: p.Severity, Assignee: p.Assigned.id, Since: p.Since, Until: p.Until}
	if p.Assigned.me {
		q.Assignee = c.User
	}
	if q.Open = p.State == openSignals; !q.Open {
		q.State = earshot.SignalState(p.State)
	}
	return q
}

// listSignals serves GET /manage/v1/signals, newest first.
func (a *API) listSignals(_ context.Context, c *earshot.Caller, p signalParams) (page[signal.Info], error) {
	list, err := a.Signals.List(c, p.query(c))
	if err != nil {
		return page[signal.Info]{}, err
	}
	return paginate(p.pageParams, list, func(sig *earshot.Signal) int64 { return -int64(sig.ID) }, a.Signals.Describe(c.User))
}

// showSignal serves GET /manage/v1/signals/{id}.
func (a *API) showSignal(_ context.Context, c *earshot.Caller, p signalPath) (signal.Page, error) {
	return toResponse(a.Signals.Page(c.User))(a.Signals.Find(c, p.ID))
}

// editSignal serves PATCH /manage/v1/signals/{id}: acknowledge, assign, resolve, rate.
func (a *API) editSignal(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Body struct {
		Acknowledged *bool                `json:"acknowledged"`
		Assignee     *earshot.UserID      `json:"assignee"` // 0: none
		State        *earshot.SignalState `json:"state"`
		Useful       rest.Bool            `json:"useful"` // null: no opinion
	} `body:"json"`
}) (signal.Page, error) {
	b := p.Body
	ch := signal.Changes{Acknowledged: b.Acknowledged, Assignee: b.Assignee}
	if b.State != nil {
		if *b.State != earshot.Firing && *b.State != earshot.ResolvedSignal {
			return signal.Page{}, earshot.InvalidBody("state must be resolved")
		}
		resolved := *b.State == earshot.ResolvedSignal
		ch.Resolved = &resolved
	}
	if b.Useful.Presence != rest.Absent {
		rating := signal.NoRating
		switch {
		case b.Useful.Presence == rest.Null:
		case b.Useful.Value:
			rating = signal.Useful
		default:
			rating = signal.NotUseful
		}
		ch.Feedback = &rating
	}
	return toResponse(a.Signals.Page(c.User))(a.Signals.Edit(ctx, c, p.ID, ch))
}

// addSignalComment serves POST /manage/v1/signals/{id}/comments.
func (a *API) addSignalComment(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Body noteBody `body:"json"`
}) (rest.Created[signal.Page], error) {
	return toCreated(a.Signals.Page(c.User))(a.Signals.AddComment(ctx, c, p.ID, p.Body.Text))
}

// removeSignalComment serves DELETE /manage/v1/signals/{id}/comments/{comment}.
func (a *API) removeSignalComment(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Comment int64 `path:"comment"`
}) (signal.Page, error) {
	return toResponse(a.Signals.Page(c.User))(a.Signals.RemoveComment(ctx, c, p.ID, p.Comment))
}

// listSignalHours serves GET /manage/v1/signals/{id}/hours.
func (a *API) listSignalHours(ctx context.Context, c *earshot.Caller, p signalPath) (signal.ChartHours, error) {
	return a.Signals.Hours(ctx, c, p.ID)
}
