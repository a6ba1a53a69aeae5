package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// A Part is a section of an overview.
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
	UnusualPart    Part = "unusual"
)

// Parts lists all parts.
var Parts = []Part{
	DaysPart, HoursPart, CategoriesPart, EmotionsPart, PreviousPart, WordsPart, HashtagsPart, SitesPart, SourcesPart, LanguagesPart,
	AuthorsPart, PlacesPart, AgesPart, GendersPart, ClockPart, InterestsPart, ImagesPart, EngagementPart, UnusualPart,
}

// An OverviewRequest selects the posts and the parts of an overview.
type OverviewRequest struct {
	Days  earshot.Days
	Parts []Part

	// Filter identifies the refinement. It is empty if there is none. Refine resolves the
	// refinement for the current categorization.
	Filter string
	Refine func(filter.Categories) (poststore.Selection, error)
}

// An Overview contains the metrics of the posts of some days, all computed at once. Parts that were
// not requested are zero.
type Overview struct {
	Days     earshot.Days // the days that were counted; zero if there are none
	Posts    int64
	Previous *Previous       // nil if some of its days have no results
	Hours    []HourBreakdown // all hours, in order; empty for long ranges
	Breakdown

	Words      []Count
	Hashtags   []Count
	Sites      []Count
	Sources    []Count
	Languages  []Count
	Authors    AuthorTotals
	Places     PlaceTotals
	Ages       [4]int64 // in the order of [earshot.AgeGroups]
	Female     int64
	Male       int64
	Clock      [7][24]int64 // Sunday first; in the author's time zone, or the monitor's if unknown
	Interests  []InterestCount
	Images     ImageTotals
	Engagement []Count
	Unusual    []UnusualDay // most unusual first
}

// Previous is the period of the same length before a range. All of its days have results.
type Previous struct {
	Days  earshot.Days
	Posts int64
}

// Overview returns the metrics of m's posts on the requested days that have results. Without a
// filter, they equal the other metrics. With a filter, categories of opinion monitors are counted
// as assigned instead of estimated.
func (s *Service) Overview(ctx context.Context, m *earshot.Monitor, r OverviewRequest) (o *Overview, err error) {
	days, err := s.limitDays(m, r.Days)
	if err != nil {
		return nil, err
	}
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		var refinement poststore.Selection
		if r.Filter != "" {
			var err error
			if refinement, err = r.Refine(categorization); err != nil {
				return err
			}
		}
		o, err = s.overview(ctx, &overviewQuery{OverviewRequest: r, monitor: m, days: days, categorization: categorization, refinement: refinement})
		return err
	})
	return o, err
}

// An overviewQuery is an [OverviewRequest] for a monitor, with its filter resolved.
type overviewQuery struct {
	OverviewRequest
	monitor        *earshot.Monitor
	days           earshot.Days // restricted to days with results
	categorization Categorization
	refinement     poststore.Selection
}

// selection returns a selection of the posts of some days.
func (v *overviewQuery) selection(days earshot.Days) poststore.Selection {
	sel, all := v.refinement, selection(v.monitor, days)
	sel.Set, sel.From, sel.To = all.Set, all.From, all.To
	return sel
}

// includes reports whether at least one of the parts is requested.
func (v *overviewQuery) includes(parts ...Part) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return slices.Contains(v.Parts, p) })
}

func (s *Service) overview(ctx context.Context, v *overviewQuery) (*Overview, error) {
	o := &Overview{}
	if v.days.Len() <= 0 {
		o.Breakdown.sum(v.monitor)
		return o, nil
	}
	o.Days = v.days
	f, err := s.overviewCounts(ctx, v)
	if err == nil {
		err = s.fillCounts(v, f, o)
	}
	if err == nil {
		err = s.fillBreakdown(ctx, v, f, o)
	}
	if err == nil {
		err = s.countPrevious(ctx, v, o)
	}
	if err == nil {
		err = s.findUnusual(ctx, v, o)
	}
	if err == nil {
		err = s.findWords(ctx, v, o)
	}
	return o, err
}

// previousDays returns the period of the same length before some days, and whether all of its days
// have results. Otherwise the periods are not comparable.
func (s *Service) previousDays(m *earshot.Monitor, days earshot.Days) (earshot.Days, bool) {
	before := earshot.Days{Start: days.Start.AddDays(-days.Len()), End: days.Start}
	return before, s.withResults(m, before) == before
}

// countPrevious counts the posts of the previous period.
func (s *Service) countPrevious(ctx context.Context, v *overviewQuery, o *Overview) error {
	before, comparable := s.previousDays(v.monitor, v.days)
	if !v.includes(PreviousPart) || !comparable {
		return nil
	}
	earlier := *v
	earlier.days, earlier.Parts = before, nil
	counted, err := s.overviewCounts(ctx, &earlier)
	if err == nil {
		o.Previous = &Previous{before, counted.all[0].Posts}
	}
	return err
}

// maxOverviewWords is the maximum number of words in an overview.
const maxOverviewWords = 100

// findWords sets the most frequent words.
func (s *Service) findWords(ctx context.Context, v *overviewQuery, o *Overview) error {
	if !v.includes(WordsPart) {
		return nil
	}
	cloud, err := s.WordCloud(ctx, v.monitor, v.days, v.refinement, v.keyOf(nil))
	rows := make([]poststore.Row, 0, len(cloud))
	for word, n := range cloud {
		rows = append(rows, poststore.Row{Key: []string{word}, Posts: n})
	}
	o.Words = countsOf(poststore.TopRows(rows, maxOverviewWords))
	return err
}
