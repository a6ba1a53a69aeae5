package card

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/source"
	"earshot/internal/workspace/incident"
)

// An Overview summarizes some days of a monitor. Parts that were not requested are empty.
type Overview struct {
	Monitor       OverviewMonitor    `json:"monitor"`
	Start         earshot.Date       `json:"start"`
	End           earshot.Date       `json:"end"`
	Results       DateRange          `json:"results"`
	Posts         int64              `json:"posts"`
	Empty         bool               `json:"empty,omitempty"` // no posts are stored at all, of any monitor
	Previous      *Previous          `json:"previous"`
	Days          []OverviewDay      `json:"days"`
	Hours         []OverviewHour     `json:"hours"`
	Categories    []OverviewCategory `json:"categories"`
	Emotions      []OverviewEmotion  `json:"emotions"`
	Estimated     bool               `json:"estimated"`
	Labels        int                `json:"labels"` // of these posts, that calibrate the shares of sentiments
	EmotionLabels int                `json:"emotionLabels"`
	Intervals     []DayIntervals     `json:"intervals"`
	Outdated      int64              `json:"outdated,omitempty"` // posts that an older version of the models has labeled
	NeedsTraining string             `json:"needsTraining" old:"untaught"`
	Words         []NameCount        `json:"words"`
	Hashtags      []NameCount        `json:"hashtags"`
	Sites         []NameCount        `json:"sites"`
	Sources       []NameCount        `json:"sources"`
	Languages     []IDCount          `json:"languages"`
	Authors       OverviewAuthors    `json:"authors"`
	Places        OverviewPlaces     `json:"places"`
	Ages          []GroupCount       `json:"ages"`
	Genders       []GroupCount       `json:"genders"`
	Clock         []ClockCount       `json:"clock"`
	Interests     []InterestCount    `json:"interests"`
	Images        OverviewImages     `json:"images"`
	Engagement    []NameCount        `json:"engagement"`
	Unusual       []UnusualDay       `json:"unusual"`
	Gaps          []OverviewGap      `json:"gaps"`
	Annotations   []Annotation       `json:"annotations"`
	Signals       []SignalMark       `json:"signals"` // of the days, oldest first; empty for visitors
}

// An OverviewGap is a period for which a source may have missed posts of the monitor.
type OverviewGap struct {
	Source earshot.LiveSourceID `json:"source"`
	Name   string               `json:"name"`
	SourceGap
}

func newOverviewGap(g source.SourceGap) OverviewGap {
	return OverviewGap{g.Source, g.Name, NewSourceGap(g)}
}

type OverviewMonitor struct {
	ID       earshot.MonitorID   `json:"id"`
	Name     string              `json:"name"`
	Type     earshot.MonitorType `json:"type"`
	Timezone string              `json:"timezone"`
}

type DateRange struct {
	Start earshot.Date `json:"start"`
	End   earshot.Date `json:"end"`
}

type Previous struct {
	DateRange
	Posts int64 `json:"posts"`
}

type OverviewDay struct {
	Date       earshot.Date `json:"date"`
	Posts      int64        `json:"posts"`
	Categories []int64      `json:"categories"`
	Emotions   []int64      `json:"emotions"`
}

type OverviewHour struct {
	HourPosts
	Categories []int64 `json:"categories"`
	Emotions   []int64 `json:"emotions"`
}

type HourPosts struct {
	Time  time.Time `json:"time"`
	Posts int64     `json:"posts"`
}

// An UnusualDay is a day with more or fewer posts than expected.
type UnusualDay struct {
	DayPosts
	Expected incident.Expectation `json:"expected"`
	Change   insight.Change       `json:"change"`
}

func NewUnusualDay(d insight.UnusualDay) UnusualDay {
	return UnusualDay{DayPosts{d.Day, d.Posts}, incident.NewExpectation(d.Expected), d.Change}
}

type NameCount struct {
	Name  string `json:"name"`
	Posts int64  `json:"posts"`
}

type IDCount struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Posts int64  `json:"posts"`
}

type GroupCount struct {
	ID    string `json:"id"`
	Posts int64  `json:"posts"`
}

