package signal

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight/detect"
	"earshot/internal/report/format"
)

// Maximum lengths of texts, in characters.
const (
	maxLabel = 100
	maxTitle = 200
	maxName  = 80 // of a monitor, rule or topic in a title
)

// clearRatio is the ratio from which a title says how many times as many posts there are, instead of
// how many.
const clearRatio = 1.95

// titleTopics is the number of topics that a title names.
const titleTopics = 2

// titleOf returns the title of a signal: what there was at its peak, when and, once that is known, what
// it is about. The rule is needed only for rules about posts.
func titleOf(m *earshot.Monitor, r *earshot.Rule, sig *earshot.Signal) string {
	label, on := earshot.OneLine(sig.Label, maxLabel), "on "+daysOf(m, sig.From, sig.To)
	title := ""
	switch sig.Kind {
	case earshot.VolumeSignal:
		if title = fmt.Sprintf("%s in %s %s (%s expected)", posts(sig.Peak), span(sig.Window), on, format.Count(sig.Expected)); sig.Expected >= 1 && sig.Peak >= clearRatio*sig.Expected {
			title = fmt.Sprintf("%s× the usual posts %s", format.Times(sig.Peak/sig.Expected), on)
		}
	case earshot.NegativeSignal, earshot.CategorySignal, earshot.CountrySignal, earshot.LanguageSignal:
		title = fmt.Sprintf("%s of posts %s were %s (%s–%s expected)", format.Percent(sig.Peak), on, shareName(earshot.Metric(sig.Kind), label),
			strings.TrimSuffix(format.Percent(sig.Low), "%"), format.Percent(sig.High))
	case earshot.HashtagSignal, earshot.LinkSignal, earshot.AuthorSignal, earshot.TopicSignal:
		title = fmt.Sprintf("new %s %s in %s %s", sig.Kind, label, posts(sig.Peak), on)
	case earshot.ThresholdSignal:
		side := "above"
		if sig.Peak < sig.Expected {
			side = "below"
		}
		when := span(sig.Window) + " on " + daysOf(m, sig.PeakTime, sig.PeakTime)
		title = fmt.Sprintf("%s in %s, %s %s", metricText(sig.Metric, sig.Peak), when, side, format.Count(sig.Expected))
		if sig.Metric.IsShare() {
			title = fmt.Sprintf("%s of posts in %s were %s, %s %s", format.Percent(sig.Peak), when, shareName(sig.Metric, label), side, format.Percent(sig.Expected))
		}
	case earshot.PostSignal:
		name := earshot.OneLine(r.Name, maxName)
		if title = fmt.Sprintf("%s match “%s”", posts(sig.Observed), name); sig.Observed == 1 {
			title = fmt.Sprintf("a post matches “%s”", name)
		}
	}
	if m.Name != "" {
		title = earshot.OneLine(m.Name, maxName) + ": " + title
	}
	if names := topicsOf(sig); len(names) > 0 {
		title += ": " + strings.Join(names, ", ")
	}
	return earshot.Clip(title, maxTitle)
}

// daysOf returns the days of a period in the time zone of a monitor. Titles are written while these days
// last, so the year is clear.
func daysOf(m *earshot.Monitor, from, to time.Time) string {
	first, last := earshot.DateOf(from.In(m.Location())), earshot.DateOf(to.Add(-1).In(m.Location()))
	if last.Before(first) {
		first = last
	}
	return format.ShortDays(first, last, last)
}

// topicsOf returns the topics that the title of a signal names. Newcomers are topics themselves.
func topicsOf(sig *earshot.Signal) (names []string) {
	if sig.Explanation == nil || slices.Contains(newcomerKinds, sig.Kind) {
		return nil
	}
	for _, story := range sig.Explanation.Stories[:min(len(sig.Explanation.Stories), titleTopics)] {
		names = append(names, earshot.OneLine(story.Name, maxName))
	}
	return names
}

