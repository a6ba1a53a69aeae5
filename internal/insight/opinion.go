package insight

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/model/quantify"
	"earshot/internal/poststore"
)

// opinionResults is Results for an opinion monitor.
func (s *Service) opinionResults(ctx context.Context, m *earshot.Monitor, days earshot.Days, visible bool) (results []Result, err error) {
	err = s.WithCategorization(ctx, m, func(categorization Categorization) error {
		if err := categorization.Require(m); err != nil {
			return err
		}
		results, err = s.results(ctx, m, days, visible, categorization.assigned(m), func(rows []poststore.Row) []int64 {
			return categorization.count(m, rows)
		})
		setOpinionChanges(m, categorization, results)
		return err
	})
	return results, err
}

// setOpinionChanges sets the time of the last change to the metrics of each day. They change with
// the day's posts, with the model, and when the monitor is edited.
func setOpinionChanges(m *earshot.Monitor, categorization Categorization, results []Result) {
	since := categorization.TrainedAt
	for _, e := range m.Audit {
		if e.Kind == earshot.EventEdited && e.Time.After(since) {
			since = e.Time
		}
	}
	for i := range results {
		if r := &results[i]; r.Posts > 0 && since.After(r.Changed) {
			r.Changed = since
		}
	}
}

// opinions combines the day counts of an opinion monitor, by emotionOnlyTallies, with the estimates
// for those days.
type opinions struct {
	*dayCounts
	categorization Categorization
	estimates      []quantify.Estimate // of the posts whose category is not corrected

	// corrected counts the posts whose category is corrected, by day and by category of the monitor.
	// A day is nil if it has none.
	corrected [][]int64

	// all is the estimate of the posts of all days. It is zero without intervals.
	all    quantify.Estimate
	labels int // of posts of these days, that calibrate it
}

// scoreChunkDays is the number of days estimated at a time. More days need more memory for scores.
// With fewer days, the preceding days that estimates use are read more often.
const scoreChunkDays = 31

// estimateOpinions counts the posts of m by score and estimates the proportions of each day, with
// intervals if bounds is true.
func (s *Service) estimateOpinions(ctx context.Context, m *earshot.Monitor, days earshot.Days, categorization Categorization, bounds bool) (*opinions, error) {
	if err := categorization.Require(m); err != nil {
		return nil, err
	}
	c, err := s.countDays(ctx, m, days, nil, emotionOnlyTallies()...)
	if err != nil {
		return nil, err
	}
	labels, err := s.opinionLabels(ctx, m, categorization)
	if err != nil {
		return nil, err
	}
	o, zone := &opinions{dayCounts: c, categorization: categorization}, m.Location()
	all := &scores{categorization: categorization}
	var allPosts quantify.Day // of all days, also corrected ones
	for chunk := range slices.Chunk(c.dates, scoreChunkDays) {
		days := earshot.Days{Start: chunk[0], End: chunk[len(chunk)-1].AddDays(1)}
		scores, err := s.countScores(ctx, m, days, categorization)
		if err != nil {
			return nil, err
		}
		estimates, err := s.estimates.lastDays(ctx, scores, len(chunk), bounds)
		if err != nil {
			return nil, err
		}
		posts, corrected := scores.days[len(scores.days)-len(chunk):], scores.corrected[len(scores.corrected)-len(chunk):]
		if labels.areEnough() && categorization.Corrections.HasCategories() {
			if posts, err = s.allScores(ctx, m, days, categorization); err != nil {
				return nil, err
			}
		}
		for i, date := range chunk {
			labels.calibrate(&estimates[i], posts[i], categorization.byClass(m, corrected[i]), date.Start(zone), date.AddDays(1).Start(zone))
		}
		o.estimates = append(o.estimates, estimates...)
		o.corrected = append(o.corrected, corrected...)
		if bounds {
			all.merge(scores, len(chunk))
			allPosts = append(allPosts, slices.Concat(posts...)...)
		}
	}
	if bounds && len(all.days) > 0 {
		estimates, err := s.estimates.lastDays(ctx, all, 1, true)
		if err != nil {
			return nil, err
		}
		o.all = estimates[0]
		o.labels = labels.calibrate(&o.all, allPosts, categorization.byClass(m, o.asOneDay().corrected[0]), c.dates[0].Start(zone), c.dates[len(c.dates)-1].AddDays(1).Start(zone))
	}
	return o, nil
}

// countScores counts the posts of some days, and of the preceding days that their estimates use, by
// score or, if their category is corrected, by category.
func (s *Service) countScores(ctx context.Context, m *earshot.Monitor, days earshot.Days, categorization Categorization) (*scores, error) {
	days.Start = days.Start.AddDays(-quantify.LookbackDays)
	sets := poststore.ScoreSets(categorization.Model.Categories, categorization.Buffer)
	scoreSets := len(sets)
	if categorization.Corrections.HasCategories() {
		for _, c := range m.Categories {
			sets = append(sets, poststore.CorrectedSet(c.ID))
		}
	}
	c, err := s.countDays(ctx, m, days, nil, poststore.Tally{By: []poststore.Dim{poststore.BySets}, Sets: sets})
	if err != nil {
		return nil, err
	}
	all := &scores{categorization: categorization}
	for _, rows := range c.rows[0] {
		var day quantify.Day
		var corrected []int64
		var scored []poststore.Row
		for _, row := range rows {
			if category := firstSet(row.Key[0], scoreSets, len(sets)); category >= 0 {
				if corrected == nil {
					corrected = make([]int64, len(m.Categories))
				}
				corrected[category] += row.Posts
				continue
			}
			scored = append(scored, row)
			if group, ok := categorization.Model.Group(row.Key[0], row.Posts); ok {
				day = append(day, group)
			}
		}
		all.days, all.fingerprints = append(all.days, day), append(all.fingerprints, fingerprintOf(scored))
		all.corrected = append(all.corrected, corrected)
	}
	return all, nil
}