type ClockCount struct {
	Weekday string `json:"weekday"`
	Hour    int    `json:"hour"`
	Posts   int64  `json:"posts"`
}

// OverviewAuthors counts authors. Impressions are null if they are unknown.
type OverviewAuthors struct {
	Count       int64         `json:"count"`
	Impressions *int64        `json:"impressions"`
	Posts       int64         `json:"posts"`
	Top         []AuthorCount `json:"top"`
	Reach       []AuthorCount `json:"reach"`
}

type AuthorCount struct {
	Name        string `json:"name"`
	Posts       int64  `json:"posts"`
	Impressions *int64 `json:"impressions"`
}

type OverviewPlaces struct {
	Located   int64     `json:"located"`
	Countries []IDCount `json:"countries"`
	States    []IDCount `json:"states"`
	Cities    []IDCount `json:"cities"`
}

type InterestCount struct {
	ID        earshot.InterestID `json:"id"`
	Name      string             `json:"name"`
	Posts     int64              `json:"posts"`
	Relevancy float64            `json:"relevancy"`
}

type OverviewImages struct {
	Posts   int64     `json:"posts"`
	Classes []IDCount `json:"classes"`
	Brands  []IDCount `json:"brands"`
}

func newOverview(m *earshot.Monitor, o *insight.Overview, results earshot.Days) Overview {
	shown := Overview{
		Monitor: OverviewMonitor{m.ID, m.Name, m.Type, m.Timezone},
		Start:   o.Days.Start, End: o.Days.End, Results: DateRange(results), Posts: o.Posts,
		Days: jsonvalue.Map(o.ByDay, newOverviewDay), Hours: jsonvalue.Map(o.Hours, newOverviewHour),
		Categories: jsonvalue.Map(o.Categories, newOverviewCategory), Emotions: jsonvalue.Map(o.Emotions, newOverviewEmotion),
		Estimated: o.Estimated, Labels: o.Labels, EmotionLabels: o.EmotionLabels, Intervals: jsonvalue.Map(o.Intervals, newDayIntervals), Outdated: o.Outdated, NeedsTraining: o.NeedsTraining,
		Words: newNameCounts(o.Words), Hashtags: newNameCounts(o.Hashtags), Sites: newNameCounts(o.Sites),
		Sources: newNameCounts(o.Sources), Languages: jsonvalue.Map(o.Languages, newLanguage), Engagement: newNameCounts(o.Engagement),
		Authors: newOverviewAuthors(o.Authors), Places: newOverviewPlaces(o.Places),
		Ages:    newAges(o.Ages),
		Genders: []GroupCount{{string(earshot.Female), o.Female}, {string(earshot.Male), o.Male}},
		Clock:   newClock(o.Clock), Interests: jsonvalue.Map(o.Interests, newInterest), Images: newOverviewImages(o.Images),
		Unusual: jsonvalue.Map(o.Unusual, NewUnusualDay),
	}
	if o.Previous != nil {
		shown.Previous = &Previous{DateRange(o.Previous.Days), o.Previous.Posts}
	}
	return shown
}

func newOverviewDay(d insight.DayBreakdown) OverviewDay {
	return OverviewDay{d.Day, d.Posts, jsonvalue.OrEmpty(d.Categories), jsonvalue.OrEmpty(d.Emotions)}
}

func newOverviewHour(h insight.HourBreakdown) OverviewHour {
	return OverviewHour{HourPosts{h.Start, h.Posts}, jsonvalue.OrEmpty(h.Categories), jsonvalue.OrEmpty(h.Emotions)}
}

func newNameCounts(list []insight.Count) []NameCount {
	return jsonvalue.Map(list, func(c insight.Count) NameCount { return NameCount(c) })
}

func newLanguage(c insight.Count) IDCount {
	return IDCount{c.Name, earshot.LanguageName(c.Name), c.Posts}
}

func newOverviewAuthors(a insight.AuthorTotals) OverviewAuthors {
	show := func(c insight.AuthorCount) AuthorCount {
		return AuthorCount{c.Name, c.Posts, knownReach(c.Impressions)}
	}
	return OverviewAuthors{a.Authors, knownReach(a.Impressions), a.Posts, jsonvalue.Map(a.Top, show), jsonvalue.Map(a.Reach, show)}
}

