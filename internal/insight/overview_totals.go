package insight

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// fillCounts sets the parts that come from tallies.
func (s *Service) fillCounts(v *overviewQuery, f *overviewCounts, o *Overview) (err error) {
	o.Posts = f.all[0].Posts
	o.Hashtags = countsOf(f.rows(HashtagsPart, 0))
	o.Sites = countsOf(f.rows(SitesPart, 0))
	o.Sources = countsOf(f.rows(SourcesPart, 0))
	o.Languages = countsOf(f.rows(LanguagesPart, 0))
	o.Engagement = countsOf(f.rows(EngagementPart, 0))
	o.Authors = f.authors(o.Posts)
	o.Places = f.places()
	o.Ages = [4]int64(countsByName(f.rows(AgesPart, 0), earshot.AgeGroups))
	genders := countsByName(f.rows(GendersPart, 0), []string{string(earshot.Female), string(earshot.Male)})
	o.Female, o.Male = genders[0], genders[1]
	o.Interests = s.interests(f)
	o.Images = f.images()
	if o.Clock, err = f.clock(); err != nil {
		return err
	}
	o.Hours, err = f.hours(v)
	return err
}

func (f *overviewCounts) authors(posts int64) (a AuthorTotals) {
	if f.parts[AuthorsPart] == nil {
		return a
	}
	a.Posts = posts
	for _, row := range f.rows(AuthorsPart, 0) {
		a.Authors += row.Sums[0]
		a.Impressions = poststore.SaturatingAdd(a.Impressions, row.Sums[1])
	}
	all := make([]AuthorCount, len(f.rows(AuthorsPart, 1)))
	for i, row := range f.rows(AuthorsPart, 1) {
		all[i] = AuthorCount{row.Key[0], row.Posts, row.Sums[0]}
	}
	a.Top = all[:min(len(all), maxOverviewNames)]
	a.Reach = slices.DeleteFunc(slices.Clone(all), func(a AuthorCount) bool { return a.Impressions == 0 })
	slices.SortStableFunc(a.Reach, func(a, b AuthorCount) int { return cmp.Compare(b.Impressions, a.Impressions) })
	a.Reach = a.Reach[:min(len(a.Reach), maxOverviewNames)]
	return a
}

func (f *overviewCounts) places() (p PlaceTotals) {
	for i, list := range []*[]PlaceCount{&p.Countries, &p.States, &p.Cities} {
		for _, row := range f.rows(PlacesPart, i) {
			*list = append(*list, PlaceCount{lookupPlace(row.Key[0], PlaceKind(i)), row.Posts})
		}
	}
	for _, c := range p.Countries {
		p.Posts += c.Posts
	}
	return p
}

func (f *overviewCounts) images() (i ImageTotals) {
	for _, row := range f.rows(ImagesPart, 0) {
		i.Posts += row.Posts
	}
	i.Classes, i.Brands = newLabelCounts(f.rows(ImagesPart, 1)), newLabelCounts(f.rows(ImagesPart, 2))
	return i
}

func newLabelCounts(rows []poststore.Row) []LabelCount {
	list := make([]LabelCount, len(rows))
	for i, row := range rows {
		id, name, _ := strings.Cut(row.Key[0], " ")
		list[i] = LabelCount{id, name, row.Posts}
	}
	return list
}

func (f *overviewCounts) clock() (c [7][24]int64, err error) {
	for _, row := range f.rows(ClockPart, 0) {
		at, err := parseClock(row.Key[0], nil)
		if err != nil {
			return c, err
		}
		c[at.weekday][at.hour] += row.Posts
	}
	return c, nil
}

// interests returns the most frequent interests.
func (s *Service) interests(f *overviewCounts) (list []InterestCount) {
	rows := f.rows(InterestsPart, 0)
	if len(rows) == 0 {
		return nil
	}
	var microblogs int64
	for _, row := range f.rows(InterestsPart, 1) {
		if earshot.Source(row.Key[0]).IsMicroblog() {
			microblogs += row.Posts
		}
	}
	all, blogged := map[earshot.InterestID]int64{}, map[earshot.InterestID]int64{}
	for _, row := range rows {
		all[interestOf(row)] += row.Posts
		if earshot.Source(row.Key[1]).IsMicroblog() {
			blogged[interestOf(row)] += row.Posts
		}
	}
	ids := slices.SortedFunc(maps.Keys(all), func(a, b earshot.InterestID) int {
		return cmp.Or(cmp.Compare(all[b], all[a]), cmp.Compare(a, b))
	})
	baseline := s.Baseline()
	for _, id := range ids[:min(len(ids), maxOverviewInterests)] {
		usual := newAffinity(id, &baseline)
		c := InterestCount{Interest: usual.Interest, Posts: all[id]}
		if baseline.Posts > 0 {
			c.Relevancy = usual.withShare(blogged[id], microblogs).Relevancy
		}
		list = append(list, c)
	}
	return list
}
