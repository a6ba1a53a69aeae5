package manage

import (
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
	"earshot/internal/source"
)

// An overview summarizes some days of a monitor. Parts that were not requested are empty.
type overview struct {
	Monitor       overviewMonitor    `json:"monitor"`
	Start         earshot.Date       `json:"start"`
	End           earshot.Date       `json:"end"`
	Results       dateRange          `json:"results"`
	Posts         int64              `json:"posts"`
	Previous      *previous          `json:"previous"`
	Days          []overviewDay      `json:"days"`
	Hours         []overviewHour     `json:"hours"`
	Categories    []overviewCategory `json:"categories"`
	Emotions      []overviewEmotion  `json:"emotions"`
	Estimated     bool               `json:"estimated"`
	Intervals     []dayIntervals     `json:"intervals"`
	Outdated      int64              `json:"outdated,omitempty"` // posts that an older version of the models has labeled
	NeedsTraining string             `json:"untaught"`
	Words         []nameCount        `json:"words"`
	Hashtags      []nameCount        `json:"hashtags"`
	Sites         []nameCount        `json:"sites"`
	Sources       []nameCount        `json:"sources"`
	Languages     []idCount          `json:"languages"`
	Authors       overviewAuthors    `json:"authors"`
	Places        overviewPlaces     `json:"places"`
	Ages          []groupCount       `json:"ages"`
	Genders       []groupCount       `json:"genders"`
	Clock         []clockCount       `json:"clock"`
	Interests     []interestCount    `json:"interests"`
	Images        overviewImages     `json:"images"`
	Engagement    []nameCount        `json:"engagement"`
	Unusual       []unusualDay       `json:"unusual"`
	Gaps          []overviewGap      `json:"gaps"`
	Annotations   []annotation       `json:"annotations"`
	Signals       []signalMark       `json:"signals"` // of the days, oldest first; empty for visitors
}

// An overviewGap is a period for which a source may have missed posts of the monitor.
type overviewGap struct {
	Source earshot.LiveSourceID `json:"source"`
	Name   string               `json:"name"`
	sourceGap
}

func newOverviewGap(g source.SourceGap) overviewGap {
	return overviewGap{g.Source, g.Name, newSourceGap(g)}
}

type overviewMonitor struct {
	ID       earshot.MonitorID   `json:"id"`
	Name     string              `json:"name"`
	Type     earshot.MonitorType `json:"type"`
	Timezone string              `json:"timezone"`
}

type dateRange struct {
	Start earshot.Date `json:"start"`
	End   earshot.Date `json:"end"`
}

type previous struct {
	dateRange
	Posts int64 `json:"posts"`
}

type overviewDay struct {
	Date       earshot.Date `json:"date"`
	Posts      int64        `json:"posts"`
	Categories []int64      `json:"categories"`
	Emotions   []int64      `json:"emotions"`
}

type overviewHour struct {
	hourPosts
	Categories []int64 `json:"categories"`
	Emotions   []int64 `json:"emotions"`
}

type hourPosts struct {
	Time  time.Time `json:"time"`
	Posts int64     `json:"posts"`
}

// An unusualDay is a day with more or fewer posts than expected.
type unusualDay struct {
	dayPosts
	Expected expectation    `json:"expected"`
	Change   insight.Change `json:"change"`
}

func newUnusualDay(d insight.UnusualDay) unusualDay {
	return unusualDay{dayPosts{d.Day, d.Posts}, newExpectation(d.Expected), d.Change}
}

type nameCount struct {
	Name  string `json:"name"`
	Posts int64  `json:"posts"`
}

type idCount struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	Posts int64  `json:"posts"`
}

type groupCount struct {
	ID    string `json:"id"`
	Posts int64  `json:"posts"`
}

type clockCount struct {
	Weekday string `json:"weekday"`
	Hour    int    `json:"hour"`
	Posts   int64  `json:"posts"`
}

