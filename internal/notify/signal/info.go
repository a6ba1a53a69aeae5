package signal

import (
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/workspace/postview"
)

// An Info is a signal in a list. Rule is null if the monitor is watched with the defaults, or if
// the rule was removed. From and to are in the time zone of the monitor. Expected, low, high and
// chance are null if no model is behind the signal.
type Info struct {
	ID       earshot.SignalID    `json:"id"`
	Team     earshot.TeamID      `json:"team"`
	Monitor  MonitorName         `json:"monitor"`
	Rule     *RuleName           `json:"rule"`
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
	Acknowledged *Acknowledgment  `json:"acknowledged"`
	Assignee     *postview.Member `json:"assignee"`
	CommentCount int              `json:"commentCount"`
	Feedback     FeedbackCounts   `json:"feedback"`
	Useful       *bool            `json:"useful"` // what the caller said
}

// A MonitorName is a monitor or filter. Parent is the monitor of a filter.
type MonitorName struct {
	ID     earshot.MonitorID  `json:"id"`
	Name   string             `json:"name"`
	Parent *earshot.MonitorID `json:"parent"`
}

type RuleName struct {
	ID   earshot.RuleID   `json:"id"`
	Name string           `json:"name"`
	Kind earshot.RuleKind `json:"kind"`
}

type Acknowledgment struct {
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

// FeedbackCounts says how many people found signals useful.
type FeedbackCounts struct {
	Useful    int `json:"useful"`
	NotUseful int `json:"notUseful"`
}

// A Page is a signal with its history and explanation.
type Page struct {
	Info
	Posts       []string     `json:"posts"` // keys of the posts that a rule about posts found, oldest first
	Newcomers   []Newcomer   `json:"newcomers"`
	Events      []Event      `json:"events"`
	Comments    []Comment    `json:"comments"`
	Explanation *Explanation `json:"explanation"`
}

// A Newcomer is a new source, author and so on while a volume signal lasts.
type Newcomer struct {
	Kind    earshot.SignalKind `json:"kind"`
	Subject string             `json:"subject"`
	Label   string             `json:"label"`
	Posts   int64              `json:"posts"`
}

type Event struct {
	Number   int                     `json:"number"`
	Kind     earshot.SignalEventKind `json:"kind"`
	Time     time.Time               `json:"time"`
	By       string                  `json:"by"` // empty: Earshot
	Observed *float64                `json:"observed"`
	Assignee string                  `json:"assignee"` // of an assignment; empty: nobody
}

type Comment struct {
	ID   int64     `json:"id"`
	Text string    `json:"text"`
	By   string    `json:"by"`
	Time time.Time `json:"time"`
}

type Explanation struct {
	From      time.Time     `json:"from"`
	To        time.Time     `json:"to"`
	Sentence  string        `json:"sentence"`
	Cause     insight.Cause `json:"cause"`
	Explained float64       `json:"explained"`
	Stories   []Story       `json:"stories"`
	Words     []string      `json:"words"`
	Posts     []string      `json:"posts"` // keys
}

type Story struct {
	Name   string   `json:"name"`
	Terms  []string `json:"terms"`
	Filter string   `json:"filter"`
	Posts  int64    `json:"posts"`
	Share  float64  `json:"share"`
	Link   string   `json:"link"`
}

// Describe returns a function that renders signals for a caller, who is 0 for messages to channels.
func (s *Service) Describe(caller earshot.UserID) func(*earshot.Signal) Info {
	return func(sig *earshot.Signal) Info {
		zone := time.UTC
		if m, ok := s.Catalog.FindMonitor(sig.Monitor); ok {
			zone = m.Location()
		}
		shown := Info{
			ID: sig.ID, Team: sig.Team, Monitor: s.MonitorName(sig.Monitor), Rule: s.ruleName(sig.Rule),
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
			shown.Acknowledged = &Acknowledgment{sig.AcknowledgedBy, sig.Acknowledged}
		}
		if u, ok := s.Assignee(sig); ok {
			member := postview.NewMember(u)
			shown.Assignee = &member
		}
		feedback := FeedbackOf(sig)
		shown.Feedback = FeedbackCounts{feedback.Useful, feedback.NotUseful}
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

// MonitorName returns the name of a monitor or filter, which is empty if it was removed.
func (s *Service) MonitorName(id earshot.MonitorID) MonitorName {
	shown := MonitorName{ID: id}
	m, ok := s.Catalog.FindMonitor(id)
	if !ok {
		return shown
	}
	shown.Name = m.Name
	if f, ok := m.Filter(id); ok {
		shown.Name, shown.Parent = m.Name+": "+f.Name, &m.ID
	}
	return shown
}

func (s *Service) ruleName(id earshot.RuleID) *RuleName {
	if r, ok := s.Catalog.Rules.Find(id); ok {
		return &RuleName{r.ID, r.Name, r.Kind}
	}
	return nil
}

// Page returns a function that renders signals with their history, as Describe does.
func (s *Service) Page(caller earshot.UserID) func(*earshot.Signal) Page {
	return func(sig *earshot.Signal) Page {
		shown := Page{
			Info:      s.Describe(caller)(sig),
			Posts:     jsonvalue.Map(sig.Posts, earshot.PostKey.Text),
			Newcomers: jsonvalue.Map(sig.Newcomers, func(n earshot.Newcomer) Newcomer { return Newcomer(n) }),
			Events:    jsonvalue.Map(sig.Events, s.newEvent),
			Comments:  jsonvalue.Map(sig.Comments, func(c earshot.SignalComment) Comment { return Comment(c) }),
		}
		if e := sig.Explanation; e != nil {
			shown.Explanation = &Explanation{
				From: e.From, To: e.To, Sentence: e.Sentence, Cause: insight.Cause(e.Cause), Explained: jsonvalue.Round4(e.Explained),
				Stories: jsonvalue.Map(e.Stories, func(t earshot.SignalStory) Story {
					return Story{t.Name, jsonvalue.OrEmpty(t.Terms), t.Filter, t.Posts, jsonvalue.Round4(t.Share), t.Link}
				}),
				Words: jsonvalue.OrEmpty(e.Words),
				Posts: jsonvalue.Map(e.Posts, earshot.PostKey.Text),
			}
		}
		return shown
	}
}

func (s *Service) newEvent(e earshot.SignalEvent) Event {
	shown := Event{Number: e.Number, Kind: e.Kind, Time: e.Time, By: e.By}
	switch e.Kind {
	case earshot.SignalRaised, earshot.SignalUpdated, earshot.SignalResolved:
		observed := jsonvalue.Round4(e.Observed)
		shown.Observed = &observed
	case earshot.SignalAssigned:
		if u, ok := s.Catalog.Users.Find(e.Assignee); ok {
			shown.Assignee = postview.NewMember(u).Name
		}
	}
	return shown
}
