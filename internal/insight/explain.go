package insight

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// An Explanation compares the posts of a period with those of the same hours in the four weeks
// before, and says what is new about them. docs/decisions/0063-explanations.md
type Explanation struct {
	From, To time.Time // the part of the requested period that is over and has results; equal if there is none
	Posts    int64
	Expected *Expected  // nil if there is nothing to compare with
	Baseline []Baseline // latest first
	Change   Change
	Steps    []ExplainedStep // of the period, in order
	Hourly   bool            // whether steps are hours instead of days

	Cause     Cause
	Stories   []Story // largest first; only if there are more posts than expected
	Explained float64 // share of the excess that all stories together explain, from 0 to 1

	Drivers
	Estimated bool // whether the posts of words, phrases and links are extrapolated from a sample
}

// Expected is the expected number of posts with a 95% prediction interval.
type Expected struct{ Posts, Low, High float64 }

// A Baseline is an earlier period that a period is compared with.
type Baseline struct {
	From     time.Time          `json:"from"`
	To       time.Time          `json:"to"`
	Posts    int64              `json:"posts"`
	Coverage jsonvalue.Decimal4 `json:"coverage"` // share of the period that has results
	Used     bool               `json:"used"`     // whether the expectation is based on it
}

// A Change is how the number of posts compares with the expectation.
type Change string

const (
	ChangeUnknown Change = "unknown" // there is no expectation
	ChangeUsual   Change = "usual"   // within the prediction interval
	ChangeMore    Change = "more"
	ChangeFewer   Change = "fewer"
)

// A Cause says whether stories explain why there are more posts than expected.
type Cause string

const (
	CauseNone    Cause = "none"    // stories explain less than half of the excess, or there is none
	CauseSingle  Cause = "single"  // the first story explains at least half of it
	CauseSeveral Cause = "several" // all stories together do
)

// A Story is a group of words that are over-represented and occur together.
type Story struct {
	Terms    []string // most over-represented first
	Query    string   // selects its posts
	Posts    int64
	Expected float64
	Share    float64       // share of the excess that it explains
	Links    []Count       // in a sample of its posts, most frequent first
	Earliest *earshot.Post // of the period
	Top      *earshot.Post // the one with the most engagement
	Hours    []HourCount   // hours of the period with posts
	name     string
}

// Name returns the most typical phrase or hashtag of the story or, if there is none, its three most
// over-represented terms.
func (s *Story) Name() string { return cmp.Or(s.name, termName(s.Terms)) }

// An HourCount is the number of posts in an hour.
type HourCount struct {
	Time  time.Time
	Posts int64
}

// An ExplainRequest selects the posts to explain.
type ExplainRequest struct {
	From, To time.Time // To is exclusive

	// Incident is set if the period is one. What is expected of it is known better than from the few
	// earlier weeks that are compared with it, which may have had incidents, too.
	Incident *Incident

	// Refine resolves the refinement for the current categorization. Filter identifies the
	// refinement; it is empty if there is none.
	Filter string
	Refine func(filter.Categories) (poststore.Selection, error)
}

const (
	baselineWeeks = 4
	maxPeriodDays = 31
	maxPeriod     = (maxPeriodDays*24 + 1) * time.Hour // of an explanation, with an hour for clock changes
	explainSample = 10_000                             // posts of the period, and posts of all baselines, whose texts are read

	enoughBaseline = 400            // posts of all baselines whose texts are enough to compare with
	widestPeriod   = 25 * time.Hour // of an explanation that compares texts with those around the baselines
	aroundDays     = 3              // days before and after a baseline
)

// Explain explains the posts of m in a period. The result is cached, so the caller must not modify
// it.
func (s *Service) Explain(ctx context.Context, m *earshot.Monitor, r ExplainRequest) (e *Explanation, err error) {
	if !r.From.Before(r.To) || r.To.Sub(r.From) > maxPeriod {
		return nil, earshot.Errorf(earshot.Invalid, "A period of up to %d days can be explained", maxPeriodDays)
	}
	err = s.WithCategorization(ctx, m, func(c Categorization) error {
		var refinement poststore.Selection
		if r.Filter != "" {
			if refinement, err = r.Refine(c); err != nil {
				return err
			}
		}
		x := &explainer{Service: s, monitor: m, refinement: refinement, result: &Explanation{Change: ChangeUnknown, Cause: CauseNone}}
		x.setPeriods(r.From, r.To)
		if !x.result.From.Before(x.result.To) {
			e = x.result
			return nil
		}
		all := x.selection(x.result.From, x.result.To)
		for _, b := range x.result.Baseline {
			all.From = period.Earlier(all.From, x.around(b).From)
		}
		key := fmt.Sprintf("%s %s %d %q %q %q", x.result.From.UTC(), x.result.To.UTC(), c.ModelID, r.Filter, m.Timezone, m.Criteria.Keywords)
		if r.Incident != nil {
			x.known = &r.Incident.Expected
			key += fmt.Sprintf(" %.1f", x.known.Posts)
		}
		e, err = memoize(ctx, s.Store, &s.explanations, all, key, func() (*Explanation, error) { return x.explain(ctx) })
		return err
	})
	return e, err
}

