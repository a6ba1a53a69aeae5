package manage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/jsonvalue"
	"earshot/internal/notify/signal"
)

// A ruleInfo is a rule. ID is null for the defaults of a monitor without an unusual rule. Unusual is
// null unless the kind is unusual, and threshold unless the kind is threshold.
type ruleInfo struct {
	ID              *earshot.RuleID       `json:"id"`
	Team            earshot.TeamID        `json:"team"`
	Monitor         signal.MonitorName    `json:"monitor"`
	Name            string                `json:"name"`
	Kind            earshot.RuleKind      `json:"kind"`
	Filter          string                `json:"filter"`
	Unusual         *unusual              `json:"unusual"`
	Threshold       *threshold            `json:"threshold"`
	Severity        earshot.Severity      `json:"severity"`
	Channels        []earshot.ChannelID   `json:"channels"`
	Active          []hours               `json:"active"`
	Quiet           []hours               `json:"quiet"`
	CoolDownMinutes int                   `json:"coolDownMinutes"`
	MutedUntil      *time.Time            `json:"mutedUntil"` // null also if that time is over
	Enabled         bool                  `json:"enabled"`
	LastSignal      *lastSignal           `json:"lastSignal"`
	Signals         int                   `json:"signals"`
	Feedback        signal.FeedbackCounts `json:"feedback"`
	CreatedBy       string                `json:"createdBy"`
	Created         *time.Time            `json:"created"`
	EditedBy        string                `json:"editedBy"`
	Edited          *time.Time            `json:"edited"`
	Revision        int64                 `json:"revision"`
}

// unusual are the settings of a rule for unusual activity.
type unusual struct {
	FalseAlarms int                  `json:"falseAlarms"` // expected per year: 1, 12 or 52
	Kinds       []earshot.SignalKind `json:"kinds"`       // empty: all
	MinPosts    int                  `json:"minPosts"`
}

// threshold are the settings of a rule that compares a metric with a number.
type threshold struct {
	Metric      earshot.Metric `json:"metric"`
	Below       bool           `json:"below"`
	Value       float64        `json:"value"`
	WindowHours int            `json:"windowHours"`
	Of          string         `json:"of"`
	MinPosts    int            `json:"minPosts"`
}

// hours is a part of the week in the time zone of the monitor. It ends on the following day if to is
// not after from.
type hours struct {
	Days []weekday `json:"days"` // on which it starts; empty: every day
	From clock     `json:"from"`
	To   clock     `json:"to"` // exclusive
}

// A weekday is a day of the week: monday to sunday.
type weekday time.Weekday

// MarshalText implements [encoding.TextMarshaler].
func (d weekday) MarshalText() ([]byte, error) {
	return []byte(strings.ToLower(time.Weekday(d).String())), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (d *weekday) UnmarshalText(text []byte) error {
	for day := time.Sunday; day <= time.Saturday; day++ {
		if strings.EqualFold(string(text), day.String()) {
			*d = weekday(day)
			return nil
		}
	}
	return errors.New("a day of the week: monday to sunday")
}

// A clock is a time of day: 00:00 to 24:00.
type clock earshot.Clock

// MarshalText implements [encoding.TextMarshaler].
func (c clock) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "%02d:%02d", c/60, c%60), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler].
func (c *clock) UnmarshalText(text []byte) error {
	if string(text) == "24:00" {
		*c = 24 * 60
		return nil
	}
	t, err := time.Parse("15:04", string(text))
	if err != nil {
		return errors.New("a time of day like 08:00")
	}
	*c = clock(t.Hour()*60 + t.Minute())
	return nil
}

type lastSignal struct {
	ID     earshot.SignalID    `json:"id"`
	Title  string              `json:"title"`
	Raised time.Time           `json:"raised"`
	State  earshot.SignalState `json:"state"`
}

// newRules returns a function that renders rules with the last signal of each, and what people said
// about its signals.
func (a *API) newRules() func(*earshot.Rule) ruleInfo {
	last, feedback := a.Signals.LastSignals(), a.Signals.Feedback()
	return func(r *earshot.Rule) ruleInfo { return a.newRule(r, last[r.ID], feedback(r)) }
}

