package insight

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"earshot"
	"earshot/internal/interest"
	"earshot/internal/poststore"
)

// An Affinity is how much more people who write the posts of a monitor care for something
// than those who write microblog posts in general.
type Affinity struct {
	Interest  interest.Interest
	Relevancy float64 // InMonitor in relation to Overall; 1 is as usual
	InMonitor float64 // percent of the monitor's posts
	Overall   float64 // percent of all microblog posts
}

// Affinities of some days: of all of them together, most relevant first, and of each day.
type Affinities struct {
	All  []Affinity
	Days []DayAffinities
}

// DayAffinities are the interests of Affinities.All on one day.
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
	a := new(Affinities)
	for id, n := range interested(c) {
		if n.posts >= fewestInterestPosts && n.authors >= int64(fewestAuthors*len(c.dates)) {
			a.All = append(a.All, newAffinity(id, n.posts, posts, &baseline))
		}
	}
	if len(a.All) == 0 {
		return nil, earshot.Errorf(earshot.Invalid, "No interest has at least %d posts and an average of %d authors per day in the selected range", fewestInterestPosts, fewestAuthors)
	}
	slices.SortFunc(a.All, func(x, y Affinity) int {
		return cmp.Or(cmp.Compare(y.Relevancy, x.Relevancy), cmp.Compare(x.Interest.ID, y.Interest.ID))
	})
	a.Days = daysOfAffinities(c, a.All, &baseline)
	return a, nil
}

// A crowd is the posts that speak of something, and their authors of each day added up.
type crowd struct{ posts, authors int64 }

func interested(c *daily) map[earshot.InterestID]crowd {
	all := map[earshot.InterestID]crowd{}
	for day := range c.dates {
		for _, row := range c.rows[1][day] {
			id := interestOf(row)
			n := all[id]
			all[id] = crowd{n.posts + row.Posts, n.authors + row.Sums[0]}
		}
	}
	return all
}

// interestOf returns the interest that a row is about, 0 for one that is none.
func interestOf(row poststore.Row) earshot.InterestID {
	id, _ := strconv.ParseUint(row.Key[0], 10, 16)
	return earshot.InterestID(id)
}

// daysOfAffinities returns the interests of each day, in the order of those of all days.
func daysOfAffinities(c *daily, all []Affinity, baseline *earshot.Baseline) []DayAffinities {
	list := make([]DayAffinities, len(c.dates))
	for day, date := range c.dates {
		posts := map[earshot.InterestID]int64{}
		for _, row := range c.rows[1][day] {
			posts[interestOf(row)] = row.Posts
		}
		list[day] = DayAffinities{Day: date, Affinities: make([]Affinity, len(all))}
		for i, a := range all {
			list[day].Affinities[i] = newAffinity(a.Interest.ID, posts[a.Interest.ID], c.posts(0, day), baseline)
		}
	}
	return list
}

// newAffinity compares the posts that speak of an interest with what is usual. What was
// never seen elsewhere counts as if it had been seen once.
func newAffinity(id earshot.InterestID, posts, all int64, baseline *earshot.Baseline) Affinity {
	in, ok := interest.Lookup(id)
	if !ok {
		in.ID = id // of a list that had more
	}
	overall := baseline.Share(id)
	a := Affinity{Interest: in, Overall: 100 * overall}
	if all > 0 {
		share := float64(posts) / float64(all)
		a.InMonitor = 100 * share
		a.Relevancy = share / max(overall, 1/(baseline.Posts+1))
	}
	return a
}