// firstSet returns the index of the first set from from on that a key of BySets contains, counted
// from from, or -1.
func firstSet(key string, from, to int) int {
	for i := from; i < to; i++ {
		if key[i/8]>>(i%8)&1 != 0 {
			return i - from
		}
	}
	return -1
}

// index returns the index of a category in the model, and whether the model has it.
func (o *opinions) index(id earshot.CategoryID) (int, bool) {
	index := slices.Index(o.categorization.Model.Categories, id)
	return index, index >= 0
}

// shares returns the shares of m's categories among a day's posts. All are 0 if there are no posts.
func (o *opinions) shares(m *earshot.Monitor, day int) []float64 {
	shares := o.estimated(m, day)
	for i := range shares {
		shares[i] = o.withCorrected(shares[i], i, day)
	}
	return shares
}

// volumes returns the posts of m's categories on a day. Those of corrected posts are exact, those of
// the others follow from estimated shares.
func (o *opinions) volumes(m *earshot.Monitor, day int) []int64 {
	volumes := apportion(o.uncorrected(day), o.estimated(m, day))
	for i, n := range o.corrected[day] {
		volumes[i] += n
	}
	return volumes
}

// uncorrected returns the number of a day's posts whose category is not corrected.
func (o *opinions) uncorrected(day int) int64 {
	posts := o.posts(0, day)
	for _, n := range o.corrected[day] {
		posts -= n
	}
	return max(posts, 0) // they were counted a moment later
}

// withCorrected converts the share of a category among a day's posts whose category is not corrected
// to its share among all posts.
func (o *opinions) withCorrected(share float64, category, day int) float64 {
	if o.corrected[day] == nil {
		return share
	}
	return (share*float64(o.uncorrected(day)) + float64(o.corrected[day][category])) / float64(o.posts(0, day))
}

// estimated returns the shares of m's categories among a day's posts whose category is not
// corrected. Categories that the model lacks have a share of 0. The shares of categories that were
// removed from m are distributed among the others.
func (o *opinions) estimated(m *earshot.Monitor, day int) []float64 {
	shares := make([]float64, len(m.Categories))
	if o.uncorrected(day) == 0 {
		return shares
	}
	sum := 0.0
	for i, c := range m.Categories {
		if index, ok := o.index(c.ID); ok {
			shares[i] = o.estimates[day].Prevalence[index]
			sum += shares[i]
		}
	}
	for i := range shares {
		if sum > 0 {
			shares[i] /= sum
		}
	}
	return shares
}

func (o *opinions) proportions(m *earshot.Monitor, day int) []Proportion {
	shares, volumes := o.shares(m, day), o.volumes(m, day)
	list := make([]Proportion, len(m.Categories))
	for i, c := range m.Categories {
		list[i] = Proportion{Category: c, Share: shares[i], Posts: volumes[i]}
		if o.corrected[day] != nil { // also without an estimate
			list[i].Low, list[i].High = shares[i], shares[i]
		}
		if index, ok := o.index(c.ID); ok && o.uncorrected(day) > 0 {
			// The interval is of a different share if categories were removed from m.
			bounds := o.estimates[day].Intervals[index]
			list[i].Low = min(o.withCorrected(bounds.Low, i, day), shares[i])
			list[i].High = max(o.withCorrected(bounds.High, i, day), shares[i])
		}
	}
	return list
}

// totalProportions returns the proportions of all days. Their volumes are those of the days, added
// up.
func (o *opinions) totalProportions(m *earshot.Monitor) []Proportion {
	all := o.asOneDay()
	list := all.proportions(m, 0)
	for i := range list {
		list[i].Posts = 0
	}
	for day := range o.dates {
		for i, n := range o.volumes(m, day) {
			list[i].Posts += n
		}
	}
	return list
}

// asOneDay returns the posts of all days as if they were from one.
func (o *opinions) asOneDay() *opinions {
	all := &opinions{categorization: o.categorization, estimates: []quantify.Estimate{o.all}, corrected: make([][]int64, 1)}
	all.dayCounts = &dayCounts{dates: make([]earshot.Date, 1), rows: [][][]poststore.Row{{{{Posts: o.total(0)}}}}}
	for _, day := range o.corrected {
		if all.corrected[0] == nil && day != nil {
			all.corrected[0] = make([]int64, len(day))
		}
		for i, n := range day {
			all.corrected[0][i] += n
		}
	}
	return all
}