func (e *Explanation) size() int {
	bytes := 64 << 10
	for _, s := range e.Stories {
		for _, p := range []*earshot.Post{s.Earliest, s.Top} {
			if p != nil {
				bytes += postSize(p)
			}
		}
	}
	return bytes
}

// An explainer computes an explanation.
type explainer struct {
	*Service
	monitor    *earshot.Monitor
	refinement poststore.Selection
	known      *Expected // nil: expect what the baselines have
	weeks      int       // from a baseline to the next
	result     *Explanation
}

// before returns the time that corresponds to a time of the period in the nth baseline.
func (x *explainer) before(t time.Time, n int) time.Time {
	return t.In(x.monitor.Location()).AddDate(0, 0, -7*x.weeks*n)
}

// selection returns a selection of the posts in a time range.
func (x *explainer) selection(from, to time.Time) poststore.Selection {
	sel := x.refinement
	sel.Set, sel.From, sel.To = poststore.MonitorSet(x.monitor.ID), from, to
	return sel
}

// setPeriods sets the period and the baselines. A period that is not over ends with the last full
// hour.
func (x *explainer) setPeriods(from, to time.Time) {
	loc, results := x.monitor.Location(), x.monitor.Results(x.Now())
	begin, end := results.Start.Start(loc), results.End.Start(loc)
	full := period.Hour(x.Now().In(loc))
	if !from.Before(full) || !to.After(x.Now()) {
		full = x.Now()
	}
	x.result.From = period.Later(from, begin).In(loc)
	x.result.To = period.Earlier(period.Earlier(to, end), full).In(loc)
	if !x.result.From.Before(x.result.To) {
		x.result.To = x.result.From
		return
	}
	x.weeks = int(math.Ceil(x.result.To.Sub(x.result.From).Hours() / (7*24 + 1))) // long periods must not overlap
	for k := 1; k <= baselineWeeks; k++ {
		b := Baseline{From: x.before(x.result.From, k), To: x.before(x.result.To, k)}
		if covered := b.To.Sub(period.Later(b.From, begin)); covered > 0 {
			b.Coverage = jsonvalue.Decimal4(covered) / jsonvalue.Decimal4(b.To.Sub(b.From))
			b.From = period.Later(b.From, begin).In(loc)
		} else {
			b.To = b.From
		}
		x.result.Baseline = append(x.result.Baseline, b)
	}
}

func (x *explainer) explain(ctx context.Context) (*Explanation, error) {
	if err := x.expect(ctx); err != nil {
		return nil, err
	}
	e := x.result
	e.Change = e.change()
	if e.Posts == 0 || e.Expected == nil {
		return e, nil
	}
	leave, err := x.contrasts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	background, scale, err := x.background(ctx)
	if err != nil {
		return nil, err
	}
	c := newContrast(x.monitor, scale)
	c.byLanguage = true
	period := []poststore.Selection{x.selection(x.result.From, x.result.To)}
	if err := x.readContrast(ctx, c, period, background); err != nil {
		return nil, err
	}
	if err := x.contrastNames(ctx, c, period, x.baselines(), x.scale()); err != nil {
		return nil, err
	}
	if e.Drivers, err = x.drivers(ctx, x.monitor, c, period); err != nil {
		return nil, err
	}
	e.Estimated = c.estimated
	if e.Change == ChangeMore {
		err = x.findStories(ctx, c)
	}
	return e, err
}

// expect counts the posts of all periods and sets the expectation.
func (x *explainer) expect(ctx context.Context) (err error) {
	posts, total, err := x.countHours(ctx, x.result.From, x.result.To)
	if err != nil {
		return err
	}
	x.result.Posts = total
	before := make([][]count, len(x.result.Baseline))
	for i := range x.result.Baseline {
		b := &x.result.Baseline[i]
		if b.Coverage > 0 {
			if before[i], b.Posts, err = x.countHours(ctx, b.From, b.To); err != nil {
				return err
			}
		}
	}
	chooseBaselines(x.result.Baseline)
	x.result.Expected = expected(x.result.Baseline)
	if x.known != nil && x.result.Expected != nil {
		x.result.Expected = x.known
	}
	x.result.Steps, x.result.Hourly, err = x.steps(posts, before)
	return err
}