// knownReach returns nil instead of 0 impressions: no post states how many followers its author has,
// so the reach is unknown.
func knownReach(impressions int64) *int64 {
	if impressions == 0 {
		return nil
	}
	return &impressions
}

func newOverviewPlaces(p insight.PlaceTotals) OverviewPlaces {
	show := func(c insight.PlaceCount) IDCount {
		return IDCount{geo.Plain(c.Place.Place).ID(), c.Place.Name, c.Posts}
	}
	return OverviewPlaces{p.Posts, jsonvalue.Map(p.Countries, show), jsonvalue.Map(p.States, show), jsonvalue.Map(p.Cities, show)}
}

func newAges(groups [4]int64) []GroupCount {
	list := make([]GroupCount, len(groups))
	for i, posts := range groups {
		list[i] = GroupCount{earshot.AgeGroups[i], posts}
	}
	return list
}

// newClock returns the hours of the week, starting with Monday.
func newClock(posts [7][24]int64) []ClockCount {
	list := make([]ClockCount, 0, 7*24)
	for day := range time.Weekday(7) {
		weekday := (day + time.Monday) % 7
		for hour, n := range posts[weekday] {
			list = append(list, ClockCount{weekday.String(), hour, n})
		}
	}
	return list
}

func newInterest(c insight.InterestCount) InterestCount {
	return InterestCount{c.Interest.ID, c.Interest.Name, c.Posts, jsonvalue.Round4(c.Relevancy)}
}

func newOverviewImages(i insight.ImageTotals) OverviewImages {
	show := func(p insight.LabelCount) IDCount { return IDCount(p) }
	return OverviewImages{i.Posts, jsonvalue.Map(i.Classes, show), jsonvalue.Map(i.Brands, show)}
}

type OverviewCategory struct {
	ID     earshot.CategoryID `json:"id"`
	Name   string             `json:"name"`
	Group  string             `json:"group"`
	Hidden bool               `json:"hidden"`
	Posts  int64              `json:"posts"`
	Estimate
}

type OverviewEmotion struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name"`
	Posts int64              `json:"posts"`
	Estimate
}

// An Estimate is a share with its confidence interval, which is null if the share was counted.
type Estimate struct {
	Share    float64   `json:"share"`
	Interval *Interval `json:"interval"`
}

type Interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// DayIntervals are the estimated shares of each category and emotion on a day, in the order of the
// categories and emotions. There are no categories if they were counted.
type DayIntervals struct {
	Date       earshot.Date    `json:"date"`
	Categories []ShareInterval `json:"categories"`
	Emotions   []ShareInterval `json:"emotions"`
}

type ShareInterval struct {
	Share float64 `json:"share"`
	Interval
}

func newOverviewCategory(t insight.CategoryTotal) OverviewCategory {
	return OverviewCategory{
		ID: t.Category.ID, Name: t.Category.Name, Group: t.Category.Group, Hidden: t.Category.Hidden,
		Posts: t.Posts, Estimate: NewEstimate(t),
	}
}

func newOverviewEmotion(t insight.CategoryTotal) OverviewEmotion {
	return OverviewEmotion{ID: t.Category.ID, Name: t.Category.Name, Posts: t.Posts, Estimate: NewEstimate(t)}
}

func NewEstimate(t insight.CategoryTotal) Estimate {
	e := Estimate{Share: jsonvalue.Round4(t.Share)}
	if t.High > 0 {
		e.Interval = &Interval{jsonvalue.Round4(t.Low), jsonvalue.Round4(t.High)}
	}
	return e
}

func newDayIntervals(d insight.DayProportions) DayIntervals {
	return DayIntervals{d.Day, jsonvalue.Map(d.Categories, NewShareInterval), jsonvalue.Map(d.Emotions, NewShareInterval)}
}

// NewShareInterval returns the share and the interval of a proportion, rounded.
func NewShareInterval(p insight.Proportion) ShareInterval {
	return ShareInterval{jsonvalue.Round4(p.Share), Interval{jsonvalue.Round4(p.Low), jsonvalue.Round4(p.High)}}
}

