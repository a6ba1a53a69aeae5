package earshot

import "time"

// Limits on rules and signals.
const (
	MaxRules          = 500    // per team
	MaxRuleChannels   = 10     // that a rule notifies
	MaxSignals        = 20_000 // per team; the oldest resolved ones are removed first
	MaxSignalComments = 100    // per signal
	MaxSignalEvents   = 200    // per signal
	MaxSignalPosts    = 500    // of a PostRule that a signal lists
	MaxNewcomers      = 10     // that a signal lists
)

// A Rule says when something about the posts of a monitor becomes a signal, and who hears about it.
type Rule struct {
	ID      RuleID
	Team    TeamID
	Monitor MonitorID // or one of its filters
	Name    string
	Kind    RuleKind
	Filter  string // restricts the posts, in the filter language of the management API; empty for UnusualRule

	Unusual   Unusual   // of an UnusualRule
	Threshold Threshold // of a ThresholdRule

	Severity   Severity
	Channels   []ChannelID
	Active     []Hours       // when the rule is evaluated; empty: always
	Quiet      []Hours       // when notifications wait; a critical signal does not wait
	CoolDown   time.Duration // after a signal is resolved, before the rule raises another about the same subject
	MutedUntil time.Time     // no signals and no notifications until then
	Disabled   bool

	// Cursor is the position of the journal up to which a PostRule was evaluated. It may be behind,
	// but never ahead. 0: not yet.
	Cursor Position

	Edits     int64 // number of changes, for optimistic locking
	CreatedBy string
	Created   time.Time
	EditedBy  string
	Edited    time.Time
}

// A RuleKind is what a rule looks for.
type RuleKind string

const (
	// UnusualRule looks for what a statistical model does not expect. A monitor or filter has at most
	// one. A monitor without one is watched with the defaults.
	UnusualRule RuleKind = "unusual"
	// ThresholdRule compares a metric with a number.
	ThresholdRule RuleKind = "threshold"
	// PostRule looks for single posts.
	PostRule RuleKind = "post"
)

// Unusual are the settings of an [UnusualRule].
type Unusual struct {
	FalseAlarms int          // expected per year: one of FalseAlarmRates
	Kinds       []SignalKind // what is watched; empty: all of UnusualKinds
	MinPosts    int          // in the window; 0: the default
}

// FalseAlarmRates lists the sensitivities: how many signals without a cause a monitor raises per year.
var FalseAlarmRates = []int{1, 12, 52}

// Defaults of [Unusual].
const (
	DefaultFalseAlarms = 12
	DefaultMinPosts    = 10
)

// A Threshold compares a metric of the posts in a window with a number.
type Threshold struct {
	Metric Metric
	Below  bool          // raises a signal below the value instead of above it
	Value  float64       // a share is from 0 to 1
	Window time.Duration // until now: 1 hour to 7 days
	// Of is the category, country or language that a share is about, as the filter language names it.
	Of       string
	MinPosts int // in the window, for shares
}

// A Metric is what a [Threshold] compares.
type Metric string

const (
	PostsMetric      Metric = "posts"
	AuthorsMetric    Metric = "authors" // different ones
	EngagementMetric Metric = "engagement"
	ReachMetric      Metric = "reach"    // sum of the authors' followers
	NegativeMetric   Metric = "negative" // share of posts with negative sentiment
	PositiveMetric   Metric = "positive"
	CategoryMetric   Metric = "category" // share of an opinion monitor's category
	CountryMetric    Metric = "country"  // share of posts from a country
	LanguageMetric   Metric = "language" // share of posts in a language
)

// Metrics lists every metric.
var Metrics = []Metric{PostsMetric, AuthorsMetric, EngagementMetric, ReachMetric, NegativeMetric, PositiveMetric, CategoryMetric, CountryMetric, LanguageMetric}

// IsShare reports whether the metric is a share from 0 to 1.
func (m Metric) IsShare() bool {
	return m == NegativeMetric || m == PositiveMetric || m == CategoryMetric || m == CountryMetric || m == LanguageMetric
}

// Hours is a part of the week in the monitor's time zone. If To is not after From, it ends on the
// following day.
type Hours struct {
	Days []time.Weekday // on which it starts; empty: every day
	From Clock
	To   Clock // exclusive
}

// A Clock is a time of day in minutes after midnight.
type Clock int

// A Severity says how urgent a signal is.
type Severity string

const (
	Info     Severity = "info"
	Warning  Severity = "warning"
	Critical Severity = "critical"
)

// Severities lists every severity, least urgent first.
var Severities = []Severity{Info, Warning, Critical}

