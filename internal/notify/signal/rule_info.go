package signal

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
)

// A RuleInfo is a rule. ID is null for the defaults of a monitor without an unusual rule. Unusual is
// null unless the kind is unusual, and threshold unless the kind is threshold.
type RuleInfo struct {
	ID              *earshot.RuleID     `json:"id"`
	Team            earshot.TeamID      `json:"team"`
	Monitor         MonitorName         `json:"monitor"`
	Name            string              `json:"name"`
	Kind            earshot.RuleKind    `json:"kind"`
	Filter          string              `json:"filter"`
	Unusual         *Unusual            `json:"unusual"`
	Threshold       *Threshold          `json:"threshold"`
	Severity        earshot.Severity    `json:"severity"`
	Channels        []earshot.ChannelID `json:"channels"`
	Active          []Hours             `json:"active"`
	Quiet           []Hours             `json:"quiet"`
	CoolDownMinutes int                 `json:"coolDownMinutes"`
	MutedUntil      *time.Time          `json:"mutedUntil"` // null also if that time is over
	Enabled         bool                `json:"enabled"`
	LastSignal      *LastSignal         `json:"lastSignal"`
	Signals         int                 `json:"signals"`
	Feedback        FeedbackCounts      `json:"feedback"`
	CreatedBy       string              `json:"createdBy"`
	Created         *time.Time          `json:"created"`
	EditedBy        string              `json:"editedBy"`
	Edited          *time.Time          `json:"edited"`
	Revision        int64               `json:"revision"`
}

// Unusual are the settings of a rule for unusual activity.
type Unusual struct {
	FalseAlarms int                  `json:"falseAlarms"` // expected per year: 1, 12 or 52
	Kinds       []earshot.SignalKind `json:"kinds"`       // empty: all
	MinPosts    int                  `json:"minPosts"`
}

// Threshold are the settings of a rule that compares a metric with a number.
type Threshold struct {
	Metric      earshot.Metric `json:"metric"`
	Below       bool           `json:"below"`
	Value       float64        `json:"value"`
	WindowHours int            `json:"windowHours"`
	Of          string         `json:"of"`
	MinPosts    int            `json:"minPosts"`
}

// Hours is a part of the week in the time zone of the monitor. It ends on the following day if to is
// not after from.
type Hours struct {
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

// A LastSignal is the newest signal of a rule.
type LastSignal struct {
	ID     earshot.SignalID    `json:"id"`
	Title  string              `json:"title"`
	Raised time.Time           `json:"raised"`
	State  earshot.SignalState `json:"state"`
}

// DescribeRules returns a function that describes rules with the last signal of each, and what people
// said about its signals.
func (s *Service) DescribeRules() func(*earshot.Rule) RuleInfo {
	last, feedback := s.LastSignals(), s.Feedback()
	return func(r *earshot.Rule) RuleInfo { return s.describeRule(r, last[r.ID], feedback(r)) }
}

func (s *Service) describeRule(r *earshot.Rule, last *earshot.Signal, feedback Feedback) RuleInfo {
	shown := RuleInfo{
		ID: jsonvalue.Optional(r.ID), Team: r.Team, Monitor: s.MonitorName(r.Monitor), Name: r.Name, Kind: r.Kind, Filter: r.Filter, Severity: r.Severity,
		Channels: r.Channels, Active: jsonvalue.Map(r.Active, newHours), Quiet: jsonvalue.Map(r.Quiet, newHours),
		CoolDownMinutes: int(r.CoolDown.Minutes()), Enabled: !r.Disabled,
		CreatedBy: r.CreatedBy, Created: jsonvalue.Optional(r.Created), EditedBy: r.EditedBy, Edited: jsonvalue.Optional(r.Edited), Revision: r.Edits,
	}
	if r.MutedUntil.After(s.Now()) {
		shown.MutedUntil = &r.MutedUntil
	}
	switch r.Kind {
	case earshot.UnusualRule:
		shown.Unusual = &Unusual{r.Unusual.FalseAlarms, r.Unusual.Kinds, r.Unusual.MinPosts}
	case earshot.ThresholdRule:
		t := r.Threshold
		shown.Threshold = &Threshold{t.Metric, t.Below, t.Value, int(t.Window.Hours()), t.Of, t.MinPosts}
	}
	shown.Signals, shown.Feedback = feedback.Signals, FeedbackCounts{Useful: feedback.Useful, NotUseful: feedback.NotUseful}
	if last != nil {
		shown.LastSignal = &LastSignal{last.ID, last.Title, last.Raised, last.State}
	}
	return shown
}

func newHours(h earshot.Hours) Hours {
	return Hours{jsonvalue.Map(h.Days, func(d time.Weekday) weekday { return weekday(d) }), clock(h.From), clock(h.To)}
}

// An OptionalTime is a time that is missing, null or given.
type OptionalTime struct {
	Time  time.Time
	Given bool
}

// UnmarshalJSON implements [json.Unmarshaler].
func (t *OptionalTime) UnmarshalJSON(data []byte) error {
	t.Given = true
	if string(data) == "null" {
		return nil
	}
	if err := t.Time.UnmarshalJSON(data); err != nil {
		return errors.New("a time like 2026-03-10T14:00:00Z, or null")
	}
	return nil
}

func (h Hours) parse() earshot.Hours {
	return earshot.Hours{Days: jsonvalue.Map(h.Days, func(d weekday) time.Weekday { return time.Weekday(d) }), From: earshot.Clock(h.From), To: earshot.Clock(h.To)}
}
