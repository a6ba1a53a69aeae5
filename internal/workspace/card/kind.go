package card

import (
	"context"

	"earshot"
	"earshot/internal/insight"
)

// A kind says what cards of a kind show: parts of the overview, or a result of their own.
type kind struct {
	parts []insight.Part
	show  func(s *Service, ctx context.Context, c *earshot.Caller, r request) Outcome // nil: parts

	// What visitors of share links see of the overview.
	annotations bool // on the time axis
	categories  bool
	emotions    bool
	authors     bool // their names, not just their number

	words bool // shows words of texts, so visitors do not see those of restricted sources
}

var kinds = map[earshot.CardKind]kind{
	earshot.FiguresCard: {
		parts:      []insight.Part{insight.DaysPart, insight.CategoriesPart, insight.PreviousPart, insight.AuthorsPart},
		categories: true,
	},
	earshot.VolumeCard: {
		parts:       []insight.Part{insight.DaysPart, insight.HoursPart, insight.PreviousPart, insight.UnusualPart},
		annotations: true,
	},
	earshot.SentimentCard: {
		parts:       []insight.Part{insight.DaysPart, insight.HoursPart, insight.CategoriesPart},
		annotations: true, categories: true,
	},
	earshot.EmotionsCard: {
		parts:       []insight.Part{insight.DaysPart, insight.HoursPart, insight.EmotionsPart},
		annotations: true, emotions: true,
	},
	earshot.SourcesCard:    {parts: []insight.Part{insight.SourcesPart}},
	earshot.SitesCard:      {parts: []insight.Part{insight.SitesPart}},
	earshot.LanguagesCard:  {parts: []insight.Part{insight.LanguagesPart}},
	earshot.PlacesCard:     {parts: []insight.Part{insight.PlacesPart}},
	earshot.AgesCard:       {parts: []insight.Part{insight.AgesPart}},
	earshot.GendersCard:    {parts: []insight.Part{insight.GendersPart}},
	earshot.HashtagsCard:   {parts: []insight.Part{insight.HashtagsPart}, words: true},
	earshot.WordsCard:      {parts: []insight.Part{insight.WordsPart}, words: true},
	earshot.AuthorsCard:    {parts: []insight.Part{insight.AuthorsPart}, authors: true},
	earshot.InterestsCard:  {parts: []insight.Part{insight.InterestsPart}},
	earshot.ClockCard:      {parts: []insight.Part{insight.ClockPart}},
	earshot.UnusualCard:    {show: (*Service).incidentsCard},
	earshot.TopicsCard:     {show: (*Service).topicsCard, words: true},
	earshot.PostsCard:      {show: (*Service).postsCard},
	earshot.ComparisonCard: {show: (*Service).comparisonCard},
	earshot.TextCard:       {show: (*Service).textCard},
}
