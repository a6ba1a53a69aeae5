package signal

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/insight/detect"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// Shares and newcomers are watched in the last 24 hours. They change slowly and cost more than a
// histogram, so each monitor is evaluated once an hour, taking turns.
const slowStep = time.Hour

// A slowWatch is the state of shares and newcomers of a monitor.
type slowWatch struct {
	evaluated time.Time
	basis     basis
	day       earshot.Date // the history ends before this day
	shares    *shareHistory
	newcomers map[earshot.SignalKind]*detect.Newcomers
}

var (
	shareKinds    = []earshot.SignalKind{earshot.NegativeSignal, earshot.CategorySignal, earshot.CountrySignal, earshot.LanguageSignal}
	newcomerKinds = []earshot.SignalKind{earshot.HashtagSignal, earshot.LinkSignal, earshot.AuthorSignal, earshot.TopicSignal}
)

// evaluateSlow compares shares and newcomers among the posts of the last 24 hours with the days before,
// if it is the target's turn.
func (s *Service) evaluateSlow(ctx context.Context, t *target, w *watch, posts float64, now time.Time) error {
	turn := time.Duration(t.ID%12) * detect.Step
	due := now.Add(-turn).Truncate(slowStep).Add(turn)
	if w.slow.evaluated.IsZero() { // after a start, monitors take turns as well
		w.slow.evaluated, w.slow.basis = now, basisOf(t)
		return nil
	}
	if !w.slow.evaluated.Before(due) && w.slow.basis == basisOf(t) {
		return nil
	}
	if posts < detect.NewcomerPosts && len(s.signals.open(s.Catalog, t.ID)) == 0 {
		w.slow.evaluated = now
		return nil
	}
	if err := s.learnSlow(ctx, t, &w.slow, now); err != nil {
		return err
	}
	shares, err := s.evaluateShares(ctx, t, &w.slow, now)
	if err == nil {
		err = s.conclude(ctx, t, t.unusual, shareKinds, s.dropFollowers(t, shares, now), now)
	}
	if err != nil {
		return err
	}
	newcomers, err := s.evaluateNewcomers(ctx, t, &w.slow, now)
	if err == nil {
		newcomers, err = s.attach(ctx, t, newcomers, now)
	}
	kinds := newcomerKinds
	if !topicsDue(t, now) {
		kinds = kinds[:len(kinds)-1] // topics come last; nothing is known about them now
	}
	if err == nil {
		err = s.conclude(ctx, t, t.unusual, kinds, newcomers, now)
	}
	w.slow.evaluated = now
	return err
}

// dropFollowers removes findings about countries and languages while unusually many posts are in the
// window: those who join a story often come from one place, and its explanation says so.
func (s *Service) dropFollowers(t *target, shares []finding, now time.Time) []finding {
	volume := s.signals.lookup(s.Catalog, keyOf(t.ID, 0, earshot.VolumeSignal, ""))
	if volume == nil || volume.State != earshot.Firing && now.Sub(volume.Resolved) > longWindow {
		return shares
	}
	return slices.DeleteFunc(shares, func(f finding) bool {
		follows := f.kind == earshot.CountrySignal || f.kind == earshot.LanguageSignal
		return follows && s.signals.find(s.Catalog, keyOf(t.ID, 0, f.kind, f.subject)) == nil
	})
}

// learnSlow reads the history of shares and newcomers, once a day.
func (s *Service) learnSlow(ctx context.Context, t *target, w *slowWatch, now time.Time) (err error) {
	local := now.Add(-longWindow).In(t.Location())
	day := earshot.DateOf(local)
	turn := int(t.ID/12) % 24 // monitors take turns over the hours of a day
	current := w.day == day || w.day == day.AddDays(-1) && local.Hour() < turn
	if w.shares != nil && current && w.basis == basisOf(t) {
		return nil
	}
	if w.shares, err = s.readShares(ctx, t, day); err != nil {
		return err
	}
	if w.newcomers, err = s.readNewcomers(ctx, t, day); err != nil {
		return err
	}
	w.day, w.basis = day, basisOf(t)
	return nil
}

// A shareKey identifies a share that is watched.
type shareKey struct {
	kind    earshot.SignalKind
	subject string
}

// A shareHistory has the posts of the last days and how many of them are in each share. It takes about
// 2 KB.
type shareHistory struct {
	totals [detect.ShareDays]uint32
	parts  map[shareKey]*[detect.ShareDays]uint32
}

// maxShares bounds the countries and the languages that are watched.
const maxShares = 10

