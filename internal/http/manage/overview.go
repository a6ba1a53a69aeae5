package manage

import (
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/jsonvalue"
)

type overviewParams struct {
	postsQuery
	Parts parts `query:"parts"`
}

// parts are the requested parts, without duplicates, in the order of insight.Parts. Empty means
// all.
type parts []insight.Part

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *parts) UnmarshalText(text []byte) error {
	requested := strings.FieldsFunc(string(text), func(r rune) bool { return r == ',' || r == ' ' })
	for _, name := range requested {
		if !slices.Contains(insight.Parts, insight.Part(name)) {
			return errors.New("a comma-separated list of " + strings.Join(jsonvalue.Map(insight.Parts, func(p insight.Part) string { return string(p) }), ", "))
		}
	}
	for _, part := range insight.Parts {
		if slices.Contains(requested, string(part)) {
			*p = append(*p, part)
		}
	}
	return nil
}

// showOverview serves /manage/v1/monitors/{id}/overview, for monitors and filters.
func (a *API) showOverview(ctx context.Context, c *earshot.Caller, p overviewParams) (overview, error) {
	m, days, err := p.find(a, c)
	if err != nil {
		return overview{}, err
	}
	refinement := a.Filters.Refinement(c, m, p.Filter)
	view := insight.OverviewRequest{Days: days, Parts: p.Parts, Filter: refinement.Key(), Refine: refinement.Selection}
	if len(view.Parts) == 0 {
		view.Parts = insight.Parts
	}
	found, err := a.Insight.Overview(ctx, m, view)
	if err != nil {
		return overview{}, err
	}
	shown := newOverview(m, found, a.results(m))
	shown.keepParts(view.Parts)
	shown.Gaps, shown.Annotations, shown.Signals = []overviewGap{}, []annotation{}, []signalMark{}
	if found.Days.Len() > 0 {
		zone := m.Location()
		shown.Gaps = jsonvalue.Map(a.Sources.Gaps(m, found.Days.Start.Start(zone), found.Days.End.Start(zone)), newOverviewGap)
		shown.Annotations = jsonvalue.Map(a.Marks.MonitorAnnotations(m, found.Days), newAnnotation)
		if seesMarks(c) {
			shown.Signals = a.signalMarks(m, found.Days)
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
func (o *overview) keepParts(requested []insight.Part) {
	has := func(part insight.Part) bool { return slices.Contains(requested, part) }
	if !has(insight.DaysPart) {
		o.Days = []overviewDay{}
	}
	if !has(insight.DaysPart) && !has(insight.HoursPart) {
		if !has(insight.CategoriesPart) {
			o.Categories = []overviewCategory{}
		}
		if !has(insight.EmotionsPart) {
			o.Emotions = []overviewEmotion{}
		}
	}
	if !has(insight.AgesPart) {
		o.Ages = []groupCount{}
	}
	if !has(insight.GendersPart) {
		o.Genders = []groupCount{}
	}
	if !has(insight.ClockPart) {
		o.Clock = []clockCount{}
	}
}

// only returns the overview with only some of its parts, as if no other had been requested.
func (o overview) only(requested []insight.Part) overview {
	shown := overview{
		Monitor: o.Monitor, Start: o.Start, End: o.End, Results: o.Results, Posts: o.Posts, Gaps: o.Gaps, Annotations: o.Annotations, Signals: o.Signals,
		Days: o.Days, Hours: []overviewHour{}, Categories: o.Categories, Emotions: o.Emotions, Intervals: []dayIntervals{},
		Words: []nameCount{}, Hashtags: []nameCount{}, Sites: []nameCount{}, Sources: []nameCount{}, Languages: []idCount{},
		Authors: newOverviewAuthors(insight.AuthorTotals{}), Places: newOverviewPlaces(insight.PlaceTotals{}),
		Ages: o.Ages, Genders: o.Genders, Clock: o.Clock, Interests: []interestCount{},
		Images: newOverviewImages(insight.ImageTotals{}), Engagement: []nameCount{}, Unusual: []unusualDay{},
	}
	for _, part := range requested {
		switch part {
		case insight.DaysPart, insight.CategoriesPart, insight.EmotionsPart:
			shown.Estimated, shown.NeedsTraining = o.Estimated, o.NeedsTraining
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

// results returns the days of m that have results, or the zero value if there are none.
func (a *API) results(m *earshot.Monitor) earshot.Days {
	days := m.Results(a.Now())
	if days.Len() <= 0 {
		return earshot.Days{}
	}
	return days
}
