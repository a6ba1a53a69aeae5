package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// A Part is something that an overview tells.
type Part string

const (
	DaysPart       Part = "days"
	HoursPart      Part = "hours"
	CategoriesPart Part = "categories"
	EmotionsPart   Part = "emotions"
	PreviousPart   Part = "previous"
	WordsPart      Part = "words"
	HashtagsPart   Part = "hashtags"
	SitesPart      Part = "sites"
	SourcesPart    Part = "sources"
	LanguagesPart  Part = "languages"
	AuthorsPart    Part = "authors"
	PlacesPart     Part = "places"
	AgesPart       Part = "ages"
	GendersPart    Part = "genders"
	ClockPart      Part = "clock"
	InterestsPart  Part = "interests"
	ImagesPart     Part = "images"
	EngagementPart Part = "engagement"
)

// Parts lists all that an overview can tell.
var Parts = []Part{
	DaysPart, HoursPart, CategoriesPart, EmotionsPart, PreviousPart, WordsPart, HashtagsPart, SitesPart, SourcesPart, LanguagesPart,
	AuthorsPart, PlacesPart, AgesPart, GendersPart, ClockPart, InterestsPart, ImagesPart, EngagementPart,
}

// A View says what an overview is to tell, and of which posts.
type View struct {
	Days  earshot.Days
	Parts []Part

	// Filter is a text that is different for different conditions, empty when there are none,
	// and Narrow says what it means for posts that are sorted so.
	Filter string
	Narrow func(sorted Sorting) (poststore.Selection, error)
}

// An Overview is what the posts of some days say, all of it at once. What was not asked for is
// zero.
type Overview struct {
	Days     earshot.Days // those that were counted; both zero when there are none
	Posts    int64
	Previous *Previous // nil: not all of these days have results
	Hours    []VolumeStep
	Feelings

	Words     []Count
	Hashtags  []Count
	Sites     []Count
	Sources   []Count
	Languages []Count
	Authors   AuthorTotals
	Places    PlaceTotals
	Ages      [4]int64 // in the order of earshot.AgeGroups
	Female    int64
	Male      int64
	Clock     [7][24]int64 // Sunday first, at the author's clock where that is known
	Interests []InterestCount
	Images    ImageTotals
	Engaged   []Count
}

// Previous is the stretch of as many days before others, all of which have results.
type Previous struct {
	Days  earshot.Days
	Posts int64
}

// Overview returns what the posts of m say on those of the days that have results. Without a
// filter its figures are those of the other metrics; with one, opinions are counted as they
// are assigned.
func (s *Service) Overview(ctx context.Context, m *earshot.Monitor, v View) (o *Overview, err error) {
	days, err := s.countable(m, v.Days)
	if err != nil {
		return nil, err
	}
	err = s.Steadily(ctx, m, func(sorted Sorting) error {
		var narrow poststore.Selection
		if v.Filter != "" {
			var err error
			if narrow, err = v.Narrow(sorted); err != nil {
				return err
			}
		}
		o, err = s.overview(ctx, &viewed{View: v, monitor: m, days: days, sorted: sorted, narrow: narrow})
		return err
	})
	return o, err
}

// A viewed is a view of a monitor's posts as they are sorted.
type viewed struct {
	View
	monitor *earshot.Monitor
	days    earshot.Days // that have results
	sorted  Sorting
	narrow  poststore.Selection
}

// selection picks the posts of some days.
func (v *viewed) selection(days earshot.Days) poststore.Selection {
	of, all := v.narrow, selection(v.monitor, days)
	of.Monitor, of.From, of.To = all.Monitor, all.From, all.To
	return of
}

// has reports whether one of some parts is asked for.
func (v *viewed) has(parts ...Part) bool {
	for _, part := range v.Parts {
		for _, p := range parts {
			if p == part {
				return true
			}
		}
	}
	return false
}

func (s *Service) overview(ctx context.Context, v *viewed) (*Overview, error) {
	o := &Overview{}
	if v.days.Len() <= 0 {
		o.Feelings.addUp(v.monitor)
		return o, nil
	}
	o.Days = v.days
	f, err := s.viewFigures(ctx, v)
	if err == nil {
		err = s.takeFigures(v, f, o)
	}
	if err == nil {
		err = s.viewFeelings(ctx, v, f, o)
	}
	if err == nil {
		err = s.viewPrevious(ctx, v, o)
	}
	if err == nil {
		err = s.viewWords(ctx, v, o)
	}
	return o, err
}

// before returns as many days before others, and whether all of them have results: fewer
// cannot be compared.
func (s *Service) before(m *earshot.Monitor, days earshot.Days) (earshot.Days, bool) {
	before := earshot.Days{Start: days.Start.AddDays(-days.Len()), End: days.Start}
	return before, s.withResults(m, before) == before
}

// viewPrevious counts the posts of as many days before.
func (s *Service) viewPrevious(ctx context.Context, v *viewed, o *Overview) error {
	before, comparable := s.before(v.monitor, v.days)
	if !v.has(PreviousPart) || !comparable {
		return nil
	}
	rows, err := s.Store.Tally(ctx, poststore.Tally{Of: v.selection(before), Zone: v.monitor.Location()})
	if err == nil {
		o.Previous = &Previous{before, rows[0].Posts}
	}
	return err
}

// viewedWords is how many words an overview has.
const viewedWords = 100

// viewWords finds the words.
func (s *Service) viewWords(ctx context.Context, v *viewed, o *Overview) error {
	if !v.has(WordsPart) {
		return nil
	}
	cloud, err := s.WordCloud(ctx, v.monitor, v.days, v.narrow, v.question())
	rows := make([]poststore.Row, 0, len(cloud))
	for word, n := range cloud {
		rows = append(rows, poststore.Row{Key: []string{word}, Posts: n})
	}
	o.Words = countsOf(poststore.Largest(rows, viewedWords))
	return err
}
