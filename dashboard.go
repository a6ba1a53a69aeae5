package earshot

import "time"

// Limits on dashboards and saved views.
const (
	MaxDashboards = 200 // per team
	MaxCards      = 40  // per dashboard
	MaxCardRows   = 10  // per comparison on a card
	MaxViews      = 500 // per team
)

// A Dashboard is a page of cards that a team has arranged.
type Dashboard struct {
	ID    DashboardID
	Team  TeamID
	Name  string
	Range string // the range of cards without one of their own, for example lastweek
	Cards []Card // in the order in which they are shown

	LastCard int64 // highest ID that a card has had
	Edits    int64 // number of changes, for optimistic locking

	CreatedBy string
	Created   time.Time
	EditedBy  string
	Edited    time.Time
}

// A Card shows one thing about the posts of a monitor, filter or comparison.
type Card struct {
	ID    int64 // within the dashboard; stays the same when cards move
	Kind  CardKind
	Title string // empty: follows from the kind and the monitor
	Width int    // in columns, 1 to 4

	Monitor MonitorID // or one of its filters; 0 for comparisons and text
	Filter  string    // in the filter language of the management API
	Range   string    // empty: that of the dashboard, unless Start and End are set
	Start   Date
	End     Date // exclusive

	Sort    string    // of posts: newest, oldest, engagement, reach or relevance
	Rows    []CardRow // of a comparison
	Earlier string    // of a comparison: none, previous, year, or the first day of a period
	Text    string    // of a text card
}

// A CardKind determines what a card shows.
type CardKind string

const (
	FiguresCard    CardKind = "figures" // posts, change, authors, reach, dominant sentiment
	VolumeCard     CardKind = "volume"
	SentimentCard  CardKind = "sentiment" // or the categories of an opinion monitor
	EmotionsCard   CardKind = "emotions"
	SourcesCard    CardKind = "sources"
	SitesCard      CardKind = "sites"
	LanguagesCard  CardKind = "languages"
	PlacesCard     CardKind = "places"
	AgesCard       CardKind = "ages"
	GendersCard    CardKind = "genders"
	HashtagsCard   CardKind = "hashtags"
	WordsCard      CardKind = "words"
	AuthorsCard    CardKind = "authors"
	InterestsCard  CardKind = "interests"
	ClockCard      CardKind = "clock" // hours of the week
	UnusualCard    CardKind = "unusual"
	TopicsCard     CardKind = "topics"
	PostsCard      CardKind = "posts"
	ComparisonCard CardKind = "comparison"
	TextCard       CardKind = "text"
)

// CardKinds lists every kind.
var CardKinds = []CardKind{
	FiguresCard, VolumeCard, SentimentCard, EmotionsCard, SourcesCard, SitesCard, LanguagesCard, PlacesCard, AgesCard,
	GendersCard, HashtagsCard, WordsCard, AuthorsCard, InterestsCard, ClockCard, UnusualCard, TopicsCard, PostsCard,
	ComparisonCard, TextCard,
}

// A CardRow selects the posts of one row of a comparison.
type CardRow struct {
	Label   string
	Monitor MonitorID
	Filter  string
	Range   string // empty: that of the card
	Start   Date
	End     Date // exclusive
}

// A SavedView is a page of the web app with a name: its path and query, for example
// /monitors/7?range=lastweek.
type SavedView struct {
	ID      ViewID
	Team    TeamID
	Monitor MonitorID // that the page is about; 0: none
	Name    string
	Path    string

	CreatedBy string
	Created   time.Time
}

// A ShareLink lets people without an account see a dashboard, or the overview of a monitor, until it
// expires or is revoked. Only a hash of its token is stored.
type ShareLink struct {
	ID        ShareLinkID
	Team      TeamID
	Name      string
	TokenHash []byte // SHA-256

	// Either Dashboard is set, or Cards contains what the link shows.
	Dashboard DashboardID
	Range     string
	Cards     []Card

	PasswordHash string    // empty: none
	Expires      time.Time // zero: never
	Revoked      time.Time // zero: not revoked

	CreatedBy string
	Created   time.Time

	Views int64          // how often visitors opened it
	Uses  []ShareLinkUse // the last ones, newest last
}

// Monitor returns the monitor or filter whose overview the link shows, or 0 if it shows a dashboard.
func (l *ShareLink) Monitor() MonitorID {
	if l.Dashboard != 0 || len(l.Cards) == 0 {
		return 0
	}
	return l.Cards[0].Monitor
}

// A ShareLinkUse records that a visitor opened a share link, or was refused.
type ShareLinkUse struct {
	Time    time.Time
	Network string // prefix of the address, so that it does not identify a person
	Refused string // why, empty if it was not
}
