package manage

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/postview"
	"earshot/internal/signal"
)

// A signalInfo is a signal in a list. Rule is null if the monitor is watched with the defaults, or if
// the rule was removed. From and to are in the time zone of the monitor. Expected, low, high and chance are null if no model is behind the signal.
type signalInfo struct {
	ID       earshot.SignalID    `json:"id"`
	Team     earshot.TeamID      `json:"team"`
	Monitor  monitorName         `json:"monitor"`
	Rule     *ruleName           `json:"rule"`
	Kind     earshot.SignalKind  `json:"kind"`
	Subject  string              `json:"subject"`
	Label    string              `json:"label"`
	State    earshot.SignalState `json:"state"`
	Severity earshot.Severity    `json:"severity"`
	Title    string              `json:"title"`
	Text     string              `json:"text"`

	From     time.Time `json:"from"`
	To       time.Time `json:"to"`
	Timezone string    `json:"timezone"`
	Filter   string    `json:"filter"`

	Metric      earshot.Metric `json:"metric"`
	WindowHours float64        `json:"windowHours"`
	Observed    float64        `json:"observed"`
	Expected    *float64       `json:"expected"`
	Low         *float64       `json:"low"`
	High        *float64       `json:"high"`
	Chance      *float64       `json:"chance"`
	Peak        float64        `json:"peak"`
	PeakTime    *time.Time     `json:"peakTime"`

	Raised       time.Time        `json:"raised"`
	Updated      *time.Time       `json:"updated"`
	Evaluated    *time.Time       `json:"evaluated"`
	Resolved     *time.Time       `json:"resolved"`
	Acknowledged *acknowledgment  `json:"acknowledged"`
	Assignee     *postview.Member `json:"assignee"`
	CommentCount int              `json:"commentCount"`
	Feedback     feedbackCounts   `json:"feedback"`
	Useful       *bool            `json:"useful"` // what the caller said
}

// A monitorName is a monitor or filter. Parent is the monitor of a filter.
type monitorName struct {
	ID     earshot.MonitorID  `json:"id"`
	Name   string             `json:"name"`
	Parent *earshot.MonitorID `json:"parent"`
}

type ruleName struct {
	ID   earshot.RuleID   `json:"id"`
	Name string           `json:"name"`
	Kind earshot.RuleKind `json:"kind"`
}

type acknowledgment struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

// feedbackCounts says how many people found signals useful.
type feedbackCounts struct {
	Useful    int `json:"useful"`
	NotUseful int `json:"notUseful"`
}

// A signalPage is a signal with its history and explanation.
type signalPage struct {
	signalInfo
	Posts       []string           `json:"posts"` // keys of the posts that a rule about posts found, oldest first
	Newcomers   []newcomer         `json:"newcomers"`
	Events      []signalEvent      `json:"events"`
	Comments    []signalComment    `json:"comments"`
	Explanation *signalExplanation `json:"explanation"`
}

// A newcomer is what else is new while a volume signal lasts.
type newcomer struct {
	Kind    earshot.SignalKind `json:"kind"`
	Subject string             `json:"subject"`
	Label   string             `json:"label"`
	Posts   int64              `json:"posts"`
}

type signalEvent struct {
	Number   int                     `json:"number"`
	Kind     earshot.SignalEventKind `json:"kind"`
	Time     time.Time               `json:"time"`
	By       string                  `json:"by"` // empty: Earshot
	Observed *float64                `json:"observed"`
	Assignee string                  `json:"assignee"` // of an assignment; empty: nobody
}

