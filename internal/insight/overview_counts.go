package insight

import (
	"context"
	"fmt"
	"maps"

	"earshot/internal/model/interest"
	"earshot/internal/poststore"
)

// Maximum lengths of the lists in an overview.
const (
	maxOverviewNames     = 50 // hashtags, sites, authors, states, cities
	maxOverviewInterests = 30
	maxOverviewImages    = 30 // classes, brands
	maxHourlyDays        = 31 // longer ranges have no hours
)

// AuthorTotals counts the authors of posts. The same name on two networks counts as two authors,
// except in Top and Reach.
type AuthorTotals struct {
	Authors     int64 // distinct authors
	Posts       int64
	Impressions int64
	Top         []AuthorCount // most posts first
	Reach       []AuthorCount // most impressions first
}

// An AuthorCount is the number of posts of an author, and the number of followers they could reach.
type AuthorCount struct {
	Name        string
	Posts       int64
	Impressions int64
}

// PlaceTotals counts posts by the location of their authors.
type PlaceTotals struct {
	Posts     int64 // posts with a known place
	Countries []PlaceCount
	States    []PlaceCount
	Cities    []PlaceCount
}

// An InterestCount is the number of posts that mention an interest. Relevancy is computed from
// microblog posts, as in [Affinities]. It is 0 if unknown.
type InterestCount struct {
	Interest  interest.Interest
	Posts     int64
	Relevancy float64
}

// ImageTotals counts posts by what their images show.
type ImageTotals struct {
	Posts   int64 // posts that have an image
	Classes []LabelCount
	Brands  []LabelCount
}

// A LabelCount is the number of posts whose images show a class or brand.
type LabelCount struct {
	ID, Name string
	Posts    int64
}

// partTallies lists the tallies of each part.
var partTallies = map[Part][]poststore.Tally{
	breakdownPart: {
		countBy(poststore.ByDay),
		{By: []poststore.Dim{poststore.ByDay, poststore.ByEmotion}},
		{By: []poststore.Dim{poststore.ByDay, poststore.BySentiment}},
		emotionFeeling.tallies()[1], emotionFeeling.tallies()[2],
		sentimentFeeling.tallies()[1], sentimentFeeling.tallies()[2],
		countBy(poststore.ByModels),
	},
	HoursPart: {
		countBy(poststore.ByHour),
		{By: []poststore.Dim{poststore.ByHour, poststore.ByEmotion}},
		{By: []poststore.Dim{poststore.ByHour, poststore.BySentiment}},
	},
	HashtagsPart:   {topBy(poststore.ByHashtag, maxOverviewNames)},
	SitesPart:      {topBy(poststore.BySite, maxOverviewNames)},
	SourcesPart:    {countBy(poststore.BySource)},
	LanguagesPart:  {countBy(poststore.ByLanguage)},
	AuthorsPart:    {{By: []poststore.Dim{poststore.BySource}, Sum: []poststore.Measure{poststore.Authors, poststore.Impressions}}, topAuthors},
	PlacesPart:     {countBy(poststore.ByCountry), topBy(poststore.ByState, maxOverviewNames), topBy(poststore.ByCity, maxOverviewNames)},
	AgesPart:       {countBy(poststore.ByAge)},
	GendersPart:    {countBy(poststore.ByGender)},
	ClockPart:      {countBy(poststore.ByClock)},
	InterestsPart:  {{By: []poststore.Dim{poststore.ByInterest, poststore.BySource}}, countBy(poststore.BySource)},
	ImagesPart:     {countBy(poststore.ByPicture), topBy(poststore.ByImageClass, maxOverviewImages), topBy(poststore.ByBrand, maxOverviewImages)},
	EngagementPart: {countBy(poststore.ByEngagement)},
}

// topAuthors counts the authors with the most posts and those with the most impressions.
var topAuthors = poststore.Tally{By: []poststore.Dim{poststore.ByAuthor}, Sum: []poststore.Measure{poststore.Impressions}, Top: maxOverviewNames, TopSum: maxOverviewNames}

