package insight

import (
	"context"
	"fmt"

	"earshot/internal/model/interest"
	"earshot/internal/poststore"
)

// How many an overview lists at most.
const (
	viewedNames     = 50 // hashtags, sites, authors, states, cities
	viewedInterests = 30
	viewedImages    = 30 // classes, and brands
	viewedHours     = 31 // days whose hours are told
)

// AuthorTotals are those who wrote posts. A name on two networks is two authors, but for Top
// and Reach.
type AuthorTotals struct {
	Authors     int64 // different ones
	Posts       int64
	Impressions int64
	Top         []AuthorCount // who wrote most
	Reach       []AuthorCount // whose posts have most impressions
}

// An AuthorCount is the posts of one author, and how many followers they could reach.
type AuthorCount struct {
	Name        string
	Posts       int64
	Impressions int64
}

// PlaceTotals are where the authors of posts are.
type PlaceTotals struct {
	Posts     int64 // whose place is known
	Countries []PlaceCount
	States    []PlaceCount
	Cities    []PlaceCount
}

// An InterestCount is the posts that have an interest. Relevancy is how much more frequent it
// is than usual, among those that are microblog posts, as Affinities tell it; 0: not known.
type InterestCount struct {
	Interest  interest.Interest
	Posts     int64
	Relevancy float64
}

// ImageTotals are what pictures show.
type ImageTotals struct {
	Posts   int64 // that have a picture
	Classes []Pictured
	Brands  []Pictured
}

// Pictured is the posts whose pictures show something.
type Pictured struct {
	ID, Name string
	Posts    int64
}

// partTallies are how posts are counted for each part.
var partTallies = map[Part][]poststore.Tally{
	feelingsPart: {
		by(poststore.ByDay),
		{By: []poststore.Dim{poststore.ByDay, poststore.ByEmotion}},
		{By: []poststore.Dim{poststore.ByDay, poststore.BySentiment}},
	},
	HoursPart:      {by(poststore.ByHour)},
	HashtagsPart:   {top(poststore.ByHashtag, viewedNames)},
	SitesPart:      {top(poststore.BySite, viewedNames)},
	SourcesPart:    {by(poststore.BySource)},
	LanguagesPart:  {by(poststore.ByLanguage)},
	AuthorsPart:    {{By: []poststore.Dim{poststore.BySource}, Sum: []poststore.Measure{poststore.Authors, poststore.Impressions}}, topAuthors},
	PlacesPart:     {by(poststore.ByCountry), top(poststore.ByState, viewedNames), top(poststore.ByCity, viewedNames)},
	AgesPart:       {by(poststore.ByAge)},
	GendersPart:    {by(poststore.ByGender)},
	ClockPart:      {by(poststore.ByClock)},
	InterestsPart:  {{By: []poststore.Dim{poststore.ByInterest, poststore.BySource}}, by(poststore.BySource)},
	ImagesPart:     {by(poststore.ByPicture), top(poststore.ByImageClass, viewedImages), top(poststore.ByBrand, viewedImages)},
	EngagementPart: {by(poststore.ByEngagement)},
}

// topAuthors counts those who wrote most, and those who could reach most.
var topAuthors = poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Impressions}, Top: viewedNames, TopSum: viewedNames}

// viewFigures are what was counted for parts. The rows of the first tally are those of all posts.
type viewFigures struct {
	all   []poststore.Row
	parts map[Part][][]poststore.Row
}

// weight implements weighty.
func (f *viewFigures) weight() int {
	bytes := 0
	for _, tallies := range f.parts {
		for _, rows := range tallies {
			for _, row := range rows {
				bytes += 64 + 8*len(row.Sums)
				for _, k := range row.Key {
					bytes += 16 + len(k)
				}
			}
		}
	}
	return bytes
}

// question is a text that is different for different answers about the same posts.
func (v *viewed) question() string {
	return fmt.Sprintf("overview %q %q %d", v.Parts, v.Filter, v.sorted.Record)
}

// viewFigures counts what is told by counting alone.
func (s *Service) viewFigures(ctx context.Context, v *viewed) (*viewFigures, error) {
	of := v.selection(v.days)
	return remember(ctx, s.Store, &s.overviews, of, v.question(), func() (*viewFigures, error) { return s.countView(ctx, v, of) })
}

// countView counts all parts, of the same state of the store.
func (s *Service) countView(ctx context.Context, v *viewed, of poststore.Selection) (*viewFigures, error) {
	parts := v.counted()
	ts := []poststore.Tally{everything}
	for _, p := range parts {
		ts = append(ts, partTallies[p]...)
	}
	for i := range ts {
		ts[i].Zone, ts[i].Once = v.monitor.Location(), true
	}
	rows, err := s.Store.Tallies(ctx, of, ts)
	if err != nil {
		return nil, err
	}
	f := &viewFigures{all: rows[0], parts: map[Part][][]poststore.Row{}}
	rows = rows[1:]
	for _, p := range parts {
		n := len(partTallies[p])
		f.parts[p], rows = rows[:n], rows[n:]
	}
	return f, nil
}

// counted returns the parts that are told by counting.
func (v *viewed) counted() (parts []Part) {
	if v.feels() {
		parts = append(parts, feelingsPart)
	}
	for _, p := range v.Parts {
		if partTallies[p] != nil && (p != HoursPart || v.days.Len() <= viewedHours) {
			parts = append(parts, p)
		}
	}
	return parts
}

// rows returns the rows of a part's tally, none when it was not asked for.
func (f *viewFigures) rows(p Part, tally int) []poststore.Row {
	if f.parts[p] == nil {
		return nil
	}
	return f.parts[p][tally]
}
