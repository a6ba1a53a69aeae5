package insight

import (
	"context"
	"math"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/calibrate"
	"earshot/internal/model/quantify"
	"earshot/internal/poststore"
)

// opinionLabels are people's labels of the categories of posts of random samples. Nil: nothing.
type opinionLabels []categoryLabel

// A categoryLabel is the label of a post of a day.
type categoryLabel struct {
	day       time.Time
	predicted []float64 // scores of the categories of the model
	class     int       // index in the categories of the model
	weight    float64
	selected  bool
}

// opinionLabels returns the labels for the categories of a model in a monitor or filter. Posts that people
// disagree about have none.
func (s *Service) opinionLabels(ctx context.Context, m *earshot.Monitor, c Categorization) (list opinionLabels, err error) {
	if s.Samples == nil {
		return nil, nil
	}
	type kind struct {
		class   int
		current bool // whether the criteria are still those of the sample
	}
	posts := map[kind][]earshot.PostKey{}
	var root earshot.MonitorID
	var first, last time.Time
	n := 0
	for _, sample := range s.Samples.Samples(m.ID) {
		root = sample.Monitor
		for i := range sample.Posts {
			p := &sample.Posts[i]
			votes := p.Votes(len(c.Model.Categories), func(l *earshot.PostLabel) int { return slices.Index(c.Model.Categories, l.Category) })
			class := slices.Index(votes, 1)
			if class < 0 {
				continue
			}
			k := kind{class, sample.Generation == m.Generation}
			posts[k] = append(posts[k], p.Post)
			if n++; n == 1 || p.Posted.Before(first) {
				first = p.Posted
			}
			if p.Posted.After(last) {
				last = p.Posted
			}
		}
	}
	if n < minLabels {
		return nil, nil
	}
	zone := m.Location()
	starts := dayBounds(earshot.Days{Start: earshot.DateOf(first.In(zone)), End: earshot.DateOf(last.In(zone)).AddDays(1)}, zone)
	for k, keys := range posts {
		weight := 1.0
		if !k.current {
			weight = otherCriteria
		}
		of := poststore.Selection{Set: poststore.MonitorSet(root), Keys: poststore.NewKeySet(slices.Values(keys))}
		all, err := s.categoryLabels(ctx, of, c, starts, k.class, weight)
		if err != nil {
			return nil, err
		}
		selected := all
		if m.ID != root {
			of.Set = poststore.MonitorSet(m.ID)
			if selected, err = s.categoryLabels(ctx, of, c, starts, k.class, weight); err != nil {
				return nil, err
			}
		}
		for _, l := range selected {
			l.selected = true
			list = append(list, l)
			at := slices.IndexFunc(all, func(other categoryLabel) bool {
				return other.day.Equal(l.day) && slices.Equal(other.predicted, l.predicted)
			})
			all = slices.Delete(slices.Clone(all), at, at+1)
		}
		list = append(list, all...)
	}
	return list, nil
}

// categoryLabels returns the labels of selected posts that people put into a category.
func (s *Service) categoryLabels(ctx context.Context, of poststore.Selection, c Categorization, starts []time.Time, class int, weight float64) (list []categoryLabel, err error) {
	tally := poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: poststore.ScoreSets(c.Model.Categories, c.Buffer)}
	rows, err := s.Uncorrected.Days(ctx, of, starts, []poststore.Tally{tally})
	if err != nil {
		return nil, err
	}
	for day, groups := range rows[0] {
		for _, row := range groups {
			group, ok := c.Model.Group(row.Key[0], row.Posts)
			if !ok {
				continue
			}
			l := categoryLabel{day: starts[day], predicted: predictions(group), class: class, weight: weight}
			list = append(list, slices.Repeat([]categoryLabel{l}, int(row.Posts))...)
		}
	}
	return list, nil
}

// predictions returns the scores of posts as probabilities that add up to 1.
func predictions(g quantify.Group) []float64 {
	p, sum := make([]float64, len(g.Scores)), 0.0
	for i, score := range g.Scores {
		p[i] = float64(score)
		sum += p[i]
	}
	for i := range p {
		p[i] /= max(sum, math.SmallestNonzeroFloat64)
	}
	return p
}

