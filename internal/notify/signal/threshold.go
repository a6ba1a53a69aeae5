package signal

import (
	"context"
	"slices"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query/filter"
)

// evaluateRule evaluates a rule about a threshold or posts. A rule that fails, for example because its
// filter names a category that is gone, does not keep others from being evaluated. It returns the time
// that queries took: writing signals does not count, which takes long on a busy disk but happens rarely.
func (s *Service) evaluateRule(ctx context.Context, t *target, r *earshot.Rule, now time.Time) (queried time.Duration) {
	s.evaluating.Lock() // evaluations every 5 minutes and those of recent posts take turns
	defer s.evaluating.Unlock()
	within, cancel := context.WithTimeout(ctx, ruleTimeout)
	defer cancel()
	s.queried = 0
	err := s.guard(func() error {
		ctx := within
		if r.Kind == earshot.PostRule {
			return s.evaluatePosts(ctx, t, r, now)
		}
		if !isActive(t, r, now) && len(s.signals.open(s.Catalog, t.ID)) == 0 {
			return nil
		}
		began := time.Now()
		f, err := s.evaluateThreshold(ctx, t, r, now)
		s.queried = time.Since(began)
		if err != nil {
			return err
		}
		return s.conclude(ctx, t, r, []earshot.SignalKind{earshot.ThresholdSignal}, []finding{f}, now)
	})
	if err != nil && ctx.Err() == nil {
		s.Log.Error("evaluating a rule failed; will retry", "rule", r.ID, "monitor", t.ID, "error", err)
	}
	return s.queried
}

// ruleTimeout bounds the evaluation of a rule, because others wait for it.
const ruleTimeout = 10 * time.Second

// evaluateThreshold compares a metric with the rule's value. While posts may be missing, it
// cannot tell whether the metric is too small.
func (s *Service) evaluateThreshold(ctx context.Context, t *target, r *earshot.Rule, now time.Time) (finding, error) {
	limit := &r.Threshold
	f := finding{kind: earshot.ThresholdSignal, from: now.Add(-limit.Window), to: now, window: limit.Window, filter: r.Filter, below: limit.Below}
	var err error
	if f.observed, f.total, err = s.metric(ctx, t, r, f.from, f.to); err != nil {
		return f, err
	}
	f.filter, f.expected = metricFilter(r), limit.Value
	if limit.Of != "" {
		f.label, _ = describeShare(t, earshot.SignalKind(limit.Metric), limit.Of) // they have the same names
	}
	f.holds = f.exceeds(r)
	f.unknown = limit.Below && s.isUnknown(t, f.from, f.to)
	return f, nil
}

// exceeds reports whether the observed value is beyond the rule's.
func (f *finding) exceeds(r *earshot.Rule) bool {
	limit := &r.Threshold
	if limit.Metric.IsShare() && f.total < float64(max(limit.MinPosts, 1)) {
		return false
	}
	if limit.Below {
		return f.observed < limit.Value
	}
	return f.observed > limit.Value
}

// metric returns the value of a rule's metric in [from, to), and the number of posts.
func (s *Service) metric(ctx context.Context, t *target, r *earshot.Rule, from, to time.Time) (value, posts float64, err error) {
	tally := poststore.Tally{Sum: metricSums[r.Threshold.Metric]}
	var rows []poststore.Row
	err = s.selectPosts(ctx, t.Monitor, r.Filter, func(of poststore.Selection) (err error) {
		of.From, of.To = from, to
		rows, err = poststore.TallyOne(ctx, s.Posts, of, tally)
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	posts = float64(rows[0].Posts)
	if !r.Threshold.Metric.IsShare() {
		value = posts
		if len(tally.Sum) > 0 {
			value = 0
			for _, sum := range rows[0].Sums {
				value += float64(sum)
			}
		}
		return value, posts, nil
	}
	if posts == 0 {
		return 0, 0, nil
	}
	var part []int64
	err = s.selectMetric(ctx, t, r, func(of poststore.Selection) (err error) {
		part, err = s.Posts.Histogram(ctx, of, []time.Time{from, to})
		return err
	})
	if err != nil {
		return 0, 0, err
	}
	return float64(part[0]) / posts, posts, nil
}

// selectMetric selects the posts of a rule that its metric is about. A filter with a field twice selects
// posts with either value, so the two conditions cannot be one filter.
func (s *Service) selectMetric(ctx context.Context, t *target, r *earshot.Rule, use func(poststore.Selection) error) error {
	field, value := metricPart(r)
	return s.selectPosts(ctx, t.Monitor, field.Is(value), func(part poststore.Selection) error {
		return s.selectPosts(ctx, t.Monitor, r.Filter, func(of poststore.Selection) error {
			others := poststore.Selection{Except: []poststore.Selection{part}}
			of.Except = append(slices.Clip(of.Except), others)
			return use(of)
		})
	})
}

// metricSums are the sums that metrics other than the number of posts add up.
var metricSums = map[earshot.Metric][]poststore.Measure{
	earshot.AuthorsMetric:    {poststore.Authors},
	earshot.EngagementMetric: enginekit.EngagementMeasures,
	earshot.ReachMetric:      {poststore.Impressions},
}

// metricPart returns the field and the value of the posts that a share is about. The field is empty for
// other metrics.
func metricPart(r *earshot.Rule) (field filter.Field, value string) {
	switch r.Threshold.Metric {
	case earshot.NegativeMetric:
		return filter.Sentiment, earshot.SentimentName(earshot.Negative)
	case earshot.PositiveMetric:
		return filter.Sentiment, earshot.SentimentName(earshot.Positive)
	case earshot.CategoryMetric:
		return filter.Category, r.Threshold.Of
	case earshot.CountryMetric:
		return filter.Geolocation, r.Threshold.Of
	case earshot.LanguageMetric:
		return filter.Language, r.Threshold.Of
	}
	return "", ""
}

// metricFilter returns a filter for people who want to see the posts of a signal. If no filter can
// express them, it is that of the rule.
func metricFilter(r *earshot.Rule) string {
	field, value := metricPart(r)
	if field == "" || field.In(r.Filter) {
		return r.Filter
	}
	return filter.And(r.Filter, field.Is(value))
}