// overviewAuthors counts authors. Impressions are null if they are unknown.
type overviewAuthors struct {
	Count       int64         `json:"count"`
	Impressions *int64        `json:"impressions"`
	Posts       int64         `json:"posts"`
	Top         []authorCount `json:"top"`
	Reach       []authorCount `json:"reach"`
}

type authorCount struct {
	Name        string `json:"name"`
	Posts       int64  `json:"posts"`
	Impressions *int64 `json:"impressions"`
}

type overviewPlaces struct {
	Located   int64     `json:"located"`
	Countries []idCount `json:"countries"`
	States    []idCount `json:"states"`
	Cities    []idCount `json:"cities"`
}

type interestCount struct {
	ID        earshot.InterestID `json:"id"`
	Name      string             `json:"name"`
	Posts     int64              `json:"posts"`
	Relevancy float64            `json:"relevancy"`
}

type overviewImages struct {
	Posts   int64     `json:"posts"`
	Classes []idCount `json:"classes"`
	Brands  []idCount `json:"brands"`
}

func newOverview(m *earshot.Monitor, o *insight.Overview, results earshot.Days) overview {
	shown := overview{
		Monitor: overviewMonitor{m.ID, m.Name, m.Type, m.Timezone},
		Start:   o.Days.Start, End: o.Days.End, Results: dateRange(results), Posts: o.Posts,
		Days: jsonvalue.Map(o.ByDay, newOverviewDay), Hours: jsonvalue.Map(o.Hours, newOverviewHour),
		Categories: jsonvalue.Map(o.Categories, newOverviewCategory), Emotions: jsonvalue.Map(o.Emotions, newOverviewEmotion),
		Estimated: o.Estimated, Intervals: jsonvalue.Map(o.Intervals, newDayIntervals), Outdated: o.Outdated, NeedsTraining: o.NeedsTraining,
		Words: newNameCounts(o.Words), Hashtags: newNameCounts(o.Hashtags), Sites: newNameCounts(o.Sites),
		Sources: newNameCounts(o.Sources), Languages: jsonvalue.Map(o.Languages, newLanguage), Engagement: newNameCounts(o.Engagement),
		Authors: newOverviewAuthors(o.Authors), Places: newOverviewPlaces(o.Places),
		Ages:    newAges(o.Ages),
		Genders: []groupCount{{string(earshot.Female), o.Female}, {string(earshot.Male), o.Male}},
		Clock:   newClock(o.Clock), Interests: jsonvalue.Map(o.Interests, newInterest), Images: newOverviewImages(o.Images),
		Unusual: jsonvalue.Map(o.Unusual, newUnusualDay),
	}
	if o.Previous != nil {
		shown.Previous = &previous{dateRange(o.Previous.Days), o.Previous.Posts}
	}
	return shown
}

func newOverviewDay(d insight.DayBreakdown) overviewDay {
	return overviewDay{d.Day, d.Posts, jsonvalue.OrEmpty(d.Categories), jsonvalue.OrEmpty(d.Emotions)}
}

func newOverviewHour(h insight.HourBreakdown) overviewHour {
	return overviewHour{hourPosts{h.Start, h.Posts}, jsonvalue.OrEmpty(h.Categories), jsonvalue.OrEmpty(h.Emotions)}
}

func newNameCounts(list []insight.Count) []nameCount {
	return jsonvalue.Map(list, func(c insight.Count) nameCount { return nameCount(c) })
}

func newLanguage(c insight.Count) idCount {
	return idCount{c.Name, earshot.LanguageName(c.Name), c.Posts}
}

func newOverviewAuthors(a insight.AuthorTotals) overviewAuthors {
	show := func(c insight.AuthorCount) authorCount {
		return authorCount{c.Name, c.Posts, knownReach(c.Impressions)}
	}
	return overviewAuthors{a.Authors, knownReach(a.Impressions), a.Posts, jsonvalue.Map(a.Top, show), jsonvalue.Map(a.Reach, show)}
}