// overviewCounts contains the rows of each part's tallies and of all posts.
type overviewCounts struct {
	all   []poststore.Row
	parts map[Part][][]poststore.Row
}

// size implements [sizer].
func (f *overviewCounts) size() int {
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

// keyOf identifies parts of the query among those about the same posts.
func (v *overviewQuery) keyOf(parts []Part) string {
	return fmt.Sprintf("overview %q %q %d %q", parts, v.Filter, v.categorization.ModelID, v.monitor.Timezone)
}

// overviewCounts counts all parts that have tallies, on the same state of the store. Each part is
// cached separately, because pages about the same posts show different ones.
func (s *Service) overviewCounts(ctx context.Context, v *overviewQuery) (*overviewCounts, error) {
	sels := []poststore.Selection{v.selection(v.days)}
	before, err := fingerprints(ctx, s.Store, sels)
	if err != nil {
		return nil, err
	}
	keyOf := func(parts ...Part) memoKey { return memoKey{before, v.keyOf(parts)} }
	f := &overviewCounts{parts: map[Part][][]poststore.Row{}}
	var missing []Part
	for _, p := range v.countedParts() {
		if cached, ok := s.overviews.cached(keyOf(p)); ok {
			f.add(cached)
		} else {
			missing = append(missing, p)
		}
	}
	if len(missing) == 0 && f.all != nil {
		return f, nil
	}
	counted, err := s.overviews.get(ctx, keyOf(missing...), func() (counted *overviewCounts, store bool, err error) {
		if counted, err = s.countParts(ctx, v, missing); err != nil {
			return nil, false, err
		}
		after, err := fingerprints(ctx, s.Store, sels)
		if err != nil || after != before { // posts that changed during the computation may change back
			return counted, false, err
		}
		if len(missing) < 2 {
			return counted, true, nil
		}
		for _, p := range missing {
			s.overviews.put(keyOf(p), counted.only(p))
		}
		return counted, false, nil
	})
	if err != nil {
		return nil, err
	}
	f.add(counted)
	return f, nil
}

func (s *Service) countParts(ctx context.Context, v *overviewQuery, parts []Part) (*overviewCounts, error) {
	ts := []poststore.Tally{allPosts}
	for _, p := range parts {
		ts = append(ts, partTallies[p]...)
	}
	for i := range ts {
		ts[i].Zone = v.monitor.Location()
	}
	rows, err := s.Store.Tallies(ctx, v.selection(v.days), ts)
	if err != nil {
		return nil, err
	}
	f := &overviewCounts{all: rows[0], parts: map[Part][][]poststore.Row{}}
	rows = rows[1:]
	for _, p := range parts {
		n := len(partTallies[p])
		f.parts[p], rows = rows[:n], rows[n:]
	}
	return f, nil
}

// add adds the rows of other parts of the same posts.
func (f *overviewCounts) add(other *overviewCounts) {
	f.all = other.all
	maps.Copy(f.parts, other.parts)
}

// only returns the rows of one part.
func (f *overviewCounts) only(p Part) *overviewCounts {
	return &overviewCounts{all: f.all, parts: map[Part][][]poststore.Row{p: f.parts[p]}}
}

// countedParts returns the requested parts that have tallies.
func (v *overviewQuery) countedParts() (parts []Part) {
	if v.needsBreakdown() {
		parts = append(parts, breakdownPart)
	}
	for _, p := range v.Parts {
		if partTallies[p] != nil && (p != HoursPart || v.days.Len() <= maxHourlyDays) {
			parts = append(parts, p)
		}
	}
	return parts
}

// rows returns the rows of a part's tally, or nil if the part was not requested.
func (f *overviewCounts) rows(p Part, tally int) []poststore.Row {
	if f.parts[p] == nil {
		return nil
	}
	return f.parts[p][tally]
}
