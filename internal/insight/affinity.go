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

// An Affinity compares how often a monitor's posts mention an interest with how often microblog
// posts mention it in general.
type Affinity struct {
	Interest  interest.Interest
	Relevancy float64 // ratio of InMonitor to Overall; 1 means average
	InMonitor float64 // percentage of the monitor's posts
	Overall   float64 // percentage of all microblog posts

	baseline float64 // Overall as a fraction, never 0
}

// Affinities are the interests of a range of days, most relevant first. [Affinities.Days] returns
// them by day.
type Affinities struct {
	All []Affinity

	counts *dayCounts
}

// DayAffinities are the interests of [Affinities].All on one day, in the same order.
type DayAffinities struct {
	Day        earshot.Date
	Affinities []Affinity
}

// The minimum amount of data for a meaningful affinity.
const (
	minAffinityPosts   = 250 // posts of the monitor
	minInterestPosts   = 5   // posts that mention the interest
	minInterestAuthors = 5   // average number of authors per day who mention the interest
)

// Affinities returns the interests that posts from some sources mention. It is an error, which names
// the first of the sources, if there are too few posts, or if no interest is mentioned often enough.
func (s *Service) Affinities(ctx context.Context, m *earshot.Monitor, days earshot.Days, sources []earshot.Source) (*Affinities, error) {
	interests := countBy(poststore.ByInterest)
	interests.Sum = []poststore.Measure{poststore.Authors}
	c, err := s.countDays(ctx, m, days, sources, allPosts, interests)
	if err != nil {
		return nil, err
	}
	posts := c.total(0)
	if posts < minAffinityPosts {
		return nil, earshot.Errorf(earshot.Invalid, "Interest affinities need at least %d posts with %s content in the selected range, found %d", minAffinityPosts, sources[0], posts)
	}
	baseline := s.Baseline()
	a := &Affinities{counts: c}
	for id, n := range tallyInterests(c) {
		if n.posts >= minInterestPosts && n.authors >= int64(minInterestAuthors*len(c.dates)) {
			a.All = append(a.All, newAffinity(earshot.InterestID(id), &baseline).withShare(n.posts, posts))
		}
	}
	if len(a.All) == 0 {
		return nil, earshot.Errorf(earshot.Invalid, "No interest has at least %d posts and an average of %d authors per day in the selected range", minInterestPosts, minInterestAuthors)
	}
	slices.SortFunc(a.All, func(x, y Affinity) int {
		return cmp.Or(cmp.Compare(y.Relevancy, x.Relevancy), cmp.Compare(x.Interest.ID, y.Interest.ID))
	})
	return a, nil
}

// An interestTally counts the posts that mention an interest, and their authors, summed over the
// days.
type interestTally struct{ posts, authors int64 }

// tallyInterests returns the tallies of all interests, indexed by interest ID.
func tallyInterests(c *dayCounts) []interestTally {
	var all []interestTally
	for day := range c.dates {
		for _, row := range c.rows[1][day] {
			id := int(interestOf(row))
			if id >= len(all) {
				all = append(all, make([]interestTally, id+1-len(all))...)
			}
			all[id].posts += row.Posts
			all[id].authors += row.Sums[0]
		}
	}
	return all
}

// interestOf returns the interest of a row, or 0 if the key is not a number.
func interestOf(row poststore.Row) earshot.InterestID {
	id, _ := strconv.ParseUint(row.Key[0], 10, 16)
	return earshot.InterestID(id)
}

// Days returns the affinities of each day.
func (a *Affinities) Days() []DayAffinities {
	index := make(map[earshot.InterestID]int, len(a.All))
	for i := range a.All {
		index[a.All[i].Interest.ID] = i
	}
	list := make([]DayAffinities, len(a.counts.dates))
	for day, date := range a.counts.dates {
		list[day] = DayAffinities{Day: date, Affinities: make([]Affinity, len(a.All))}
		posts := a.counts.posts(0, day)
		for i, affinity := range a.All {
			list[day].Affinities[i] = affinity.withShare(0, posts)
		}
		for _, row := range a.counts.rows[1][day] {
			if i, listed := index[interestOf(row)]; listed {
				list[day].Affinities[i] = a.All[i].withShare(row.Posts, posts)
			}
		}
	}
	return list
}

// newAffinity returns the affinity of an interest with only the baseline set. An interest that does
// not occur in the baseline is treated as if it occurred once.
func newAffinity(id earshot.InterestID, baseline *interest.Baseline) Affinity {
	in, ok := interest.Lookup(id)
	if !ok {
		in.ID = id // of a longer list of interests
	}
	share := baseline.Share(id)
	return Affinity{Interest: in, Overall: 100 * share, baseline: max(share, 1/(baseline.Posts+1))}
}

// withShare returns the affinity for a number of posts out of all.
func (a Affinity) withShare(posts, all int64) Affinity {
	a.InMonitor, a.Relevancy = 0, 0
	if all > 0 {
		share := float64(posts) / float64(all)
		a.InMonitor, a.Relevancy = 100*share, share/a.baseline
	}
	return a
}