// shareDims are the dimensions of the kinds of shares that tallies count.
var shareDims = map[earshot.SignalKind]poststore.Tally{
	earshot.NegativeSignal: {By: []poststore.Dim{poststore.BySentiment}},
	earshot.CountrySignal:  {By: []poststore.Dim{poststore.ByCountry}, Top: maxShares},
	earshot.LanguageSignal: {By: []poststore.Dim{poststore.ByLanguage}, Top: maxShares},
}

// shareSubject returns the subject of the share that a key of a tally belongs to.
func shareSubject(kind earshot.SignalKind, key string) (subject string, ok bool) {
	switch kind {
	case earshot.NegativeSignal:
		return "", key == earshot.BasicCategories[2]
	case earshot.LanguageSignal:
		_, ok := earshot.FindLanguage(key)
		return key, ok
	}
	return key, key != ""
}

// shareCounts are the posts in some intervals, and how many of them are in each share.
type shareCounts struct {
	totals []int64
	parts  map[shareKey][]int64
}

func (c *shareCounts) add(k shareKey, interval int, posts int64) {
	if c.parts[k] == nil {
		c.parts[k] = make([]int64, len(c.totals))
	}
	c.parts[k][interval] += posts
}

// countShares counts the posts of each interval [starts[i], starts[i+1]).
func (s *Service) countShares(ctx context.Context, t *target, starts []time.Time) (*shareCounts, error) {
	c := &shareCounts{totals: make([]int64, len(starts)-1), parts: map[shareKey][]int64{}}
	ts, kinds := []poststore.Tally{{}}, []earshot.SignalKind{""}
	for _, kind := range shareKinds {
		if tally, ok := shareDims[kind]; ok && t.watches(kind) {
			ts, kinds = append(ts, tally), append(kinds, kind)
		}
	}
	rows, err := s.countEach(ctx, t, starts, ts)
	if err != nil {
		return nil, err
	}
	for i, kind := range kinds {
		for interval, rows := range rows[i] {
			for _, row := range rows {
				if kind == "" {
					c.totals[interval] = row.Posts
				} else if subject, ok := shareSubject(kind, row.Key[0]); ok {
					c.add(shareKey{kind, subject}, interval, row.Posts)
				}
			}
		}
	}
	return c, s.countCategories(ctx, t, starts, c)
}

// countEach counts the posts of each interval. The store caches the counts of days.
func (s *Service) countEach(ctx context.Context, t *target, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	if len(starts) > 2 {
		return s.Posts.Days(ctx, t.posts(time.Time{}, time.Time{}), starts, ts)
	}
	rows, err := s.Posts.Tallies(ctx, t.posts(starts[0], starts[1]), ts)
	if err != nil {
		return nil, err
	}
	each := make([][][]poststore.Row, len(ts))
	for i := range ts {
		each[i] = [][]poststore.Row{rows[i]}
	}
	return each, nil
}