// knownReach returns nil instead of 0 impressions: no post states how many followers its author has,
// so the reach is unknown.
func knownReach(impressions int64) *int64 {
	if impressions == 0 {
		return nil
	}
	return &impressions
}

func newOverviewPlaces(p insight.PlaceTotals) overviewPlaces {
	show := func(c insight.PlaceCount) idCount {
		return idCount{geo.Plain(c.Place.Place).ID(), c.Place.Name, c.Posts}
	}
	return overviewPlaces{p.Posts, jsonvalue.Map(p.Countries, show), jsonvalue.Map(p.States, show), jsonvalue.Map(p.Cities, show)}
}

func newAges(groups [4]int64) []groupCount {
	list := make([]groupCount, len(groups))
	for i, posts := range groups {
		list[i] = groupCount{earshot.AgeGroups[i], posts}
	}
	return list
}

// newClock returns the hours of the week, starting with Monday.
func newClock(posts [7][24]int64) []clockCount {
	list := make([]clockCount, 0, 7*24)
	for day := range time.Weekday(7) {
		weekday := (day + time.Monday) % 7
		for hour, n := range posts[weekday] {
			list = append(list, clockCount{weekday.String(), hour, n})
		}
	}
	return list
}

func newInterest(c insight.InterestCount) interestCount {
	return interestCount{c.Interest.ID, c.Interest.Name, c.Posts, round4(c.Relevancy)}
}

func newOverviewImages(i insight.ImageTotals) overviewImages {
	show := func(p insight.LabelCount) idCount { return idCount(p) }
	return overviewImages{i.Posts, jsonvalue.Map(i.Classes, show), jsonvalue.Map(i.Brands, show)}
}

type overviewCategory struct {
	ID     earshot.CategoryID `json:"id"`
	Name   string             `json:"name"`
	Group  string             `json:"group"`
	Hidden bool               `json:"hidden"`
	Posts  int64              `json:"posts"`
	estimate
}

type overviewEmotion struct {
	ID    earshot.CategoryID `json:"id"`
	Name  string             `json:"name"`
	Posts int64              `json:"posts"`
	estimate
}

// An estimate is a share with its confidence interval, which is null if the share was counted.
type estimate struct {
	Share    float64   `json:"share"`
	Interval *interval `json:"interval"`
}

type interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// dayIntervals are the estimated shares of each category and emotion on a day, in the order of the
// categories and emotions. There are no categories if they were counted.
type dayIntervals struct {
	Date       earshot.Date    `json:"date"`
	Categories []shareInterval `json:"categories"`
	Emotions   []shareInterval `json:"emotions"`
}

type shareInterval struct {
	Share float64 `json:"share"`
	interval
}

func newOverviewCategory(t insight.CategoryTotal) overviewCategory {
	return overviewCategory{
		ID: t.Category.ID, Name: t.Category.Name, Group: t.Category.Group, Hidden: t.Category.Hidden,
		Posts: t.Posts, estimate: newEstimate(t),
	}
}

func newOverviewEmotion(t insight.CategoryTotal) overviewEmotion {
	return overviewEmotion{ID: t.Category.ID, Name: t.Category.Name, Posts: t.Posts, estimate: newEstimate(t)}
}

func newEstimate(t insight.CategoryTotal) estimate {
	e := estimate{Share: round4(t.Share)}
	if t.High > 0 {
		e.Interval = &interval{round4(t.Low), round4(t.High)}
	}
	return e
}

func newDayIntervals(d insight.DayProportions) dayIntervals {
	show := func(p insight.Proportion) shareInterval {
		return shareInterval{round4(p.Share), interval{round4(p.Low), round4(p.High)}}
	}
	return dayIntervals{d.Day, jsonvalue.Map(d.Categories, show), jsonvalue.Map(d.Emotions, show)}
}