func (a *API) newRule(r *earshot.Rule, last *earshot.Signal, feedback signal.Feedback) ruleInfo {
	shown := ruleInfo{
		ID: jsonvalue.Optional(r.ID), Team: r.Team, Monitor: a.Signals.MonitorName(r.Monitor), Name: r.Name, Kind: r.Kind, Filter: r.Filter, Severity: r.Severity,
		Channels: r.Channels, Active: jsonvalue.Map(r.Active, newHours), Quiet: jsonvalue.Map(r.Quiet, newHours),
		CoolDownMinutes: int(r.CoolDown.Minutes()), Enabled: !r.Disabled,
		CreatedBy: r.CreatedBy, Created: jsonvalue.Optional(r.Created), EditedBy: r.EditedBy, Edited: jsonvalue.Optional(r.Edited), Revision: r.Edits,
	}
	if r.MutedUntil.After(a.Now()) {
		shown.MutedUntil = &r.MutedUntil
	}
	switch r.Kind {
	case earshot.UnusualRule:
		shown.Unusual = &unusual{r.Unusual.FalseAlarms, r.Unusual.Kinds, r.Unusual.MinPosts}
	case earshot.ThresholdRule:
		t := r.Threshold
		shown.Threshold = &threshold{t.Metric, t.Below, t.Value, int(t.Window.Hours()), t.Of, t.MinPosts}
	}
	shown.Signals, shown.Feedback = feedback.Signals, signal.FeedbackCounts{Useful: feedback.Useful, NotUseful: feedback.NotUseful}
	if last != nil {
		shown.LastSignal = &lastSignal{last.ID, last.Title, last.Raised, last.State}
	}
	return shown
}

func newHours(h earshot.Hours) hours {
	return hours{jsonvalue.Map(h.Days, func(d time.Weekday) weekday { return weekday(d) }), clock(h.From), clock(h.To)}
}

// ruleBody contains the fields of a rule that can be changed.
type ruleBody struct {
	Name            *string              `json:"name"`
	Filter          *string              `json:"filter"`
	Unusual         *unusual             `json:"unusual"`
	Threshold       *threshold           `json:"threshold"`
	Severity        *earshot.Severity    `json:"severity"`
	Channels        *[]earshot.ChannelID `json:"channels"`
	Active          *[]hours             `json:"active"`
	Quiet           *[]hours             `json:"quiet"`
	CoolDownMinutes *int                 `json:"coolDownMinutes"`
	MutedUntil      nullableTime         `json:"mutedUntil"` // null: not muted
	Enabled         *bool                `json:"enabled"`
	Revision        *int64               `json:"revision"` // the revision that the caller last saw; ignored for a new rule
}

// A nullableTime is a time that is missing, null or given.
type nullableTime struct {
	time  time.Time
	given bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *nullableTime) UnmarshalJSON(data []byte) error {
	t.given = true
	if string(data) == "null" {
		return nil
	}
	if err := t.time.UnmarshalJSON(data); err != nil {
		return errors.New("a time like 2026-03-10T14:00:00Z, or null")
	}
	return nil
}

func (b *ruleBody) changes() signal.RuleChanges {
	ch := signal.RuleChanges{Name: b.Name, Filter: b.Filter, Severity: b.Severity, Channels: b.Channels, Edits: b.Revision}
	if b.Unusual != nil {
		ch.Unusual = &earshot.Unusual{FalseAlarms: b.Unusual.FalseAlarms, Kinds: b.Unusual.Kinds, MinPosts: b.Unusual.MinPosts}
	}
	if t := b.Threshold; t != nil {
		ch.Threshold = &earshot.Threshold{Metric: t.Metric, Below: t.Below, Value: t.Value, Window: time.Duration(t.WindowHours) * time.Hour, Of: t.Of, MinPosts: t.MinPosts}
	}
	for _, part := range []struct {
		from *[]hours
		to   **[]earshot.Hours
	}{{b.Active, &ch.Active}, {b.Quiet, &ch.Quiet}} {
		if part.from != nil {
			list := jsonvalue.Map(*part.from, hours.parse)
			*part.to = &list
		}
	}
	if b.CoolDownMinutes != nil {
		coolDown := time.Duration(*b.CoolDownMinutes) * time.Minute
		ch.CoolDown = &coolDown
	}
	if b.MutedUntil.given {
		ch.MutedUntil = &b.MutedUntil.time
	}
	if b.Enabled != nil {
		disabled := !*b.Enabled
		ch.Disabled = &disabled
	}
	return ch
}

