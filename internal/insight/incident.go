package insight

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"earshot"
	"earshot/internal/insight/detect"
	"earshot/internal/period"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// An Incident is a time in which a monitor has far more posts than usual, or far more negative ones:
// consecutive unusual hours or days. docs/signals.md describes how incidents are found.
type Incident struct {
	From, To time.Time // from the first unusual hour to the end of the last one
	Ongoing  bool      // the last complete hour is unusual, or one of the few before it
	Negative bool      // only negative posts are more than usual; the numbers count these
	Posts    int64
	Expected Expected
	Peak     PeakHour
}

// A PeakHour is the hour with the most posts of an [Incident].
type PeakHour struct {
	Time     time.Time
	Posts    int64
	Expected float64
}

// Ratio returns how many times as many posts there are as expected.
func (i *Incident) Ratio() float64 { return float64(i.Posts) / max(i.Expected.Posts, 1) }

// Excess returns how many more posts there are than expected.
func (i *Incident) Excess() float64 { return float64(i.Posts) - i.Expected.Posts }

// Incidents without a cause are to be rare: a list of them covers many monitors and months.
const (
	incidentsPerYear  = 0.5                 // without a cause, of all posts and of negative ones
	incidentLookback  = 14 * 24 * time.Hour // before and after the days: an incident may last as long
	incidentGap       = 24                  // hours between unusual ones of the same incident
	incidentAlarmGap  = 12                  // hours between alarms that may be about the same hours
	incidentRemainder = 0.1                 // how much less chance further incidents near one may have
	negativeRatio     = 1.5                 // how much more than all posts negative ones must grow
)

// An IncidentRequest selects the posts and the days.
type IncidentRequest struct {
	Days earshot.Days

	// Refine resolves the refinement for the current categorization. Filter identifies the
	// refinement; it is empty if there is none.
	Filter string
	Refine func(filter.Categories) (poststore.Selection, error)
}

// Incidents are what happened in a monitor.
type Incidents struct {
	List []Incident // newest first

	// Learning reports whether what is usual was not known for some of the days, because too few
	// weeks were observed before.
	Learning bool
}

func (l *Incidents) size() int { return 256 + 256*len(l.List) }

// Incidents returns the incidents that overlap with some days. What is usual is learned from the
// weeks before each hour, so an incident stays as it is when more posts arrive after it. The result
// is cached, so the caller must not modify it.
func (s *Service) Incidents(ctx context.Context, m *earshot.Monitor, r IncidentRequest) (found *Incidents, err error) {
	days, err := s.limitDays(m, r.Days)
	if err != nil || days.Len() <= 0 {
		return &Incidents{Learning: true}, err
	}
	loc := m.Location()
	from, end, now := days.Start.Start(loc), days.End.Start(loc), period.Hour(s.Now().In(loc))
	to := period.Earlier(end.Add(incidentLookback), now)
	err = s.WithCategorization(ctx, m, func(c Categorization) error {
		var sel poststore.Selection
		if r.Filter != "" {
			if sel, err = r.Refine(c); err != nil {
				return err
			}
		}
		sel.Set = poststore.MonitorSet(m.ID)
		sel.From, sel.To = from.Add(-detect.History-incidentLookback), to
		key := fmt.Sprintf("%s %s %s %d %q %q", from.UTC(), end.UTC(), to.UTC(), c.ModelID, r.Filter, m.Timezone)
		found, err = memoize(ctx, s.Store, &s.incidents, sel, key, func() (*Incidents, error) {
			return s.findIncidents(ctx, m, sel, from, end, r.Filter)
		})
		return err
	})
	return found, err
}

// findIncidents finds the incidents in the posts of a selection that overlap with a period. With a filter,
// it does not look for negative posts.
func (s *Service) findIncidents(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, from, end time.Time, filter string) (*Incidents, error) {
	all, err := s.hourlySeries(ctx, m, sel, from, filter)
	if err != nil {
		return nil, err
	}
	spans, learning := all.incidents(from, end)
	found := &Incidents{Learning: learning}
	for _, at := range spans {
		if several, err := s.areSeveral(ctx, sel, &all, at); err != nil {
			return nil, err
		} else if several {
			found.List = append(found.List, all.incident(at))
		}
	}
	if filter == "" && m.HasBasicCategories() {
		negative, err := s.findNegative(ctx, m, sel, from, &all, found.List)
		if err != nil {
			return nil, err
		}
		found.List = append(found.List, negative...)
	}
	found.List = slices.DeleteFunc(found.List, func(i Incident) bool { return !i.From.Before(end) })
	slices.SortFunc(found.List, func(a, b Incident) int { return b.From.Compare(a.From) })
	return found, nil
}

