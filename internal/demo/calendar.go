package demo

import (
	"cmp"
	"iter"
	"math"
	"math/rand/v2"
	"time"

	"earshot"
)

// A calendar determines how busy each hour of the story is.
type calendar struct {
	start  time.Time
	days   int
	perDay int

	launch, crisis int       // days of the events
	paywall        time.Time // first post about the paywall; zero if that is before the range
}

func (g Generator) calendar() calendar {
	c := calendar{
		start:  g.End.UTC().Add(-time.Duration(g.Days) * 24 * time.Hour),
		days:   g.Days,
		perDay: cmp.Or(g.PerDay, DefaultPerDay),
	}
	if at := paywallStart(g.End); !at.Before(c.start) {
		c.paywall = at
	}
	// The events are two days after the weekday of the paywall, so that its weekday in the weeks before
	// is a normal day. Short ranges have no room for that.
	before := c.paywallDay()
	c.launch, c.crisis = before*2/5, before*18/25
	if before > 21 {
		c.launch, c.crisis = before-7*max(3, before/13)+2, before-2*7+2
	}
	return c
}

// paywallDay returns the day on which the paywall is noticed, or the day after the range.
func (c calendar) paywallDay() int {
	if c.paywall.IsZero() {
		return c.days
	}
	return int(c.paywall.Sub(c.start) / (24 * time.Hour))
}

// An event adds posts on the day it happens, and fewer on each following day.
type event struct {
	topic topic
	day   int
	peak  float64 // posts added on the first day, as a multiple of a normal day
	fade  float64 // days after which about a third of the peak is left
}

// events returns the launch and the recall.
func (c calendar) events() []event {
	return []event{
		{topic: launch, day: c.launch, peak: 1.3, fade: 1.4},
		{topic: crisis, day: c.crisis, peak: 2.1, fade: 1.4},
	}
}

// eventDays is the number of days on which an event adds posts.
const eventDays = 12

// extra yields the number of posts that each event adds to a day, by topic.
func (c calendar) extra(day int) iter.Seq2[topic, int] {
	return func(yield func(topic, int) bool) {
		for _, e := range c.events() {
			since := day - e.day
			if since < 0 || since >= eventDays {
				continue
			}
			n := int(float64(c.perDay) * e.peak * math.Exp(-float64(since)/e.fade))
			if !yield(e.topic, n) {
				return
			}
		}
	}
}

// weekdays is the relative volume of each day of the week, starting with Sunday.
var weekdays = [7]float64{0.93, 1.00, 1.02, 1.03, 1.04, 1.05, 0.95}

// ordinary returns the number of posts on a day without the events.
func (c calendar) ordinary(r *rand.Rand, day int) int {
	return int(float64(c.perDay) * weekdays[c.weekday(day)] * (0.94 + 0.12*r.Float64()))
}

func (c calendar) weekday(day int) time.Weekday { return c.start.AddDate(0, 0, day).Weekday() }

func (c calendar) weekend(day int) bool {
	w := c.weekday(day)
	return w == time.Saturday || w == time.Sunday
}

// source picks the source of a post. News volume drops by about half on weekends.
func (c calendar) source(r *rand.Rand, day int) earshot.Source {
	for {
		s := networks[pickWeighted(r, networkShares)].source
		if s == earshot.News && c.weekend(day) && r.Float64() < 0.55 {
			continue
		}
		return s
	}
}

// The share of posts per local hour. People post in the evening; newsrooms publish in the morning.
var (
	peopleHours = cumulate([]float64{1.6, 0.9, 0.5, 0.4, 0.4, 0.7, 1.6, 3.0, 4.0, 4.2, 4.2, 4.4, 5.0, 4.8, 4.4, 4.4, 4.8, 5.6, 6.8, 8.2, 9.4, 8.8, 6.6, 3.6})
	newsHours   = cumulate([]float64{0.6, 0.4, 0.4, 0.6, 1.2, 3.0, 6.0, 8.5, 9.5, 9.0, 8.0, 7.0, 6.5, 6.0, 5.5, 5.5, 5.0, 4.5, 3.5, 2.5, 2.0, 1.6, 1.2, 0.8})
)

// postTime picks the time at which someone who lives at h posts on a day. Days always have 24
// hours, regardless of daylight saving time.
func (c calendar) postTime(r *rand.Rand, day int, s earshot.Source, h *home) time.Time {
	hours := peopleHours
	if s == earshot.News {
		hours = newsHours
	}
	local := time.Duration(pickWeighted(r, hours))*time.Hour + time.Duration(r.Int64N(int64(time.Hour)))
	return c.at(day, local-h.utcOffset)
}

// at returns the time on a day of the story at which a UTC clock shows clock.
func (c calendar) at(day int, clock time.Duration) time.Time {
	const full = 24 * time.Hour
	began := c.start.Sub(c.start.Truncate(full))
	into := ((clock-began)%full + full) % full
	return c.start.Add(time.Duration(day)*full + into).Truncate(time.Second)
}

// cumulate returns the running totals of weights, for pickWeighted.
func cumulate(weights []float64) []float64 {
	sums := make([]float64, len(weights))
	total := 0.0
	for i, w := range weights {
		total += w
		sums[i] = total
	}
	return sums
}

// weight returns the weight at an index of running totals.
func weight(sums []float64, i int) float64 {
	if i == 0 {
		return sums[0]
	}
	return sums[i] - sums[i-1]
}

// maxWeight returns the largest weight of running totals.
func maxWeight(sums []float64) (most float64) {
	for i := range sums {
		most = max(most, weight(sums, i))
	}
	return most
}

// pickWeighted returns an index with a probability proportional to its weight.
func pickWeighted(r *rand.Rand, sums []float64) int {
	x := r.Float64() * sums[len(sums)-1]
	for i, sum := range sums {
		if x < sum {
			return i
		}
	}
	return len(sums) - 1
}
