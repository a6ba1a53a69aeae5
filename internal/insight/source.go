package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// Sources counts where the posts of a day were published. Each post has one source and at most one
// site.
type Sources struct {
	Day      earshot.Date
	TopSites []Count // by domain, most posts first
	Sources  []Count // most posts first
}

// topSites is the number of sites listed for a day.
const topSites = 100

// Sources counts posts by source and site on each day.
func (s *Service) Sources(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Sources, error) {
	c, err := s.countDays(ctx, m, days, nil, topBy(poststore.BySite, topSites), countBy(poststore.BySource))
	if err != nil {
		return nil, err
	}
	list := make([]Sources, len(c.dates))
	for day, date := range c.dates {
		list[day] = Sources{Day: date, TopSites: c.counts(0, day), Sources: c.counts(1, day)}
	}
	return list, nil
}

// Hashtags counts the hashtags of a day's posts.
type Hashtags struct {
	Day      earshot.Date
	Hashtags []Count // most posts first
}

// topHashtags is the number of hashtags listed for a day.
const topHashtags = 50

// InstagramHashtags counts the hashtags of Instagram posts: the most frequent of each day, and
// those that the monitor targets, even if they have no posts.
func (s *Service) InstagramHashtags(ctx context.Context, m *earshot.Monitor, days earshot.Days) ([]Hashtags, error) {
	tally := topBy(poststore.ByHashtag, topHashtags)
	targets := make([]string, len(m.TargetHashtags))
	for i, tag := range m.TargetHashtags {
		targets[i] = earshot.Hashtag(tag)
	}
	tally.IncludeKeys = targets
	c, err := s.countDays(ctx, m, days, []earshot.Source{earshot.Instagram}, tally)
	if err != nil {
		return nil, err
	}
	list := make([]Hashtags, len(c.dates))
	for day, date := range c.dates {
		list[day] = Hashtags{Day: date, Hashtags: addMissing(c.counts(0, day), targets)}
	}
	return list, nil
}

// addMissing appends the names that counts lacks, with no posts.
func addMissing(counts []Count, names []string) []Count {
	for _, name := range names {
		if !slices.ContainsFunc(counts, func(c Count) bool { return c.Name == name }) {
			counts = append(counts, Count{Name: name})
		}
	}
	return counts
}
