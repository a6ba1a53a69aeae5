package earshot

import (
	"slices"
	"time"
)

// MonitorType is the kind of a monitor.
type MonitorType string

const (
	Buzz    MonitorType = "BUZZ"    // sentiment and emotion of what a query selects
	Opinion MonitorType = "OPINION" // categories that its team teaches
	Social  MonitorType = "SOCIAL"  // one account of a network
)

// Criteria say which posts a monitor or a filter selects. All of them must hold.
type Criteria struct {
	Keywords  string
	Languages Choice   // two upper-case letters
	Places    Choice   // geography ids
	Gender    Gender   // empty: any
	Sources   []string // display names; empty: every source the team may see
}

// A Choice includes or excludes values. Without values it lets everything
// through. A post that has no value at all is let through by Exclude alone.
type Choice struct {
	Exclude bool
	Values  []string
}

// A Monitor is a saved search, and what is asked of the posts it finds.
type Monitor struct {
	ID          MonitorID
	Name        string
	Description string
	Type        MonitorType
	Team        TeamID
	Criteria    Criteria
	Timezone    string
	Start       Date // first day with results
	Tags        []string

	Enabled    bool
	DisabledOn Date     // the day it was disabled, in its zone
	DisabledAt Position // the last journal entry whose posts it takes when disabled

	// Matching counts how often stored posts had to be matched against the monitor
	// anew. It is written together with the change that makes it necessary, so that
	// what a crash cuts off is found again: the post store says which count it has.
	Matching  int64
	MatchFrom Date // the first day that the last time was about; zero: Start

	Categories     []Category
	Emotions       []Category
	Training       Training // of an OPINION monitor
	Account        Account  // of a SOCIAL monitor
	TargetHashtags []string
	Filters        []Filter
	Realtime       bool // whether realtime data may be asked for

	// Parent is set on a filter seen as a monitor: its monitor's id.
	Parent MonitorID

	Created time.Time
	Edits   int64   // how often what an edit can change was changed
	Removed bool    // kept for its audit entries alone
	Audit   []Event // oldest first
}

// A Filter narrows a monitor further and is asked the same questions.
type Filter struct {
	ID       MonitorID
	Name     string
	Criteria Criteria
}

// A Category is a class of a monitor's posts, or an emotion.
type Category struct {
	ID           CategoryID
	Name         string
	TrainingDocs int
	Hidden       bool
	Group        string
	GroupID      CategoryID
}

// Status grades how well a category is trained.
func (c Category) Status() string {
	switch {
	case !c.IsTaught():
		return "red"
	case c.TrainingDocs < 20:
		return "yellow"
	}
	return "green"
}

// An Account is the network account a SOCIAL monitor watches.
type Account struct {
	Network Source
	Handle  string
	PageID  string
}

// HasBasicCategories reports whether the monitor's categories are BasicCategories, in
// their order: sentiments, that is.
func (m *Monitor) HasBasicCategories() bool {
	return m.Type != Opinion && len(m.Categories) == len(BasicCategories)
}

// BasicCategories and BasicEmotions are those of every monitor without categories of its own.
var (
	BasicCategories = []string{"Basic Positive", "Basic Neutral", "Basic Negative"}
	BasicEmotions   = []string{"Joy", "Sadness", "Neutral", "Disgust", "Anger", "Surprise", "Fear"}
)

// An Event is an entry of a monitor's audit.
type Event struct {
	Kind EventKind
	User string
	Time time.Time
}

type EventKind string

const (
	EventEnabled       EventKind = "ENABLED"
	EventDisabled      EventKind = "DISABLED"
	EventReset         EventKind = "RESET"
	EventPartialReset  EventKind = "PARTIAL_RESET"
	EventRemoved       EventKind = "REMOVED"
	EventEdited        EventKind = "EDITED"
	EventTrained       EventKind = "TRAINED"
	EventTwitterExport EventKind = "UI_TWITTER_EXPORT"
)

// maxEvents bounds a monitor's audit; the oldest entries go first.
const maxEvents = 1000

// Record adds an audit entry.
func (m *Monitor) Record(kind EventKind, user string, at time.Time) {
	m.Audit = append(m.Audit, Event{Kind: kind, User: user, Time: at.UTC().Truncate(time.Second)})
	m.Audit = m.Audit[max(0, len(m.Audit)-maxEvents):]
}

// Location returns the monitor's time zone. Zones are checked when a monitor is
// saved; one that has vanished since reads as UTC.
func (m *Monitor) Location() *time.Location {
	loc, err := Zone(m.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// Results returns the days that have results: up to today in the monitor's zone,
// or up to the day it was disabled.
func (m *Monitor) Results(now time.Time) Days {
	last := DateOf(now.In(m.Location()))
	if !m.Enabled && !m.DisabledOn.IsZero() {
		last = m.DisabledOn
	}
	end := last.AddDays(1)
	if end.Before(m.Start) {
		end = m.Start
	}
	return Days{m.Start, end}
}

// WatchesUpTo returns the last journal entry whose posts are matched against m. It
// is the same whether they are processed now, matched again after a change, or
// replayed after a restart.
func (m *Monitor) WatchesUpTo() Position {
	switch {
	case m.Removed:
		return 0
	case m.Enabled:
		return EndOfJournal
	}
	return m.DisabledAt
}

// Watches reports whether posts of a journal entry are matched against m.
func (m *Monitor) Watches(at Position) bool { return at <= m.WatchesUpTo() }

// MatchAgain notes that stored posts must be matched against m anew, from a day on
// or, when that is zero, from its start.
func (m *Monitor) MatchAgain(from Date) {
	m.Matching++
	m.MatchFrom = from
}

// Filter returns the filter with that id.
func (m *Monitor) Filter(id MonitorID) (*Filter, bool) {
	i := slices.IndexFunc(m.Filters, func(f Filter) bool { return f.ID == id })
	if i < 0 {
		return nil, false
	}
	return &m.Filters[i], true
}

// HasMicroblogs reports whether microblog posts may be among those that m selects.
func (m *Monitor) HasMicroblogs() bool {
	if m.Type == Social {
		return m.Account.Network.IsMicroblog()
	}
	return len(m.Criteria.Sources) == 0 ||
		slices.ContainsFunc(m.Criteria.Sources, func(name string) bool { return Source(name).IsMicroblog() })
}

// RequireMicroblogs returns an error unless microblog posts may be among those of m.
func RequireMicroblogs(m *Monitor) error {
	if !m.HasMicroblogs() {
		return Errorf(Invalid, "Interest affinities are only available for monitors with Twitter content.")
	}
	return nil
}

// RequireRealtime returns an error unless realtime data of m may be asked for.
func RequireRealtime(m *Monitor) error {
	if !m.Realtime {
		return Errorf(Invalid, "Monitor %d is not enabled for realtime data", m.ID)
	}
	return nil
}

// NoMonitor is the answer for a monitor that does not exist or is not the caller's to see.
func NoMonitor(id MonitorID) *Error {
	return Errorf(NotFound, "Monitor %d does not exist", id)
}
