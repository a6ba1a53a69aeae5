package insight

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/period"
	"earshot/internal/poststore"
)

// takeFigures tells what was counted.
func (s *Service) takeFigures(v *viewed, f *viewFigures, o *Overview) (err error) {
	o.Posts = f.all[0].Posts
	o.Hashtags = countsOf(f.rows(HashtagsPart, 0))
	o.Sites = countsOf(f.rows(SitesPart, 0))
	o.Sources = countsOf(f.rows(SourcesPart, 0))
	o.Languages = countsOf(f.rows(LanguagesPart, 0))
	o.Engaged = countsOf(f.rows(EngagementPart, 0))
	o.Authors = f.authors(o.Posts)
	o.Places = f.places()
	o.Ages = [4]int64(places(f.rows(AgesPart, 0), earshot.AgeGroups))
	genders := places(f.rows(GendersPart, 0), []string{string(earshot.Female), string(earshot.Male)})
	o.Female, o.Male = genders[0], genders[1]
	o.Interests = s.interests(f)
	o.Images = f.images()
	if o.Clock, err = f.clock(); err != nil {
		return err
	}
	o.Hours, err = f.hours(v)
	return err
}

func (f *viewFigures) authors(posts int64) (a AuthorTotals) {
	if f.parts[AuthorsPart] == nil {
		return a
	}
	a.Posts = posts
	for _, row := range f.rows(AuthorsPart, 0) {
		a.Authors += row.Sums[0]
		a.Impressions = poststore.Plus(a.Impressions, row.Sums[1])
	}
	all := make([]AuthorCount, len(f.rows(AuthorsPart, 1)))
	for i, row := range f.rows(AuthorsPart, 1) {
		all[i] = AuthorCount{row.Key[0], row.Posts, row.Sums[0]}
	}
	a.Top, a.Reach = all[:min(len(all), viewedNames)], furthest(all)
	return a
}

// furthest returns those of authors that could reach most, the first of them first; none that
// could reach nobody.
func furthest(authors []AuthorCount) []AuthorCount {
	list := slices.DeleteFunc(slices.Clone(authors), func(a AuthorCount) bool { return a.Impressions == 0 })
	slices.SortStableFunc(list, func(a, b AuthorCount) int { return cmp.Compare(b.Impressions, a.Impressions) })
	return list[:min(len(list), viewedNames)]
}

func (f *viewFigures) places() (p PlaceTotals) {
	for i, of := range []*[]PlaceCount{&p.Countries, &p.States, &p.Cities} {
		for _, row := range f.rows(PlacesPart, i) {
			*of = append(*of, PlaceCount{placeOf(row.Key[0], PlaceKind(i)), row.Posts})
		}
	}
	for _, c := range p.Countries {
		p.Posts += c.Posts
	}
	return p
}

func (f *viewFigures) images() (i ImageTotals) {
	for _, row := range f.rows(ImagesPart, 0) {
		i.Posts += row.Posts
	}
	i.Classes, i.Brands = pictured(f.rows(ImagesPart, 1)), pictured(f.rows(ImagesPart, 2))
	return i
}

func pictured(rows []poststore.Row) []Pictured {
	list := make([]Pictured, len(rows))
	for i, row := range rows {
		id, name, _ := strings.Cut(row.Key[0], " ")
		list[i] = Pictured{id, name, row.Posts}
	}
	return list
}

func (f *viewFigures) clock() (c [7][24]int64, err error) {
	for _, row := range f.rows(ClockPart, 0) {
		at, err := readClock(row.Key[0], nil)
		if err != nil {
			return c, err
		}
		c[at.weekday][at.hour] += row.Posts
	}
	return c, nil
}

func (f *viewFigures) hours(v *viewed) ([]VolumeStep, error) {
	if f.parts[HoursPart] == nil {
		return nil, nil
	}
	steps, err := period.Steps(v.days, earshot.Hourly, v.monitor.Location())
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	found, err := volume(steps, f.rows(HoursPart, 0), func(key string) (time.Time, error) { return startOfHour(key, nil) })
	return found.Steps, err
}

// interests returns those that most posts have.
func (s *Service) interests(f *viewFigures) (list []InterestCount) {
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
	for _, id := range ids[:min(len(ids), viewedInterests)] {
		usual := newAffinity(id, &baseline)
		c := InterestCount{Interest: usual.Interest, Posts: all[id]}
		if baseline.Posts > 0 {
			c.Relevancy = usual.of(blogged[id], microblogs).Relevancy
		}
		list = append(list, c)
	}
	return list
}
