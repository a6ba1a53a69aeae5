package insight

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/model/interest"
	"earshot/internal/poststore"
)

// An Affinity is how much more people who write the posts of a monitor care for something
// than those who write microblog posts in general.
type Affinity struct {
	Interest  interest.Interest
	Relevancy float64 // InMonitor in relation to Overall; 1 is as usual
	InMonitor float64 // percent of the monitor's posts
	Overall   float64 // percent of all microblog posts

	usual float64 // Overall as a share, never 0
}

// Affinities are the interests of some days: of all of them together, most relevant first,
// and of each day.
type Affinities struct {
	All []Affinity

	counted *daily
}

// DayAffinities are the interests of Affinities.All on one day, in the same order.
type DayAffinities struct {
	Day        earshot.Date
	Affinities []Affinity
}

// What is needed to tell anything about interests.
const (
	fewestPosts         = 250 // in all
	fewestInterestPosts = 5   // of an interest
	fewestAuthors       = 5   // of an interest, a day on average
)

// Affinities returns the interests that posts of some sources speak of. It is an error when
// there are too few posts to tell.
func (s *Service) Affinities(ctx context.Context, m *earshot.Monitor, days earshot.Days, sources []earshot.Source) (*Affinities, error) {
	interests := by(poststore.ByInterest)
	interests.Sum = []poststore.Measure{poststore.Authors}
	c, err := s.daily(ctx, m, days, sources, everything, interests)
	if err != nil {
		return nil, err
	}
	posts := c.total(0)
	if posts < fewestPosts {
		return nil, earshot.Errorf(earshot.Invalid, "Interest affinities need at least %d posts with Twitter content in the selected range, found %d", fewestPosts, posts)
	}
	baseline := s.Baseline()
	a := &Affinities{counted: c}
	for id, n := range interested(c) {
		if n.posts >= fewestInterestPosts && n.authors >= int64(fewestAuthors*len(c.dates)) {
			a.All = append(a.All, newAffinity(earshot.InterestID(id), &baseline).of(n.posts, posts))
		}
	}
	if len(a.All) == 0 {
		return nil, earshot.Errorf(earshot.Invalid, "No interest has at least %d posts and an average of %d authors per day in the selected range", fewestInterestPosts, fewestAuthors)
	}
	slices.SortFunc(a.All, func(x, y Affinity) int {
		return cmp.Or(cmp.Compare(y.Relevancy, x.Relevancy), cmp.Compare(x.Interest.ID, y.Interest.ID))
	})
	return a, nil
}

// A crowd is the posts that speak of something, and their authors of each day added up.
type crowd struct{ posts, authors int64 }

// interested returns the crowds of all interests, by id.
func interested(c *daily) []crowd {
	var all []crowd
	for day := range c.dates {
		for _, row := range c.rows[1][day] {
			id := int(interestOf(row))
			if id >= len(all) {
				all = append(all, make([]crowd, id+1-len(all))...)
			}
			all[id].posts += row.Posts
			all[id].authors += row.Sums[0]
		}
	}
	return all
}

// interestOf returns the interest that a row is about, 0 for one that is none.
func interestOf(row poststore.Row) earshot.InterestID {
	id, _ := strconv.ParseUint(row.Key[0], 10, 16)
	return earshot.InterestID(id)
}

// Days returns the interests of each day.
func (a *Affinities) Days() []DayAffinities {
	place := make(map[earshot.InterestID]int, len(a.All))
	for i := range a.All {
		place[a.All[i].Interest.ID] = i
	}
	list := make([]DayAffinities, len(a.counted.dates))
	for day, date := range a.counted.dates {
		list[day] = DayAffinities{Day: date, Affinities: make([]Affinity, len(a.All))}
		posts := a.counted.posts(0, day)
		for i, of := range a.All {
			list[day].Affinities[i] = of.of(0, posts)
		}
		for _, row := range a.counted.rows[1][day] {
			if i, listed := place[interestOf(row)]; listed {
				list[day].Affinities[i] = a.All[i].of(row.Posts, posts)
			}
		}
	}
	return list
}

// newAffinity returns what is usual of an interest. What was never seen elsewhere counts as
// if it had been seen once.
func newAffinity(id earshot.InterestID, baseline *interest.Baseline) Affinity {
	in, ok := interest.Lookup(id)
	if !ok {
		in.ID = id // of a list that had more
	}
	share := baseline.Share(id)
	return Affinity{Interest: in, Overall: 100 * share, usual: max(share, 1/(baseline.Posts+1))}
}

// of returns the affinity of so many posts among all.
func (a Affinity) of(posts, all int64) Affinity {
	a.InMonitor, a.Relevancy = 0, 0
	if all > 0 {
		share := float64(posts) / float64(all)
		a.InMonitor, a.Relevancy = 100*share, share/a.usual
	}
	return a
}