type signalComment struct {
	ID   int64     `json:"id"`
	Text string    `json:"text"`
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

type signalExplanation struct {
	From      time.Time     `json:"from"`
	To        time.Time     `json:"to"`
	Sentence  string        `json:"sentence"`
	Cause     insight.Cause `json:"cause"`
	Explained float64       `json:"explained"`
	Stories   []signalStory `json:"stories"`
	Words     []string      `json:"words"`
	Posts     []string      `json:"posts"` // keys
}

type signalStory struct {
	Name   string   `json:"name"`
	Terms  []string `json:"terms"`
	Filter string   `json:"filter"`
	Posts  int64    `json:"posts"`
	Share  float64  `json:"share"`
	Link   string   `json:"link"`
}

// newSignal returns a function that renders signals for a caller, who is 0 for messages to channels.
func (a *API) newSignal(caller earshot.UserID) func(*earshot.Signal) signalInfo {
	return func(sig *earshot.Signal) signalInfo {
		zone := time.UTC
		if m, ok := a.Signals.Catalog.FindMonitor(sig.Monitor); ok {
			zone = m.Location()
		}
		shown := signalInfo{
			ID: sig.ID, Team: sig.Team, Monitor: a.monitorName(sig.Monitor), Rule: a.ruleName(sig.Rule),
			Kind: sig.Kind, Subject: sig.Subject, Label: sig.Label, State: sig.State, Severity: sig.Severity, Title: sig.Title, Text: sig.Text,
			From: sig.From.In(zone), To: sig.To.In(zone), Timezone: zone.String(), Filter: sig.Filter,
			Metric: metricOf(sig), WindowHours: sig.Window.Hours(), Observed: jsonvalue.Round4(sig.Observed), Peak: jsonvalue.Round4(sig.Peak), PeakTime: jsonvalue.Optional(sig.PeakTime),
			Raised: sig.Raised, Updated: jsonvalue.Optional(sig.Updated), Evaluated: jsonvalue.Optional(sig.Evaluated), Resolved: jsonvalue.Optional(sig.Resolved),
			CommentCount: len(sig.Comments),
		}
		if sig.Chance > 0 {
			expected, low, high, chance := jsonvalue.Round4(sig.Expected), jsonvalue.Round4(sig.Low), jsonvalue.Round4(sig.High), sig.Chance
			shown.Expected, shown.Low, shown.High, shown.Chance = &expected, &low, &high, &chance
		}
		if !sig.Acknowledged.IsZero() {
			shown.Acknowledged = &acknowledgment{sig.AcknowledgedBy, sig.Acknowledged}
		}
		if u, ok := a.Signals.Assignee(sig); ok {
			member := postview.NewMember(u)
			shown.Assignee = &member
		}
		feedback := signal.FeedbackOf(sig)
		shown.Feedback = feedbackCounts{feedback.Useful, feedback.NotUseful}
		if i := slices.IndexFunc(sig.Feedback, func(f earshot.SignalFeedback) bool { return f.User == caller }); i >= 0 {
			shown.Useful = &sig.Feedback[i].Useful
		}
		return shown
	}
}

// metricOf returns what the numbers of a signal mean.
func metricOf(sig *earshot.Signal) earshot.Metric {
	if sig.Metric != "" {
		return sig.Metric
	}
	switch sig.Kind {
	case earshot.NegativeSignal:
		return earshot.NegativeMetric
	case earshot.CategorySignal:
		return earshot.CategoryMetric
	case earshot.CountrySignal:
		return earshot.CountryMetric
	case earshot.LanguageSignal:
		return earshot.LanguageMetric
	}
	return earshot.PostsMetric
}

func (a *API) monitorName(id earshot.MonitorID) monitorName {
	shown := monitorName{ID: id}
	m, ok := a.Signals.Catalog.FindMonitor(id)
	if !ok {
		return shown
	}
	shown.Name = m.Name
	if f, ok := m.Filter(id); ok {
		shown.Name, shown.Parent = m.Name+": "+f.Name, &m.ID
	}
	return shown
}

func (a *API) ruleName(id earshot.RuleID) *ruleName {
	if r, ok := a.Signals.Catalog.Rules.Find(id); ok {
		return &ruleName{r.ID, r.Name, r.Kind}
	}
	return nil
}

func (a *API) newSignalPage(caller earshot.UserID) func(*earshot.Signal) signalPage {
	return func(sig *earshot.Signal) signalPage {
		shown := signalPage{
			signalInfo: a.newSignal(caller)(sig),
			Posts:      jsonvalue.Map(sig.Posts, earshot.PostKey.Text),
			Newcomers:  jsonvalue.Map(sig.Newcomers, func(n earshot.Newcomer) newcomer { return newcomer(n) }),
			Events:     jsonvalue.Map(sig.Events, a.newSignalEvent),
			Comments:   jsonvalue.Map(sig.Comments, func(c earshot.SignalComment) signalComment { return signalComment(c) }),
		}
		if e := sig.Explanation; e != nil {
			shown.Explanation = &signalExplanation{
				From: e.From, To: e.To, Sentence: e.Sentence, Cause: insight.Cause(e.Cause), Explained: jsonvalue.Round4(e.Explained),
				Stories: jsonvalue.Map(e.Stories, func(s earshot.SignalStory) signalStory {
					return signalStory{s.Name, jsonvalue.OrEmpty(s.Terms), s.Filter, s.Posts, jsonvalue.Round4(s.Share), s.Link}
				}),
				Words: jsonvalue.OrEmpty(e.Words),
				Posts: jsonvalue.Map(e.Posts, earshot.PostKey.Text),
			}
		}
		return shown
	}
}

func (a *API) newSignalEvent(e earshot.SignalEvent) signalEvent {
	shown := signalEvent{Number: e.Number, Kind: e.Kind, Time: e.Time, By: e.By}
	switch e.Kind {
	case earshot.SignalRaised, earshot.SignalUpdated, earshot.SignalResolved:
		observed := jsonvalue.Round4(e.Observed)
		shown.Observed = &observed
	case earshot.SignalAssigned:
		if u, ok := a.Signals.Catalog.Users.Find(e.Assignee); ok {
			shown.Assignee = postview.NewMember(u).Name
		}
	}
	return shown
}

// SignalData returns a signal as GET /manage/v1/signals/{id} has it, for webhooks.
func (a *API) SignalData(sig *earshot.Signal) (json.RawMessage, error) {
	return json.Marshal(a.newSignalPage(0)(sig))
}

type signalPath struct {
	ID earshot.SignalID `path:"id"`
}

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
func (a *API) listSignals(_ context.Context, c *earshot.Caller, p signalParams) (page[signalInfo], error) {
	list, err := a.Signals.List(c, p.query(c))
	if err != nil {
		return page[signalInfo]{}, err
	}
	return paginate(p.pageParams, list, func(sig *earshot.Signal) int64 { return -int64(sig.ID) }, a.newSignal(c.User))
}

// showSignal serves GET /manage/v1/signals/{id}.
func (a *API) showSignal(_ context.Context, c *earshot.Caller, p signalPath) (signalPage, error) {
	return toResponse(a.newSignalPage(c.User))(a.Signals.Find(c, p.ID))
}

// editSignal serves PATCH /manage/v1/signals/{id}: acknowledge, assign, resolve, rate.
func (a *API) editSignal(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Body struct {
		Acknowledged *bool                `json:"acknowledged"`
		Assignee     *earshot.UserID      `json:"assignee"` // 0: nobody
		State        *earshot.SignalState `json:"state"`
		Useful       rest.Bool            `json:"useful"` // null: no opinion
	} `body:"json"`
}) (signalPage, error) {
	b := p.Body
	ch := signal.Changes{Acknowledged: b.Acknowledged, Assignee: b.Assignee}
	if b.State != nil {
		if *b.State != earshot.Firing && *b.State != earshot.ResolvedSignal {
			return signalPage{}, earshot.InvalidBody("state must be resolved")
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
	return toResponse(a.newSignalPage(c.User))(a.Signals.Edit(ctx, c, p.ID, ch))
}

// addSignalComment serves POST /manage/v1/signals/{id}/comments.
func (a *API) addSignalComment(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Body noteBody `body:"json"`
}) (rest.Created[signalPage], error) {
	return toCreated(a.newSignalPage(c.User))(a.Signals.AddComment(ctx, c, p.ID, p.Body.Text))
}

// removeSignalComment serves DELETE /manage/v1/signals/{id}/comments/{comment}.
func (a *API) removeSignalComment(ctx context.Context, c *earshot.Caller, p struct {
	signalPath
	Comment int64 `path:"comment"`
}) (signalPage, error) {
	return toResponse(a.newSignalPage(c.User))(a.Signals.RemoveComment(ctx, c, p.ID, p.Comment))
}