// findNegative finds the incidents of negative posts that are not part of others, because negative posts
// grew far more than all.
func (s *Service) findNegative(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, from time.Time, all *hourlySeries, others []Incident) (found []Incident, err error) {
	sel.Categories = poststore.CategoryFilter{Sentiments: 1 << slices.Index(earshot.BasicCategories, "Basic Negative")}
	negative, err := s.hourlySeries(ctx, m, sel, from, "negative")
	if err != nil {
		return nil, err
	}
	spans, _ := negative.incidents(from, period.Later(from, sel.To))
	for _, at := range spans {
		i := negative.incident(at)
		i.Negative = true
		within := all.incident(incidentSpan{at.from, at.to, all.modelOf(at.from)})
		overlaps := func(other Incident) bool { return i.From.Before(other.To) && other.From.Before(i.To) }
		if i.Ratio() < negativeRatio*within.Ratio() || slices.ContainsFunc(others, overlaps) {
			continue
		}
		if several, err := s.areSeveral(ctx, sel, &negative, at); err != nil {
			return nil, err
		} else if several {
			found = append(found, i)
		}
	}
	return found, nil
}

// areSeveral reports whether the posts of an incident are still unusual if what fewer than three authors
// repeat is left out.
func (s *Service) areSeveral(ctx context.Context, sel poststore.Selection, in *hourlySeries, at incidentSpan) (bool, error) {
	i := in.incident(at)
	sel.From, sel.To = i.From, i.To
	once, err := CountOnce(ctx, s.Store, sel, float64(i.Posts))
	return once.Several >= max(detect.MinPosts, detect.MinRatio*i.Expected.Posts), err
}

// An hourlySeries is the posts of each hour, with the models that were known at the start of each day.
type hourlySeries struct {
	detect.Series
	before []float64 // posts before each hour
	models *dayModels
	now    time.Time
}

// dayModels are what was known at the start of days, by their Unix time. Days begin at midnight UTC, so
// that the models do not depend on where a series starts.
type dayModels struct {
	models map[int64]*dayModel // nil: not enough was known
}

type dayModel struct {
	*detect.Model
	limit detect.Limit
}

func (d *dayModels) size() int { return 256 + 2048*len(d.models) }

// hourlySeries counts the posts of a selection in each hour. A history begins with the monitor's first
// post.
// Models begin with the incidents that may end after a time. They depend only on posts before today, so
// they stay cached while posts arrive. filter identifies the selected posts.
func (s *Service) hourlySeries(ctx context.Context, m *earshot.Monitor, sel poststore.Selection, after time.Time, filter string) (h hourlySeries, err error) {
	start := period.Hour(period.Later(sel.From, m.Results(s.Now()).Start.Start(m.Location())))
	var starts []time.Time
	for at := start; !at.After(sel.To); at = at.Add(time.Hour) {
		starts = append(starts, at)
	}
	if len(starts) < 2 {
		return h, nil
	}
	counts, err := s.Store.Histogram(ctx, sel, starts)
	if err != nil {
		return h, err
	}
	observed := counts // of any posts
	if filter != "" {
		any := poststore.Selection{Set: sel.Set, From: sel.From, To: sel.To}
		if observed, err = s.Store.Histogram(ctx, any, starts); err != nil {
			return h, err
		}
	}
	first := slices.IndexFunc(observed, func(n int64) bool { return n > 0 })
	h.now = s.Now()
	h.Series = detect.Series{Start: start, Zone: m.Location(), Hours: make([]detect.Hour, len(counts))}
	h.before = make([]float64, len(counts)+1)
	for i, n := range counts {
		h.Hours[i] = detect.Hour{Count: float64(n), Missing: first < 0 || i < first}
		h.before[i+1] = h.before[i] + float64(n)
	}
	known := sel
	known.To = dayOf(starts[len(starts)-2])
	if !known.From.Before(known.To) {
		h.models = &dayModels{}
		return h, nil
	}
	key := fmt.Sprintf("%s %s %q %q", start.UTC(), after.UTC(), filter, m.Timezone)
	h.models, err = memoize(ctx, s.Store, &s.dayModels, known, key, func() (*dayModels, error) { return fitDays(&h.Series, after, known.To) })
	return h, err
}

func dayOf(t time.Time) time.Time { return t.UTC().Truncate(24 * time.Hour) }

// fitDays fits the models of the days on which an incident may begin that ends after a time.
func fitDays(series *detect.Series, after, last time.Time) (*dayModels, error) {
	fitted := &dayModels{map[int64]*dayModel{}}
	for day := dayOf(period.Later(after.Add(-incidentLookback), series.Start)); !day.After(last); day = day.Add(24 * time.Hour) {
		model, err := detect.Fit(*series, day)
		var learning *detect.Learning
		switch {
		case errors.As(err, &learning):
		case err != nil:
			return nil, err
		default:
			fitted.models[day.Unix()] = &dayModel{model, model.Limit(incidentsPerYear, detect.MinPosts)}
		}
	}
	return fitted, nil
}

func (h *hourlySeries) at(hour int) time.Time { return h.Start.Add(time.Duration(hour) * time.Hour) }

// modelOf returns the model that was known at the start of the day of an hour, or nil.
func (h *hourlySeries) modelOf(hour int) *dayModel { return h.models.models[dayOf(h.at(hour)).Unix()] }