// countCategories counts the posts of the categories of an opinion monitor.
func (s *Service) countCategories(ctx context.Context, t *target, starts []time.Time, c *shareCounts) error {
	if t.Type != earshot.Opinion || !t.watches(earshot.CategorySignal) || earshot.RequireTraining(t.Monitor) != nil {
		return nil
	}
	for _, category := range t.Categories {
		if category.Hidden {
			continue
		}
		k := shareKey{earshot.CategorySignal, strconv.FormatInt(int64(category.ID), 10)}
		_, filter := describeShare(t, k.kind, k.subject)
		err := s.selectPosts(ctx, t.Monitor, filter, func(of poststore.Selection) (err error) {
			c.parts[k], err = s.Posts.Histogram(ctx, of, starts)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readShares reads the history of shares before a day. Days of which posts may be missing do not
// count.
func (s *Service) readShares(ctx context.Context, t *target, day earshot.Date) (*shareHistory, error) {
	starts := dayStarts(day, detect.ShareDays, t.Location())
	c, err := s.countShares(ctx, t, starts)
	if err != nil {
		return nil, err
	}
	h := &shareHistory{parts: make(map[shareKey]*[detect.ShareDays]uint32, len(c.parts))}
	for d, posts := range c.totals {
		if !s.isUnknown(t, starts[d], starts[d+1]) {
			h.totals[d] = uint32(posts)
		}
	}
	for k, parts := range c.parts {
		h.parts[k] = new([detect.ShareDays]uint32)
		for d, posts := range parts {
			h.parts[k][d] = min(uint32(posts), h.totals[d])
		}
	}
	return h, nil
}

// evaluateShares compares the shares of the last 24 hours with the history.
func (s *Service) evaluateShares(ctx context.Context, t *target, w *slowWatch, now time.Time) (findings []finding, err error) {
	if t.count(shareKinds) == 0 {
		return nil, nil
	}
	from := now.Add(-longWindow)
	c, err := s.countShares(ctx, t, []time.Time{from, now})
	if err != nil {
		return nil, err
	}
	watched := max(len(w.shares.parts), 1)
	for k, parts := range c.parts {
		f := finding{kind: k.kind, subject: k.subject, from: from, to: now, window: longWindow, total: float64(c.totals[0])}
		if err := s.compareShare(ctx, t, w, &f, float64(parts[0]), watched); err != nil {
			return nil, err
		}
		findings = append(findings, f)
	}
	return findings, nil
}

// compareShare fills in a finding about a share.
func (s *Service) compareShare(ctx context.Context, t *target, w *slowWatch, f *finding, part float64, watched int) error {
	f.observed = part / max(f.total, 1)
	f.label, f.filter = describeShare(t, f.kind, f.subject)
	parts := w.shares.parts[shareKey{f.kind, f.subject}]
	if parts == nil {
		parts = new([detect.ShareDays]uint32)
	}
	var days [detect.ShareDays]detect.Day
	var k, n float64
	for d := range days {
		days[d] = detect.Day{Part: float64(parts[d]), Total: float64(w.shares.totals[d])}
		k, n = k+days[d].Part, n+days[d].Total
	}
	f.expected = k / max(n, 1)
	if part < t.minPosts() || f.observed <= f.expected {
		return nil
	}
	share, err := detect.FitShare(days[:])
	var learning *detect.Learning
	if errors.As(err, &learning) {
		return nil
	}
	if err != nil {
		return err
	}
	e := share.Expect(f.total)
	f.expected, f.chance = e.Mean, e.Chance(part)
	f.low, f.high = e.Interval(interval)
	limit := share.Limit(t.budget()[detect.Shares]/float64(watched), t.minPosts())
	if !limit.Exceeded(e, part) {
		return nil
	}
	of, err := s.selection(ctx, t, f.filter, f.from, f.to)
	if err != nil {
		return err
	}
	once, err := insight.CountOnce(ctx, s.Posts, of, part)
	if err != nil {
		return err
	}
	f.holds = limit.Exceeded(e, once.Posts) && once.Several >= t.minPosts()
	f.observed = once.Posts / f.total
	f.began = func(ctx context.Context) (time.Time, error) { return s.shareBegan(ctx, t, f, of, e.Mean) }
	return nil
}

// shareBegan returns the first hour in which a share stands out.
func (s *Service) shareBegan(ctx context.Context, t *target, f *finding, of poststore.Selection, share float64) (time.Time, error) {
	starts := hourStarts(t, f.from, f.to)
	parts, err := s.countHours(ctx, of, starts)
	if err != nil {
		return time.Time{}, err
	}
	expected, err := s.countHours(ctx, t.posts(time.Time{}, time.Time{}), starts)
	if err != nil {
		return time.Time{}, err
	}
	for i := range expected {
		expected[i] *= share
	}
	from, _, _ := detect.Segment(parts, expected)
	return starts[from], nil
}

// describeShare returns what people read about the subject of a share, and the filter that selects its
// posts.
func describeShare(t *target, kind earshot.SignalKind, subject string) (label, text string) {
	switch kind {
	case earshot.NegativeSignal:
		return "negative posts", filter.Sentiment.Is(earshot.SentimentName(earshot.Negative))
	case earshot.CountrySignal:
		return countryName(subject), filter.Geolocation.Is(subject)
	case earshot.LanguageSignal:
		return earshot.LanguageName(subject), filter.Language.Is(subject)
	case earshot.CategorySignal:
		for _, c := range t.Categories {
			if strconv.FormatInt(int64(c.ID), 10) == subject {
				return c.Name, filter.Category.Is(subject)
			}
		}
	}
	return subject, ""
}

// selection returns the posts of a target in [from, to) that a filter selects.
func (s *Service) selection(ctx context.Context, t *target, text string, from, to time.Time) (of poststore.Selection, err error) {
	err = s.selectPosts(ctx, t.Monitor, text, func(sel poststore.Selection) error {
		of = sel
		return nil
	})
	of.From, of.To = from, to
	return of, err
}

// dayStarts returns the starts of the n days before a day, and its own start.
func dayStarts(day earshot.Date, n int, loc *time.Location) []time.Time {
	starts := make([]time.Time, n+1)
	for i := range starts {
		starts[i] = day.AddDays(i - n).Start(loc)
	}
	return starts
}