func (h hours) parse() earshot.Hours {
	return earshot.Hours{Days: jsonvalue.Map(h.Days, func(d weekday) time.Weekday { return time.Weekday(d) }), From: earshot.Clock(h.From), To: earshot.Clock(h.To)}
}

// newRuleBody is a rule that does not exist yet.
type newRuleBody struct {
	ruleBody
	Monitor earshot.MonitorID `json:"monitor"` // or a filter
	Kind    earshot.RuleKind  `json:"kind"`
}

func (b *newRuleBody) rule() (r earshot.Rule, err error) {
	if b.Monitor == 0 {
		return r, earshot.InvalidBody("monitor is missing")
	}
	r.Monitor, r.Kind = b.Monitor, b.Kind
	ch := b.changes()
	ch.Apply(&r)
	return r, nil
}

type rulePath = idPath[earshot.RuleID]

// ruleKind is a kind of rules.
type ruleKindParam earshot.RuleKind

// UnmarshalText implements [encoding.TextUnmarshaler].
func (k *ruleKindParam) UnmarshalText(text []byte) error {
	kinds := []string{string(earshot.UnusualRule), string(earshot.ThresholdRule), string(earshot.PostRule)}
	if !slices.Contains(kinds, string(text)) {
		return errors.New("one of " + strings.Join(kinds, ", "))
	}
	*k = ruleKindParam(text)
	return nil
}

// listRules serves GET /manage/v1/rules.
func (a *API) listRules(_ context.Context, c *earshot.Caller, p struct {
	pageParams
	Team    earshot.TeamID    `query:"team"`
	Monitor earshot.MonitorID `query:"monitor"` // or a filter
	Kind    ruleKindParam     `query:"kind"`
}) (page[ruleInfo], error) {
	list, err := a.Signals.Rules(c, signal.RuleQuery{Team: p.Team, Monitor: p.Monitor, Kind: earshot.RuleKind(p.Kind)})
	if err != nil {
		return page[ruleInfo]{}, err
	}
	return paginate(p.pageParams, list, func(r *earshot.Rule) int64 { return int64(r.ID) }, a.newRules())
}

// addRule serves POST /manage/v1/rules.
func (a *API) addRule(ctx context.Context, c *earshot.Caller, p struct {
	Body newRuleBody `body:"json"`
}) (response rest.Created[ruleInfo], err error) {
	r, err := p.Body.rule()
	if err != nil {
		return response, err
	}
	return toCreated(a.newRules())(a.Signals.AddRule(ctx, c, r))
}

// showRule serves GET /manage/v1/rules/{id}.
func (a *API) showRule(_ context.Context, c *earshot.Caller, p rulePath) (ruleInfo, error) {
	return toResponse(a.newRules())(a.Signals.FindRule(c, p.ID))
}

// editRule serves PATCH /manage/v1/rules/{id}.
func (a *API) editRule(ctx context.Context, c *earshot.Caller, p struct {
	rulePath
	Body newRuleBody `body:"json"`
}) (response ruleInfo, err error) {
	r, err := a.Signals.FindRule(c, p.ID)
	if err != nil {
		return response, err
	}
	if b := p.Body; b.Monitor != 0 && b.Monitor != r.Monitor || b.Kind != "" && b.Kind != r.Kind {
		return response, earshot.InvalidBody("the monitor and kind of a rule cannot be changed; create a new rule instead")
	}
	return toResponse(a.newRules())(a.Signals.EditRule(ctx, c, p.ID, p.Body.changes()))
}

type previewRuleParams struct {
	Body newRuleBody `body:"json"`
}

// ResponseMemory implements [rest.Weighted].
func (previewRuleParams) ResponseMemory() int64 { return rest.LongResponse }

// previewRule serves POST /manage/v1/rules/preview. It changes nothing.
func (a *API) previewRule(ctx context.Context, c *earshot.Caller, p previewRuleParams) (*signal.Preview, error) {
	r, err := p.Body.rule()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.Name) == "" {
		r.Name = "Preview"
	}
	return a.Signals.Preview(ctx, c, r)
}