// retitle writes the title of a signal again after its explanation has changed.
func (s *Service) retitle(sig *earshot.Signal) {
	if sig.Kind == earshot.PostSignal {
		return // its title does not depend on it
	}
	m, ok := s.findMonitor(sig.Monitor)
	if !ok {
		m = &earshot.Monitor{}
	}
	sig.Title = titleOf(m, nil, sig)
}

// text returns the sentences of a signal.
func (f *finding) text(r *earshot.Rule) string {
	switch f.kind {
	case earshot.VolumeSignal:
		return fmt.Sprintf("%s in %s; %s to %s were expected. %s", posts(f.observed), span(f.window), format.Count(f.low), format.Count(f.high), likelihood(f.chance, periods(f.window)))
	case earshot.NegativeSignal, earshot.CategorySignal, earshot.CountrySignal, earshot.LanguageSignal:
		return fmt.Sprintf("%s of %s in %s. About %s was expected. %s",
			format.Count(f.observed*f.total), posts(f.total), span(f.window), format.Percent(f.expected), likelihood(f.chance, "days"))
	case earshot.HashtagSignal, earshot.LinkSignal, earshot.AuthorSignal, earshot.TopicSignal:
		return fmt.Sprintf("It did not occur in the %d days before. %s", detect.NewcomerDays, frequency(f.perYear, string(f.kind)))
	case earshot.ThresholdSignal:
		return fmt.Sprintf("The rule “%s” watches this value.", earshot.OneLine(r.Name, maxName))
	}
	return "Further posts within an hour join this signal."
}

// metricText returns a value of a metric that is not a share, with its unit.
func metricText(metric earshot.Metric, value float64) string {
	switch n := int64(math.Round(value)); metric {
	case earshot.AuthorsMetric:
		return format.Plural(n, "author", "authors")
	case earshot.EngagementMetric:
		return format.Plural(n, "interaction", "interactions")
	case earshot.ReachMetric:
		return "reach of " + format.Number(n)
	}
	return posts(value)
}

// shareName returns what the posts of a share are.
func shareName(metric earshot.Metric, label string) string {
	switch metric {
	case earshot.CategoryMetric:
		return "in the category " + label
	case earshot.CountryMetric:
		return "from " + label
	case earshot.LanguageMetric:
		return "in " + label
	}
	return string(metric) // negative or positive
}

// likelihood returns a sentence about how often a value occurs without a cause.
func likelihood(chance float64, of string) string {
	if chance <= 0 || 1/chance > 1e6 {
		return "You'd expect this by chance in fewer than one in a million " + of + "."
	}
	n := 1 / chance
	if round := math.Pow(10, max(math.Floor(math.Log10(n))-1, 0)); n >= 100 {
		n = math.Round(n/round) * round
	}
	return fmt.Sprintf("You'd expect this by chance in about one in %s %s.", format.Count(n), of)
}

// frequency returns a sentence about how often a newcomer occurs.
func frequency(perYear float64, noun string) string {
	article := "A"
	if strings.HasPrefix(noun, "a") {
		article = "An"
	}
	switch {
	case perYear >= 1.5:
		return fmt.Sprintf("%s %s that starts like this appears about %s times a year.", article, noun, format.Count(perYear))
	case perYear >= 0.75:
		return fmt.Sprintf("%s %s that starts like this appears about once a year.", article, noun)
	case perYear >= 0.01:
		return fmt.Sprintf("%s %s that starts like this appears about once in %s years.", article, noun, format.Count(max(2, 1/perYear)))
	}
	return fmt.Sprintf("%s %s that starts like this appears less than once in 100 years.", article, noun)
}

func posts(n float64) string { return format.Plural(int64(math.Round(n)), "post", "posts") }

// span returns a duration in words: an hour, 24 hours, 7 days.
func span(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "an hour"
	case d > 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	}
	return fmt.Sprintf("%d hours", d/time.Hour)
}

// periods returns what "one in many" periods of a length are.
func periods(d time.Duration) string {
	if d == time.Hour {
		return "hours"
	}
	return fmt.Sprintf("%d-hour periods", d/time.Hour)
}

func countryName(code string) string {
	if c, ok := geo.FindCountry(code); ok {
		return c.Name
	}
	return code
}
