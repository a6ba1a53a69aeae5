package incident

import (
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/report/format"
)

// Maximum lengths of texts, in characters.
const (
	maxName  = 80 // of a monitor, topic or author
	maxTitle = 200
)

// clearRatio is the ratio from which a text says how many times as many posts there are, instead of
// how many.
const clearRatio = 1.95

// titleTopics is the number of topics that a title names.
const titleTopics = 2

// titleOf returns the title of an incident, such as "Morvessa: 4.5× the usual posts on Nov 11:
// subscription, #paytobrew" or "Morvessa: 340 posts on Nov 11 (210 expected)".
func titleOf(i *Incident, today earshot.Date) string {
	noun := "posts"
	if i.Metric == earshot.NegativeMetric {
		noun = "negative posts"
	}
	when := "on " + spanOf(i, today)
	if i.Ongoing {
		when = "since " + format.ShortDays(earshot.DateOf(i.From), earshot.DateOf(i.From), today)
	}
	title := fmt.Sprintf("%s: %s× the usual %s %s", i.Monitor.Name, format.Times(float64(i.Ratio)), noun, when)
	if !i.isMultiple() {
		title = fmt.Sprintf("%s: %s %s %s (%s expected)", i.Monitor.Name, format.Number(i.Posts), noun, when, format.Count(i.Expected.Posts))
	}
	var names []string
	for _, t := range i.Topics[:min(len(i.Topics), titleTopics)] {
		names = append(names, t.Name)
	}
	if len(names) > 0 {
		title += ": " + strings.Join(names, ", ")
	}
	return earshot.Clip(title, maxTitle)
}

// isMultiple reports whether there are so many more posts than expected that a text says how many
// times as many. Of less than one expected post, it says nothing.
func (i *Incident) isMultiple() bool { return i.Ratio >= clearRatio && i.Expected.Posts >= 1 }

// spanOf returns the days of an incident.
func spanOf(i *Incident, today earshot.Date) string {
	return format.ShortDays(earshot.DateOf(i.From), earshot.DateOf(i.To.Add(-1)), today)
}

// hoursOf returns when an incident was, as the beginning of a sentence.
func hoursOf(i *Incident, today earshot.Date) string {
	from, to := earshot.DateOf(i.From), earshot.DateOf(i.To)
	switch {
	case i.Ongoing:
		return "since " + format.Moment(i.From, today)
	case from == to:
		return fmt.Sprintf("on %s from %s to %s", format.ShortDays(from, from, today), format.Clock(i.From), format.Clock(i.To))
	case i.To.Sub(i.From) > 48*time.Hour:
		return "from " + format.Moment(i.From, today) + " to " + format.ShortDays(earshot.DateOf(i.To.Add(-1)), earshot.DateOf(i.To.Add(-1)), today)
	}
	return "from " + format.Moment(i.From, today) + " to " + format.Moment(i.To, today)
}