// areEnough reports whether there are enough labels to calibrate estimates.
func (list opinionLabels) areEnough() bool { return len(list) >= minLabels }

// allScores counts all posts of some days by score, also those whose category is corrected. The labels are of
// both, and people do not pick the posts that they correct at random: if the mistakes that they correct were
// missing, the labels would correct them once more.
func (s *Service) allScores(ctx context.Context, m *earshot.Monitor, days earshot.Days, c Categorization) ([]quantify.Day, error) {
	tally := poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: poststore.ScoreSets(c.Model.Categories, c.Buffer)}
	rows, err := s.Uncorrected.Days(ctx, poststore.Selection{Set: poststore.MonitorSet(m.ID)}, dayBounds(days, m.Location()), []poststore.Tally{tally})
	if err != nil {
		return nil, err
	}
	list := make([]quantify.Day, len(rows[0]))
	for day, groups := range rows[0] {
		for _, row := range groups {
			if group, ok := c.Model.Group(row.Key[0], row.Posts); ok {
				list[day] = append(list[day], group)
			}
		}
	}
	return list, nil
}

// byClass returns the posts that people corrected to each category of a model, given those of each category of
// a monitor. The last number is that of the other categories.
func (c Categorization) byClass(m *earshot.Monitor, corrected []int64) []float64 {
	list := make([]float64, len(c.Model.Categories)+1)
	for i, n := range corrected {
		class := slices.Index(c.Model.Categories, m.Categories[i].ID)
		if class < 0 {
			class = len(list) - 1
		}
		list[class] += float64(n)
	}
	return list
}

// calibrate replaces the estimate for the posts of a day, or from one time to another, if there are enough
// labels. posts are all posts. The estimate is of those that are not corrected; corrected are the others, by
// [Categorization.byClass]. It returns the number of labels of these posts.
func (list opinionLabels) calibrate(e *quantify.Estimate, posts quantify.Day, corrected []float64, from, to time.Time) (inside int) {
	if !list.areEnough() || len(posts) == 0 {
		return 0
	}
	var own, others []calibrate.Label
	for _, l := range list {
		distance := max(from.Sub(l.day), l.day.Sub(to.Add(-1)), 0)
		label := calibrate.Label{Predicted: l.predicted, Class: l.class, Weight: l.weight * math.Exp2(-float64(distance)/float64(halfLife))}
		if l.selected && distance == 0 {
			own = append(own, label)
		} else {
			others = append(others, label)
		}
	}
	bins, all := make([]calibrate.Bin, len(posts)), 0.0
	for i, g := range posts {
		bins[i] = calibrate.Bin{Predicted: predictions(g), Posts: g.Posts}
		all += g.Posts
	}
	total := all
	if len(others) > 0 {
		total = 0
	}
	shares := calibrate.Estimate(bins, borrow(own, others), total)
	known, rest := 0.0, 0.0
	for _, n := range corrected {
		known += n
	}
	for k, s := range shares {
		rest += max(0, s.Share*all-corrected[k])
	}
	if known >= all || rest == 0 {
		return len(own) // all posts are corrected, or there is no room for others
	}
	*e = quantify.Estimate{}
	for k, s := range shares {
		of := func(share float64) float64 { return min(1, max(0, share*all-corrected[k])/(all-known)) }
		share := max(0, s.Share*all-corrected[k]) / rest
		e.Prevalence = append(e.Prevalence, share)
		e.Intervals = append(e.Intervals, quantify.Interval{Low: min(share, of(s.Low)), High: max(share, of(s.High))})
	}
	return len(own)
}

// borrow returns the labels of some posts with those of others, which count less.
func borrow(own, others []calibrate.Label) []calibrate.Label {
	most, weight := float64(borrowed), 0.0
	if calibrate.Differ(own, others) {
		most = borrowedIfDifferent
	}
	for _, l := range others {
		weight += l.Weight
	}
	for i := range others {
		others[i].Weight *= min(1, most/max(weight, 1e-9))
	}
	return append(own, others...)
}
