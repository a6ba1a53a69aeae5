package earshot

import "time"

// Limits on scheduled reports and feeds.
const (
	MaxScheduledReports = 100 // per team
	MaxReportParts      = 20  // dashboards and monitors of a report
	MaxReportChannels   = 10  // that a report is sent to
	MaxFeedLinks        = 200 // per team
	MaxClients          = 100 // per team
)

// A ScheduledReport is sent to channels at certain times.
type ScheduledReport struct {
	ID         ReportID
	Team       TeamID
	Name       string
	Monitors   []MonitorID // or filters
	Dashboards []DashboardID
	Cards      []Card      // shown in addition
	Compare    []MonitorID // what the monitors are compared with
	Filter     string      // of the monitors
	Client     ClientID    // that it is for; 0: none
	Cron       string      // when it is sent, in Timezone, for example "0 8 * * 1"
	Timezone   string
	Range      string // the days that it covers: yesterday, lastweek, lastmonth and others
	PDF, XLSX  bool   // attached to emails
	Channels   []ChannelID
	Disabled   bool
	Since      time.Time // of the schedule: it is not sent for times before

	Edits     int64 // number of changes, for optimistic locking
	CreatedBy string
	Created   time.Time
	EditedBy  string
	Edited    time.Time
}

// A Client is whom a team makes reports for. Its name and logo are on their covers.
type Client struct {
	ID      ClientID
	Team    TeamID
	Name    string
	Logo    []byte // a small PNG picture; empty: none
	Default bool   // of new reports of the team; at most one client is

	Edits     int64 // number of changes, for optimistic locking
	CreatedBy string
	Created   time.Time
	EditedBy  string
	Edited    time.Time
}

// A FeedLink is a secret address of an Atom feed. Only a hash of its token is stored.
type FeedLink struct {
	ID        FeedLinkID
	Team      TeamID
	Name      string
	Kind      FeedKind
	Monitor   MonitorID // or a filter; 0: signals of all monitors of the team
	Filter    string    // of posts
	TokenHash []byte    // SHA-256

	CreatedBy string
	Created   time.Time
}

// A FeedKind is what a feed contains.
type FeedKind string

const (
	PostFeed   FeedKind = "posts"
	SignalFeed FeedKind = "signals"
)
