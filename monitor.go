package earshot

import (
	"slices"
	"time"
)

// MonitorType is the kind of a monitor.
type MonitorType string

const (
	Buzz    MonitorType = "BUZZ"    // sentiment and emotion of what a query selects
	Opinion MonitorType = "OPINION" // categories that its team trains
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

// A Monitor is a saved search together with the settings of its results.
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

	// Generation counts the changes that require a rematch of stored posts. It is written
	// together with the change, so that a rematch that a crash interrupts is found again: the
	// post store knows the generation of its matches.
	Generation  int64 `json:"Matching"`
	RematchFrom Date  `json:"MatchFrom"` // first day that the last change affects; zero: Start

	Categories     []Category
	Emotions       []Category
	Training       Training // of an OPINION monitor
	Account        Account  // of a SOCIAL monitor
	TargetHashtags []string
	Filters        []Filter
	Realtime       bool // whether realtime data may be requested

	// Parent is set on a filter presented as a monitor: the id of its monitor.
	Parent MonitorID

	Created time.Time
	Edits   int64   // number of edits
	Removed bool    // retained only for its audit entries
	Audit   []Event // oldest first
}

// A Filter refines a monitor. Every query about a monitor works on a filter as well.
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
	case !c.IsTrained():
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

// BasicCategories and BasicEmotions apply to every monitor without categories of its own.
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
// is the same whether they are ingested now, rematched after a change, or
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

// RequestRematch records that stored posts must be rematched against m, from a day on
// or, when that is zero, from its start.
func (m *Monitor) RequestRematch(from Date) {
	m.Generation++
	m.RematchFrom = from
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

// RequireRealtime returns an error unless realtime data of m may be requested.
func RequireRealtime(m *Monitor) error {
	if !m.Realtime {
		return Errorf(Invalid, "Monitor %d is not enabled for realtime data", m.ID)
	}
	return nil
}

// RequireTwitterSocial returns an error unless m watches an account of a microblog: endpoints
// for Twitter serve all of them.
func RequireTwitterSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network.IsMicroblog(), "a Twitter")
}

// RequireFacebookSocial returns an error unless m watches a Facebook page.
func RequireFacebookSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network == Facebook, "a Facebook")
}

// RequireInstagramSocial returns an error unless m watches an Instagram account.
func RequireInstagramSocial(m *Monitor) error {
	return requireAccount(m, m.Account.Network == Instagram, "an Instagram")
}

func requireAccount(m *Monitor, matches bool, network string) error {
	if m.Type != Social || !matches {
		return Errorf(Invalid, "Monitor %d is not %s Social Monitor", m.ID, network)
	}
	return nil
}

// NoMonitor is the error for a monitor that does not exist or is not the caller's to see.
func NoMonitor(id MonitorID) *Error {
	return Errorf(NotFound, "Monitor %d does not exist", id)
}