// countHours counts the posts of a time range, by hour and in total.
func (x *explainer) countHours(ctx context.Context, from, to time.Time) (hours []count, total int64, err error) {
	hours, err = x.counts(ctx, x.monitor, x.selection(from, to), earshot.Hourly)
	for i := range hours {
		hours[i].at = period.Later(hours[i].at, from) // the range may start within an hour
		total += hours[i].posts
	}
	return hours, total, err
}

// chooseBaselines marks the baselines to use: those that are completely covered or, if there are
// none, the best covered one. A period with an exceptional number of posts is not used, so that a
// past spike does not hide a new one.
func chooseBaselines(all []Baseline) {
	var counts []float64
	for i := range all {
		if all[i].Used = all[i].Coverage > 0.999; all[i].Used {
			counts = append(counts, float64(all[i].Posts))
		}
	}
	if len(counts) == 0 {
		best := slices.MaxFunc(all, func(a, b Baseline) int { return cmp.Compare(a.Coverage, b.Coverage) })
		for i := range all {
			all[i].Used = best.Coverage > 0 && all[i] == best
		}
		return
	}
	if len(counts) < 3 {
		return
	}
	slices.Sort(counts)
	median := (counts[(len(counts)-1)/2] + counts[len(counts)/2]) / 2
	for i := range all {
		all[i].Used = all[i].Used && float64(all[i].Posts) <= 2*median+3*math.Sqrt(median)
	}
}

// tQuantiles are the 97.5% quantiles of Student's t-distribution by degrees of freedom.
var tQuantiles = map[int]float64{2: 4.303, 3: 3.182}

// expected returns the mean of the baselines in use with a prediction interval. Counts vary more
// than a Poisson distribution if the baselines do.
func expected(all []Baseline) *Expected {
	var sum, covered, n float64
	for _, b := range all {
		if b.Used {
			sum += float64(b.Posts)
			covered += float64(b.Coverage)
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / covered
	quantile, known := tQuantiles[int(n)-1]
	dispersion := 1 + 0.04*mean // a standard deviation of 20% of the mean, if it cannot be estimated
	if known {
		dispersion = 0
		for _, b := range all {
			if b.Used && mean > 0 {
				dispersion += (float64(b.Posts) - mean) * (float64(b.Posts) - mean) / mean / (n - 1)
			}
		}
		dispersion = max(dispersion, 1)
	}
	if !known || dispersion == 1 {
		quantile = 1.96
	}
	margin := quantile * math.Sqrt(dispersion*max(mean, 1)*(1+1/n))
	return &Expected{Posts: mean, Low: max(0, mean-margin), High: mean + margin}
}

func (e *Explanation) change() Change {
	switch {
	case e.Expected == nil:
		return ChangeUnknown
	case float64(e.Posts) > e.Expected.High:
		return ChangeMore
	case float64(e.Posts) < e.Expected.Low:
		return ChangeFewer
	}
	return ChangeUsual
}

func (x *explainer) baselines() (list []poststore.Selection) {
	for _, b := range x.result.Baseline {
		if b.Used {
			list = append(list, x.selection(b.From, b.To))
		}
	}
	return list
}

// background returns the selections of the posts whose texts are compared with those of the period:
// the baselines or, if these have few posts, also the days around them. Unlike the number of posts or
// their languages, words hardly depend on the time of day. Posts times scale are the expectation.
func (x *explainer) background(ctx context.Context) (list []poststore.Selection, scale float64, err error) {
	list, scale = x.baselines(), x.scale()
	if x.result.Expected.Posts >= enoughBaseline*scale || x.result.To.Sub(x.result.From) > widestPeriod {
		return list, scale, nil
	}
	var wide []poststore.Selection
	total := int64(0)
	for _, b := range x.result.Baseline {
		if !b.Used {
			continue
		}
		sel := x.around(b)
		n, err := x.countSelected(ctx, sel)
		if err != nil {
			return nil, 0, err
		}
		wide, total = append(wide, sel), total+n
	}
	if total == 0 {
		return list, scale, nil
	}
	return wide, x.result.Expected.Posts / float64(total), nil
}

// around returns a selection of the posts of a baseline and the days around it. It does not reach
// another baseline if the period is short.
func (x *explainer) around(b Baseline) poststore.Selection {
	begin := x.monitor.Results(x.Now()).Start.Start(x.monitor.Location())
	return x.selection(period.Later(b.From.AddDate(0, 0, -aroundDays), begin), b.To.AddDate(0, 0, aroundDays))
}

// scale returns the number that the posts of all baselines are multiplied by to get the expectation.
func (x *explainer) scale() float64 {
	covered := 0.0
	for _, b := range x.result.Baseline {
		if b.Used {
			covered += float64(b.Coverage)
		}
	}
	return 1 / covered
}