// An incidentSpan is the hours of an incident, as indexes, and the model that was known before it.
type incidentSpan struct {
	from, to int
	model    *dayModel
}

// incidents returns the hours of incidents that end after a time, in order, and whether what is usual
// is unknown for some of the hours from then to an end.
func (h *hourlySeries) incidents(after, end time.Time) (spans []incidentSpan, learning bool) {
	alarms, learning := h.alarms(after, end)
	for i := 0; i < len(alarms); {
		from, to, end := alarms[i].from, alarms[i].to, i+1
		for ; end < len(alarms) && alarms[end].from <= to+incidentAlarmGap; end++ {
			from, to = min(from, alarms[end].from), max(to, alarms[end].to)
		}
		model := alarms[i].model
		found := h.segments(max(0, from-incidentAlarmGap), to, model, 1) // the first alarm may be late
		if len(found) == 0 {
			found = h.segments(from, to, model, 1)
		}
		spans = append(spans, found...)
		i = end
	}
	joined := spans[:0]
	for _, at := range spans {
		if n := len(joined); n > 0 && at.from <= joined[n-1].to+incidentGap {
			joined[n-1].to = max(joined[n-1].to, at.to)
			continue
		}
		joined = append(joined, at)
	}
	return slices.DeleteFunc(joined, func(at incidentSpan) bool { return !h.at(at.to).After(after) }), learning
}

// alarms returns the windows with unusually many posts from [incidentLookback] before a time on.
func (h *hourlySeries) alarms(after, end time.Time) (alarms []incidentSpan, learning bool) {
	if len(h.Hours) == 0 {
		return nil, true
	}
	for hour := max(1, int(after.Add(-incidentLookback).Sub(h.Start)/time.Hour)); hour <= len(h.Hours); hour++ {
		model := h.modelOf(hour - 1)
		if model == nil {
			learning = learning || h.at(hour).After(after) && !h.at(hour).After(end)
			continue
		}
		for i, window := range detect.Windows {
			from := hour - int(window/time.Hour)
			if from >= 0 && model.limit.Exceeded(i, model.Expect(h.at(from), h.at(hour)), h.before[hour]-h.before[from]) {
				alarms = append(alarms, incidentSpan{from, hour, model})
				break
			}
		}
	}
	return alarms, learning
}

// segments returns the parts of some hours that are unusual: the one that stands out most, and those
// before and after it.
func (h *hourlySeries) segments(from, to int, model *dayModel, chance float64) (spans []incidentSpan) {
	if from >= to {
		return nil
	}
	counts := make([]float64, to-from)
	for i := range counts {
		counts[i] = h.Hours[from+i].Count
	}
	a, b, ok := model.Segment(h.at(from), counts)
	if !ok {
		return nil
	}
	at := incidentSpan{from + model.Onset(h.at(from), counts, a, b), from + b, model}
	if !h.isUnusual(at, chance) {
		return nil
	}
	spans = append(h.segments(from, at.from, model, incidentRemainder), at)
	return append(spans, h.segments(at.to, to, model, incidentRemainder)...)
}

// isUnusual reports whether some hours have more posts than the limit of the window that is closest
// in length allows, times a factor.
func (h *hourlySeries) isUnusual(at incidentSpan, factor float64) bool {
	limit, window := at.model.limit, 0
	for window < len(detect.Windows)-1 && time.Duration(at.to-at.from)*time.Hour > detect.Windows[window] {
		window++
	}
	limit.Chance[window] *= factor
	return limit.Exceeded(window, at.model.Expect(h.at(at.from), h.at(at.to)), h.before[at.to]-h.before[at.from])
}

// incident describes the posts of some hours.
func (h *hourlySeries) incident(at incidentSpan) Incident {
	i := Incident{From: h.at(at.from), To: h.at(at.to), Posts: int64(h.before[at.to] - h.before[at.from])}
	i.Ongoing = h.now.Sub(i.To) < detect.Calm
	for hour := at.from; hour < at.to; hour++ {
		if n := int64(h.Hours[hour].Count); n > i.Peak.Posts {
			i.Peak = PeakHour{h.at(hour), n, 0}
		}
	}
	if at.model != nil {
		e := at.model.Expect(i.From, i.To)
		low, high := e.Interval(0.95)
		i.Expected = Expected{e.Mean, low, high}
		i.Peak.Expected = at.model.Expect(i.Peak.Time, i.Peak.Time.Add(time.Hour)).Mean
	}
	return i
}

// CountShared counts the posts of a monitor in a period that also belong to at least one of some others.
func (s *Service) CountShared(ctx context.Context, m *earshot.Monitor, others []*earshot.Monitor, from, to time.Time) (int64, error) {
	sel := poststore.Selection{Set: poststore.MonitorSet(m.ID), From: from, To: to}
	for _, other := range others {
		sel.Categories.Sets = append(sel.Categories.Sets, poststore.MonitorSet(other.ID))
	}
	return s.countSelected(ctx, sel)
}