// A SourceGap is a period for which a source may have missed posts.
type SourceGap struct {
	From   time.Time `json:"from"`
	To     time.Time `json:"to"`
	Reason string    `json:"reason"`
	Open   bool      `json:"open"` // the source is still down
}

func NewSourceGap(g source.SourceGap) SourceGap {
	return SourceGap{From: g.From, To: g.To, Reason: g.Reason, Open: g.Open}
}

// An Annotation is a remark on the time axis. Monitor is null if it is on the charts of all monitors
// of the team.
type Annotation struct {
	ID      earshot.AnnotationID `json:"id"`
	Team    earshot.TeamID       `json:"team"`
	Monitor *earshot.MonitorID   `json:"monitor"`
	Start   earshot.Date         `json:"start"`
	End     earshot.Date         `json:"end"` // exclusive
	Text    string               `json:"text"`
	By      string               `json:"by"`
	Created time.Time            `json:"created"`
	Edited  *time.Time           `json:"edited"`
}

func NewAnnotation(a *earshot.Annotation) Annotation {
	return Annotation{a.ID, a.Team, jsonvalue.Optional(a.Monitor), a.Start, a.End, a.Text, a.CreatedBy, a.Created, jsonvalue.Optional(a.Edited)}
}

// A SignalMark is a signal on a chart over time. From and to are in the time zone of the monitor.
type SignalMark struct {
	ID       earshot.SignalID    `json:"id"`
	Kind     earshot.SignalKind  `json:"kind"`
	State    earshot.SignalState `json:"state"`
	Severity earshot.Severity    `json:"severity"`
	Title    string              `json:"title"`
	From     time.Time           `json:"from"`
	To       time.Time           `json:"to"`
}

// maxSignalMarks is the maximum number of signals on a chart: the newest ones.
const maxSignalMarks = 100

// signalMarks returns the signals of a monitor or filter about posts on some days, in the order in which
// they were raised: the last ones if there are too many.
func (s *Service) signalMarks(m *earshot.Monitor, days earshot.Days) []SignalMark {
	zone := m.Location()
	from, to := days.Start.Start(zone), days.End.Start(zone)
	marks := []SignalMark{}
	for _, sig := range slices.Backward(s.Catalog.Signals.List()) {
		if len(marks) == maxSignalMarks {
			break
		}
		if sig.Monitor == m.ID && sig.Team == m.Team && sig.From.Before(to) && from.Before(sig.To) {
			marks = append(marks, SignalMark{sig.ID, sig.Kind, sig.State, sig.Severity, sig.Title, sig.From.In(zone), sig.To.In(zone)})
		}
	}
	slices.Reverse(marks)
	return marks
}

// Overview returns parts of the overview of a monitor or filter to a caller.
func (s *Service) Overview(ctx context.Context, c *earshot.Caller, q Query, requested []insight.Part) (Overview, error) {
	m, days, err := s.Find(c, q)
	if err != nil {
		return Overview{}, err
	}
	refinement := s.Filters.Refinement(c, m, q.Filter)
	view := insight.OverviewRequest{Days: days, Parts: requested, Filter: refinement.Key(), Refine: refinement.Selection}
	if len(view.Parts) == 0 {
		view.Parts = insight.Parts
	}
	found, err := s.Insight.Overview(ctx, m, view)
	if err != nil {
		return Overview{}, err
	}
	shown := newOverview(m, found, s.ResultDays(m))
	shown.keepParts(view.Parts)
	if shown.Posts == 0 {
		if shown.Empty, err = s.Insight.IsEmpty(ctx); err != nil {
			return Overview{}, err
		}
	}
	shown.Gaps, shown.Annotations, shown.Signals = []OverviewGap{}, []Annotation{}, []SignalMark{}
	if found.Days.Len() > 0 {
		zone := m.Location()
		shown.Gaps = jsonvalue.Map(s.Sources.Gaps(m, found.Days.Start.Start(zone), found.Days.End.Start(zone)), newOverviewGap)
		shown.Annotations = jsonvalue.Map(s.Annotations.MonitorAnnotations(m, found.Days), NewAnnotation)
		if SeesMarks(c) {
			shown.Signals = s.signalMarks(m, found.Days)
		} else {
			for i := range shown.Annotations {
				shown.Annotations[i].By = ""
			}
		}
	}
	return shown, nil
}

