package earshot

import (
	"slices"
	"strings"
	"time"
)

// A MonitorType is a kind of monitor.
type MonitorType string

const (
	Buzz    MonitorType = "BUZZ"    // sentiment and emotion of the posts that a query matches
	Opinion MonitorType = "OPINION" // categories that the team trains
	Social  MonitorType = "SOCIAL"  // one account on a social network
)

// Criteria define which posts a monitor or filter selects. A post must meet all of them.
type Criteria struct {
	Keywords  string
	Languages Choice   // two-letter uppercase codes
	Places    Choice   // geography IDs
	Gender    Gender   // empty: any
	Sources   []string // display names; empty: every source visible to the team
}

// A Choice includes or excludes values. Without values it accepts every post. A post without a
// value is accepted only if Exclude is set.
type Choice struct {
	Exclude bool
	Values  []string
}

// A Monitor is a saved search, its settings and its audit log.
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
	DisabledOn Date     // the day it was disabled, in its time zone
	DisabledAt Position // while disabled, the last journal entry whose posts it matches

	// Generation counts the changes that require stored posts to be rematched. It is saved in the
	// same write as the change. The post store records the generation of its matches, so a rematch
	// that a crash interrupted is detected and restarted.
	Generation  int64 `json:"Matching"`
	RematchFrom Date  `json:"MatchFrom"` // first day that the latest change affects; zero: Start

	Categories     []Category
	Emotions       []Category
	Training       Training // OPINION monitors only
	Account        Account  // SOCIAL monitors only
	TargetHashtags []string
	OwnAccounts    []string // usernames of the accounts that belong to the brand; empty: derived from the criteria
	Filters        []Filter
	Realtime       bool // whether realtime data is available

	// Parent is set on a filter that is presented as a monitor. It is the ID of the filter's
	// monitor.
	Parent MonitorID

	Created time.Time
	Edits   int64   // number of edits
	Removed bool    // deleted; kept only for its audit log
	Audit   []Event // oldest first
}

// A Filter refines a monitor. Every query about a monitor also accepts a filter.
type Filter struct {
	ID       MonitorID
	Name     string
	Criteria Criteria
}

// A Category is a class that a monitor assigns posts to, or an emotion.
type Category struct {
	ID           CategoryID
	Name         string
	TrainingDocs int
	Hidden       bool
	Group        string
	GroupID      CategoryID
}

// Status rates how well the category is trained: "red", "yellow" or "green".
func (c Category) Status() string {
	switch {
	case !c.IsTrained():
		return "red"
	case c.TrainingDocs < 20:
		return "yellow"
	}
	return "green"
}

// An Account is the social network account that a SOCIAL monitor watches.
type Account struct {
	Network Source
	Handle  string
	PageID  string
}

// HasBasicCategories reports whether the monitor's categories are [BasicCategories], in that order,
// that is, sentiments.
func (m *Monitor) HasBasicCategories() bool {
	return m.Type != Opinion && len(m.Categories) == len(BasicCategories)
}

// BasicCategories and BasicEmotions apply to every monitor without its own categories.
var (
	BasicCategories = []string{"Basic Positive", "Basic Neutral", "Basic Negative"}
	BasicEmotions   = []string{"Joy", "Sadness", "Neutral", "Disgust", "Anger", "Surprise", "Fear"}
)

// SentimentName returns the short name of a sentiment, for example positive, or "" for -1.
func SentimentName(index int) string {
	if index < 0 || index >= len(BasicCategories) {
		return ""
	}
	return strings.ToLower(strings.TrimPrefix(BasicCategories[index], "Basic "))
}

// EmotionName returns the name of an emotion in lower case, or "" for -1.
func EmotionName(index int) string {
	if index < 0 || index >= len(BasicEmotions) {
		return ""
	}
	return strings.ToLower(BasicEmotions[index])
}

// FindSentiment returns the index of a sentiment by its name, with or without the word Basic, or -1.
// Case does not matter.
func FindSentiment(name string) int {
	return slices.IndexFunc(BasicCategories, func(s string) bool { return strings.EqualFold(s, name) || strings.EqualFold(s, "Basic "+name) })
}

// FindEmotion returns the index of an emotion by its name, or -1. Case does not matter.
func FindEmotion(name string) int {
	return slices.IndexFunc(BasicEmotions, func(e string) bool { return strings.EqualFold(e, name) })
}

// An Event is an entry in a monitor's audit log.
type Event struct {
	Kind EventKind
	User string
	Time time.Time
}

// An EventKind is the action that an [Event] records.
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

// maxEvents bounds a monitor's audit log. The oldest entries are dropped first.
const maxEvents = 1000

// Record appends an audit entry. The time is stored in UTC, truncated to seconds.
func (m *Monitor) Record(kind EventKind, user string, at time.Time) {
	m.Audit = append(m.Audit, Event{Kind: kind, User: user, Time: at.UTC().Truncate(time.Second)})
	m.Audit = m.Audit[max(0, len(m.Audit)-maxEvents):]
}

// Location returns the monitor's time zone. Zones are validated when a monitor is saved; a zone
// that the system no longer knows is treated as UTC.
func (m *Monitor) Location() *time.Location {
	loc, err := Zone(m.Timezone)
	if err != nil {
		return time.UTC
	}
	return loc
}

// Results returns the days that have results: from Start through today in the monitor's time zone,
// or through the day on which it was disabled.
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

// WatchesUpTo returns the position of the last journal entry whose posts are matched against m. It
// is the same whether the posts are being ingested, rematched after a change, or replayed after a
// restart.
func (m *Monitor) WatchesUpTo() Position {
	switch {
	case m.Removed:
		return 0
	case m.Enabled:
		return EndOfJournal
	}
	return m.DisabledAt
}

// Watches reports whether the posts of the journal entry at a position are matched against m.
func (m *Monitor) Watches(at Position) bool { return at <= m.WatchesUpTo() }

// RequestRematch records that stored posts must be rematched against m, starting from the given
// day. If from is zero, the rematch starts at m.Start.
func (m *Monitor) RequestRematch(from Date) {
	m.Generation++
	m.RematchFrom = from
}

// Filter returns the filter with the given ID.
func (m *Monitor) Filter(id MonitorID) (*Filter, bool) {
	i := slices.IndexFunc(m.Filters, func(f Filter) bool { return f.ID == id })
	if i < 0 {
		return nil, false
	}
	return &m.Filters[i], true
}

// HasMicroblogs reports whether m can select microblog posts.
func (m *Monitor) HasMicroblogs() bool {
	if m.Type == Social {
		return m.Account.Network.IsMicroblog()
	}
	return len(m.Criteria.Sources) == 0 ||
		slices.ContainsFunc(m.Criteria.Sources, func(name string) bool { return Source(name).IsMicroblog() })
}

// RequireMicroblogs returns an error unless m can select microblog posts.
func RequireMicroblogs(m *Monitor) error {
	if !m.HasMicroblogs() {
		return Errorf(Invalid, "Interest affinities are only available for monitors with Twitter content.")
	}
	return nil
}

// RequireRealtime returns an error unless realtime data is available for m.
func RequireRealtime(m *Monitor) error {
	if !m.Realtime {
		return Errorf(Invalid, "Monitor %d is not enabled for realtime data", m.ID)
	}
	return nil
}

// RequireTwitterSocial returns an error unless m watches an account on a microblog. The Twitter
// endpoints serve all microblogs.
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

// NoMonitor returns the error for a monitor that does not exist or that the caller may not see.
func NoMonitor(id MonitorID) *Error {
	return Errorf(NotFound, "Monitor %d does not exist", id)
}
