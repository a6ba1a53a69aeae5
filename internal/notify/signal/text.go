package signal

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"

	"earshot"
	"earshot/internal/geo"
	"earshot/internal/insight/detect"
)

// Maximum lengths of texts, in characters.
const (
	maxLabel = 100
	maxTitle = 200
	maxName  = 80 // of a monitor or rule in a title
)

// describe sets the title and the text of a signal.
func (f *finding) describe(t *target, r *earshot.Rule, sig *earshot.Signal) {
	title, text := f.words(r, sig)
	sig.Title = earshot.Clip(clean(t.Name, maxName)+": "+title, maxTitle)
	sig.Text = text
}

// words returns what a signal says after the name of the monitor, and the sentences below.
func (f *finding) words(r *earshot.Rule, sig *earshot.Signal) (title, text string) {
	label := clean(f.label, maxLabel)
	switch f.kind {
	case earshot.VolumeSignal:
		title = fmt.Sprintf("%s in the last %s; %s to %s were expected", posts(f.observed), span(f.window), number(f.low), number(f.high))
		text = fmt.Sprintf("About %s expected. %s", were(f.expected), likelihood(f.chance, periods(f.window)))
	case earshot.NegativeSignal, earshot.CategorySignal, earshot.CountrySignal, earshot.LanguageSignal:
		what := map[earshot.SignalKind]string{
			earshot.NegativeSignal: "negative", earshot.CategorySignal: "in the category " + label,
			earshot.CountrySignal: "from " + label, earshot.LanguageSignal: "in " + label,
		}[f.kind]
		title = fmt.Sprintf("%s of posts are %s; %s to %s were expected", percent(f.observed), what, percent(f.low), percent(f.high))
		text = fmt.Sprintf("%s of %s in the last %s. About %s was expected. %s",
			number(f.observed*f.total), posts(f.total), span(f.window), percent(f.expected), likelihood(f.chance, "days"))
	case earshot.HashtagSignal, earshot.LinkSignal, earshot.AuthorSignal, earshot.TopicSignal:
		noun := string(f.kind)
		title = fmt.Sprintf("new %s %s in %s", noun, label, posts(f.observed))
		text = fmt.Sprintf("It did not occur in the %d days before. %s", detect.NewcomerDays, frequency(f.perYear, noun))
	case earshot.ThresholdSignal:
		side := "above"
		if f.below {
			side = "below"
		}
		limit := &r.Threshold
		title = fmt.Sprintf("%s in the last %s, %s %s", metricText(limit, f.observed, label), span(f.window), side, metricNumber(limit, limit.Value))
		text = fmt.Sprintf("The rule “%s” watches this value.", clean(r.Name, maxName))
	case earshot.PostSignal:
		name := clean(r.Name, maxName)
		if title = fmt.Sprintf("%s match “%s”", posts(sig.Observed), name); sig.Observed == 1 {
			title = fmt.Sprintf("a post matches “%s”", name)
		}
		text = "Further posts within an hour join this signal."
	}
	return title, text
}

// metricText returns a value of a rule's metric with its unit.
func metricText(limit *earshot.Threshold, value float64, label string) string {
	switch limit.Metric {
	case earshot.PostsMetric:
		return posts(value)
	case earshot.AuthorsMetric:
		return count(value, "author", "authors")
	case earshot.EngagementMetric:
		return count(value, "interaction", "interactions")
	case earshot.ReachMetric:
		return "reach of " + number(value)
	}
	what := map[earshot.Metric]string{
		earshot.NegativeMetric: "negative", earshot.PositiveMetric: "positive", earshot.CategoryMetric: "in the category " + label,
		earshot.CountryMetric: "from " + label, earshot.LanguageMetric: "in " + label,
	}[limit.Metric]
	return percent(value) + " of posts are " + what
}

func metricNumber(limit *earshot.Threshold, value float64) string {
	if limit.Metric.IsShare() {
		return percent(value)
	}
	return number(value)
}

// likelihood returns a sentence about how often a value occurs without a cause.
func likelihood(chance float64, of string) string {
	if chance <= 0 || 1/chance > 1e6 {
		return "By chance, this happens in less than one of a million " + of + "."
	}
	n := 1 / chance
	if round := math.Pow(10, max(math.Floor(math.Log10(n))-1, 0)); n >= 100 {
		n = math.Round(n/round) * round
	}
	return fmt.Sprintf("By chance, this happens in one of %s %s.", number(n), of)
}

// frequency returns a sentence about how often a newcomer occurs.
func frequency(perYear float64, noun string) string {
	article := "A"
	if strings.HasPrefix(noun, "a") {
		article = "An"
	}
	switch {
	case perYear >= 1.5:
		return fmt.Sprintf("%s %s that starts like this appears about %s times a year.", article, noun, number(perYear))
	case perYear >= 0.75:
		return fmt.Sprintf("%s %s that starts like this appears about once a year.", article, noun)
	case perYear >= 0.01:
		return fmt.Sprintf("%s %s that starts like this appears about once in %s years.", article, noun, number(max(2, 1/perYear)))
	}
	return fmt.Sprintf("%s %s that starts like this appears less than once in 100 years.", article, noun)
}

func posts(n float64) string { return count(n, "post", "posts") }

func count(n float64, one, many string) string {
	if math.Round(n) == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// were returns a number of posts that were expected.
func were(n float64) string {
	if text := posts(n); math.Round(n) == 1 {
		return text + " was"
	}
	if n < 0.5 {
		return "no posts were"
	}
	return posts(n) + " were"
}

// span returns a duration in words, as in "in the last hour".
func span(d time.Duration) string {
	switch {
	case d == time.Hour:
		return "hour"
	case d > 48*time.Hour && d%(24*time.Hour) == 0:
		return fmt.Sprintf("%d days", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d minutes", d/time.Minute)
}

// periods returns what "one of many" periods of a length are.
func periods(d time.Duration) string {
	if d == time.Hour {
		return "hours"
	}
	return "periods of " + span(d)
}

// percent formats a share. Small ones have a decimal.
func percent(share float64) string {
	if p := 100 * share; p > 0 && p < 9.95 && math.Abs(p-math.Round(p)) > 0.05 {
		return strconv.FormatFloat(p, 'f', 1, 64) + "%"
	}
	return strconv.FormatFloat(100*share, 'f', 0, 64) + "%"
}

// number formats a number without decimals, with separators: 1,220.
func number(x float64) string {
	digits := strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	if digits == "-0" {
		digits = "0"
	}
	start := len(digits) % 3
	parts := []string{}
	if start > 0 {
		parts = append(parts, digits[:start])
	}
	for i := start; i < len(digits); i += 3 {
		parts = append(parts, digits[i:i+3])
	}
	return strings.Join(parts, ",")
}

// clean returns a text that others wrote as part of a line: without control characters and invisible
// ones that change the direction of text, and of limited length.
func clean(text string, max int) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	return earshot.Clip(strings.Join(strings.Fields(text), " "), max)
}

func countryName(code string) string {
	if c, ok := geo.FindCountry(code); ok {
		return c.Name
	}
	return code
}
