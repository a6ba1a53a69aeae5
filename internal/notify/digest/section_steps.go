package digest

import (
	"time"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/card"
)

// A timeUnit is the length of the steps of a chart.
type timeUnit int

const (
	byHour timeUnit = iota
	byDay
	byWeek
	byMonth
)

// timeSteps divide an overview into steps, as the web app does: web/src/lib/steps.ts.
type timeSteps struct {
	o    *card.Overview
	unit timeUnit
	list []timeStep
}

// A timeStep is one step of a chart: one or more days, or an hour.
type timeStep struct {
	start    earshot.Date
	value    any    // for tables: a date, or the time of an hour
	label    string // on the axis
	when     string // after a number: "on Wed, Oct 21, 2026"
	from, to int    // indexes of days or hours
}

// newSteps divides an overview into steps that give a readable chart.
func newSteps(o *card.Overview) *timeSteps {
	switch n := len(o.Days); {
	case n <= 3 && len(o.Hours) > 0:
		return newStepsBy(o, byHour)
	case n <= 120:
		return newStepsBy(o, byDay)
	case n <= 800:
		return newStepsBy(o, byWeek)
	}
	return newStepsBy(o, byMonth)
}

func newStepsBy(o *card.Overview, unit timeUnit) *timeSteps {
	t := &timeSteps{o: o, unit: unit}
	if unit == byHour {
		for i, h := range o.Hours {
			label := format.Clock(h.Time)
			if h.Time.Hour() == 0 {
				label = format.MonthDay(earshot.DateOf(h.Time))
			}
			t.list = append(t.list, timeStep{start: earshot.DateOf(h.Time), value: h.Time, label: label, when: "on " + format.DateTime(h.Time), from: i, to: i + 1})
		}
		return t
	}
	for i, d := range o.Days {
		begin := d.Date
		switch unit {
		case byWeek:
			begin = begin.AddDays(-(int(begin.Weekday()) + 6) % 7)
		case byMonth:
			begin.Day = 1
		}
		if n := len(t.list); n > 0 && t.list[n-1].value == begin {
			t.list[n-1].to = i + 1
			continue
		}
		t.list = append(t.list, timeStep{start: d.Date, value: begin, from: i, to: i + 1})
	}
	for i := range t.list {
		t.list[i].name(unit)
	}
	return t
}

// name sets the label of a step of one or more days. A week or month that is not covered completely is
// marked as partial.
func (s *timeStep) name(unit timeUnit) {
	begin := s.value.(earshot.Date)
	complete := 7
	switch unit {
	case byDay:
		s.label, s.when = format.MonthDay(begin), "on "+format.LongDay(begin)
		return
	case byWeek:
		s.label, s.when = format.MonthDay(begin), "in the week of "+format.Day(begin)
	case byMonth:
		first := begin.Start(time.UTC)
		s.label, s.when = first.Format("Jan 2006"), "in "+first.Format("January 2006")
		complete = begin.DaysUntil(earshot.DateOf(first.AddDate(0, 1, 0)))
	}
	if s.to-s.from < complete {
		s.when += " (partial)"
	}
}

func (t *timeSteps) column() report.Column {
	switch t.unit {
	case byHour:
		return report.Column{Name: "Hour", Kind: report.TimeColumn}
	case byWeek:
		return report.Column{Name: "Week of", Kind: report.DateColumn}
	case byMonth:
		return report.Column{Name: "Month", Kind: report.DateColumn}
	}
	return report.Column{Name: "Day", Kind: report.DateColumn}
}

// posts returns the posts of a day or hour.
func (t *timeSteps) posts(i int) int64 {
	if t.unit == byHour {
		return t.o.Hours[i].Posts
	}
	return t.o.Days[i].Posts
}

// sum adds up a value over the days or hours of a step.
func (t *timeSteps) sum(s timeStep, value func(i int) int64) (total int64) {
	for i := s.from; i < s.to; i++ {
		total += value(i)
	}
	return total
}