// A Signal is something that happened to a monitor: it is raised once, updated while it lasts, and
// resolved.
type Signal struct {
	ID      SignalID
	Team    TeamID
	Monitor MonitorID // or one of its filters
	Rule    RuleID    // 0: the defaults for monitors without an UnusualRule
	Kind    SignalKind
	Subject string // what a share, a newcomer or a post is about: category ID, country, hashtag, URL, key of a post
	Label   string // the subject for people

	State    SignalState
	Severity Severity
	Title    string // one line, for example "Coffee: 3.2× the usual posts on Mar 10: recall"
	Text     string // one to three sentences: what was expected, how sure we are, what it is about

	// The posts of the signal: those of the monitor in [From, To) that the filter selects.
	From, To time.Time
	Filter   string

	Metric   Metric        // what is observed and expected
	Window   time.Duration // in which posts were counted; 0 for posts
	Observed float64       // value of the metric, as of the last evaluation
	Expected float64       // at the peak
	Low      float64       // 99% interval of what was expected at the peak
	High     float64
	Chance   float64 // probability of the peak without a cause; 0 for rules without a model
	Peak     float64
	PeakTime time.Time
	Reported float64 // peak that people were last notified of

	Posts     []PostKey  // of a PostRule, in the order in which they were found
	Newcomers []Newcomer // of a volume signal: what else is new meanwhile, and raises no signals of its own

	Explanation *SignalExplanation // nil: not yet, or there is none

	Raised     time.Time
	Updated    time.Time // last time people were notified of a change
	Evaluated  time.Time
	Resolved   time.Time // zero while firing
	Quiet      time.Time // since when the condition no longer holds; zero while it does
	Notified   int       // number of events that were handed over for delivery
	Events     []SignalEvent
	LastNumber int // of the events

	AcknowledgedBy string
	Acknowledged   time.Time // zero: not
	Assignee       UserID    // 0: none
	Comments       []SignalComment
	Feedback       []SignalFeedback
}

// A SignalKind is what a signal is about.
type SignalKind string

const (
	VolumeSignal    SignalKind = "volume"
	NegativeSignal  SignalKind = "negative"  // share of negative posts
	CategorySignal  SignalKind = "category"  // share of a category of an opinion monitor
	CountrySignal   SignalKind = "country"   // share of a country
	LanguageSignal  SignalKind = "language"  // share of a language
	HashtagSignal   SignalKind = "hashtag"   // a hashtag that was not there before
	LinkSignal      SignalKind = "link"      // a link that was not there before
	AuthorSignal    SignalKind = "author"    // an author who was not there before
	TopicSignal     SignalKind = "topic"     // a topic that was not there before
	ThresholdSignal SignalKind = "threshold" // of a ThresholdRule
	PostSignal      SignalKind = "post"      // of a PostRule
)

// UnusualKinds lists the kinds of signals that an [UnusualRule] raises.
var UnusualKinds = []SignalKind{
	VolumeSignal, NegativeSignal, CategorySignal, CountrySignal, LanguageSignal, HashtagSignal, LinkSignal, AuthorSignal, TopicSignal,
}

// A Newcomer is a hashtag, link, author or topic that was not there before.
type Newcomer struct {
	Kind    SignalKind
	Subject string
	Label   string
	Posts   int64
}

// A SignalState is where a signal is in its life.
type SignalState string

const (
	Firing         SignalState = "firing"
	ResolvedSignal SignalState = "resolved"
)

// A SignalEvent is a step in the life of a signal. Those of kind raised, updated and resolved are
// delivered to the rule's channels.
type SignalEvent struct {
	Number   int // within the signal, from 1
	Kind     SignalEventKind
	Time     time.Time
	By       string // empty: Earshot itself
	Observed float64
	Assignee UserID // of an assignment; 0: nobody
}

// A SignalEventKind is what happened to a signal.
type SignalEventKind string

const (
	SignalRaised       SignalEventKind = "raised"
	SignalUpdated      SignalEventKind = "updated"
	SignalResolved     SignalEventKind = "resolved"
	SignalAcknowledged SignalEventKind = "acknowledged"
	SignalAssigned     SignalEventKind = "assigned"
)

// A SignalExplanation is why a signal was raised, as of its peak.
type SignalExplanation struct {
	From, To  time.Time
	Sentence  string  // "Most of the additional posts are about recall, fire, machine."
	Cause     string  // single, several or none, as explanations name it
	Explained float64 // share of the excess that the stories explain
	Stories   []SignalStory
	Words     []string  // most over-represented first
	Posts     []PostKey // the earliest and the most shared ones
}

// A SignalStory is a group of words that occur together in the posts of a signal.
type SignalStory struct {
	Name   string
	Terms  []string
	Filter string // selects its posts
	Posts  int64
	Share  float64 // of the excess
	Link   string  // most frequent one
}

// A SignalComment is what a person wrote about a signal.
type SignalComment struct {
	ID   int64 // within the signal
	Text string
	By   string
	Time time.Time
}

// SignalFeedback is a person's opinion whether a signal was useful.
type SignalFeedback struct {
	User   UserID
	Useful bool
	Time   time.Time
}
