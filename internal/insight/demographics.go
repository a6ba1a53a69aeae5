package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Ages counts the posts of a day by the age of their authors.
type Ages struct {
	Day    earshot.Date
	Posts  int64
	Groups [4]int64 // in the order of [earshot.AgeGroups]
}

// Ages counts posts by the age of their authors on each day.
func (s *Service) Ages(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Ages, error) {
	c, err := s.countDays(ctx, m, days, nil, allPosts, countBy(poststore.ByAge))
	if err != nil {
		return nil, err
	}
	list := make([]Ages, len(c.dates))
	for day, date := range c.dates {
		list[day] = Ages{Day: date, Posts: c.posts(0, day), Groups: [4]int64(countsByName(c.rows[1][day], earshot.AgeGroups))}
	}
	return list, nil
}

// Genders counts the posts of a day by the gender of their authors.
type Genders struct {
	Day          earshot.Date
	Posts        int64
	Male, Female int64
}

// Genders counts posts by the gender of their authors on each day.
func (s *Service) Genders(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Genders, error) {
	c, err := s.countDays(ctx, m, days, nil, allPosts, countBy(poststore.ByGender))
	if err != nil {
		return nil, err
	}
	list := make([]Genders, len(c.dates))
	for day, date := range c.dates {
		posts := countsByName(c.rows[1][day], []string{string(earshot.Male), string(earshot.Female)})
		list[day] = Genders{Day: date, Posts: c.posts(0, day), Male: posts[0], Female: posts[1]}
	}
	return list, nil
}

// Authors counts the authors of a day's microblog posts.
type Authors struct {
	Day         earshot.Date
	Posts       int64
	Authors     int64
	Impressions int64 // sum of the followers that the posts could reach
}

// Authors counts the authors of microblog posts on each day. The same name on two networks counts
// as two authors.
func (s *Service) Authors(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Authors, error) {
	bySource := countBy(poststore.BySource)
	bySource.Sum = []poststore.Measure{poststore.Authors, poststore.Impressions}
	c, err := s.countDays(ctx, m, days, earshot.Microblogs, bySource)
	if err != nil {
		return nil, err
	}
	list := make([]Authors, len(c.dates))
	for day, date := range c.dates {
		list[day].Day = date
		for _, row := range c.rows[0][day] {
			list[day].Posts += row.Posts
			list[day].Authors += row.Sums[0]
			list[day].Impressions = poststore.SaturatingAdd(list[day].Impressions, row.Sums[1])
		}
	}
	return list, nil
}