// keepParts clears the lists of parts that were not requested. The counts of days and hours are in
// the order of the categories and emotions, so these stay if days or hours were requested.
func (o *Overview) keepParts(requested []insight.Part) {
	has := func(part insight.Part) bool { return slices.Contains(requested, part) }
	if !has(insight.DaysPart) {
		o.Days = []OverviewDay{}
	}
	if !has(insight.DaysPart) && !has(insight.HoursPart) {
		if !has(insight.CategoriesPart) {
			o.Categories = []OverviewCategory{}
		}
		if !has(insight.EmotionsPart) {
			o.Emotions = []OverviewEmotion{}
		}
	}
	if !has(insight.AgesPart) {
		o.Ages = []GroupCount{}
	}
	if !has(insight.GendersPart) {
		o.Genders = []GroupCount{}
	}
	if !has(insight.ClockPart) {
		o.Clock = []ClockCount{}
	}
}

// only returns the overview with only some of its parts, as if no other had been requested.
func (o Overview) only(requested []insight.Part) Overview {
	shown := Overview{
		Monitor: o.Monitor, Start: o.Start, End: o.End, Results: o.Results, Posts: o.Posts, Gaps: o.Gaps, Annotations: o.Annotations, Signals: o.Signals,
		Days: o.Days, Hours: []OverviewHour{}, Categories: o.Categories, Emotions: o.Emotions, Intervals: []DayIntervals{},
		Words: []NameCount{}, Hashtags: []NameCount{}, Sites: []NameCount{}, Sources: []NameCount{}, Languages: []IDCount{},
		Authors: newOverviewAuthors(insight.AuthorTotals{}), Places: newOverviewPlaces(insight.PlaceTotals{}),
		Ages: o.Ages, Genders: o.Genders, Clock: o.Clock, Interests: []InterestCount{},
		Images: newOverviewImages(insight.ImageTotals{}), Engagement: []NameCount{}, Unusual: []UnusualDay{},
	}
	for _, part := range requested {
		switch part {
		case insight.DaysPart, insight.CategoriesPart, insight.EmotionsPart:
			shown.Estimated, shown.NeedsTraining = o.Estimated, o.NeedsTraining
			shown.Labels, shown.EmotionLabels = o.Labels, o.EmotionLabels
			if part != insight.DaysPart || o.Estimated { // the days of an opinion monitor have estimates of their own
				shown.Intervals = o.Intervals
			}
		case insight.HoursPart:
			shown.Hours = o.Hours
		case insight.PreviousPart:
			shown.Previous = o.Previous
		case insight.WordsPart:
			shown.Words = o.Words
		case insight.HashtagsPart:
			shown.Hashtags = o.Hashtags
		case insight.SitesPart:
			shown.Sites = o.Sites
		case insight.SourcesPart:
			shown.Sources = o.Sources
		case insight.LanguagesPart:
			shown.Languages = o.Languages
		case insight.AuthorsPart:
			shown.Authors = o.Authors
		case insight.PlacesPart:
			shown.Places = o.Places
		case insight.InterestsPart:
			shown.Interests = o.Interests
		case insight.ImagesPart:
			shown.Images = o.Images
		case insight.EngagementPart:
			shown.Engagement = o.Engagement
		case insight.UnusualPart:
			shown.Unusual = o.Unusual
		}
	}
	shown.keepParts(requested)
	return shown
}

// ResultDays returns the days of m that have results, or the zero value if there are none.
func (s *Service) ResultDays(m *earshot.Monitor) earshot.Days {
	days := m.Results(s.Now())
	if days.Len() <= 0 {
		return earshot.Days{}
	}
	return days
}

// SeesMarks reports whether posts that a caller requests come with their marks, and annotations with
// the names of their writers. Visitors of share links are nobody's colleagues.
func SeesMarks(c *earshot.Caller) bool { return c.User != 0 }
