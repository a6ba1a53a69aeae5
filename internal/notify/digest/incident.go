package digest

import (
	"context"

	"earshot"
	"earshot/internal/report"
	"earshot/internal/report/format"
	"earshot/internal/workspace/incident"
)

// addSummary adds what happened to a monitor: two sentences, the incidents, and what the team noted. It
// returns the incidents.
func (s *Composer) addSummary(ctx context.Context, c *Contents, q incident.Query) (found incident.List, err error) {
	zone := q.Monitor.Location()
	sum, err := s.Incidents.Summary(ctx, q, q.Days.Start.Start(zone), q.Days.End.Start(zone))
	if err != nil {
		return found, failure(err)
	}
	if found, err = s.Incidents.Find(ctx, q); err != nil {
		return found, failure(err)
	}
	section := incidentsSection(&found)
	section.Title, section.Data.Note = "What happened", sum.Text
	section.Blocks = append([]report.Block{report.Text(sum.Text)}, section.Blocks...)
	if len(found.Incidents) == 0 {
		section.Blocks = section.Blocks[:1]
	}
	for _, a := range s.Cards.Annotations.MonitorAnnotations(q.Monitor, q.Days) {
		days := format.ShortDays(a.Start, a.End.AddDays(-1), earshot.DateOf(s.Now().In(zone)))
		section.Blocks = append(section.Blocks, report.Note("Note, "+days+": "+earshot.OneLine(a.Text, maxAnnotation)))
	}
	c.add(section)
	c.summaries = append(c.summaries, sum.Text)
	return found, nil
}

// addPageSummary adds what happened to the monitor that most cards of a page are about.
func (s *Composer) addPageSummary(ctx context.Context, c *Contents, cards []earshot.Card, days earshot.Days, visitors bool) error {
	counts := map[earshot.MonitorID]int{}
	var main earshot.MonitorID
	for _, of := range cards {
		if of.Monitor == 0 { // text and comparisons
			continue
		}
		if counts[of.Monitor]++; counts[of.Monitor] > counts[main] {
			main = of.Monitor
		}
	}
	m, err := s.Monitors.Find(c.reader, main)
	if err != nil || days.Len() <= 0 {
		return nil
	}
	n := len(c.document.Sections)
	if _, err := s.addSummary(ctx, c, incident.Query{Caller: c.reader, Monitor: m, Days: days, Visitors: visitors}); err != nil {
		return err
	}
	c.document.Sections[n].Title += " · " + s.monitorTitle(m)
	return nil
}

// maxAnnotation is the maximum length of an annotation in a report, in characters.
const maxAnnotation = 500

// incidentsSection lists incidents.
func incidentsSection(l *incident.List) report.Section {
	s := report.Section{Data: report.Table{Columns: []report.Column{
		{Name: "From", Kind: report.TimeColumn}, {Name: "To", Kind: report.TimeColumn}, {Name: "Incident"}, {Name: "Severity"},
		{Name: "Posts", Kind: report.NumberColumn}, {Name: "Expected", Kind: report.NumberColumn},
	}}}
	var list report.Posts
	for _, i := range l.Incidents {
		s.Data.Rows = append(s.Data.Rows, []any{i.From, i.To, i.Title, string(i.Severity), i.Posts, int64(i.Expected.Posts + 0.5)})
		head := format.DateTime(i.From) + " – " + format.DateTime(i.To)
		if i.Ongoing {
			head = "Since " + format.DateTime(i.From)
		}
		list = append(list, report.Post{Head: head + " · " + string(i.Severity), Title: i.Title, Facts: "Peak: " + format.Plural(i.Peak.Posts, "post", "posts") + " in an hour, " + format.DateTime(i.Peak.Time)})
	}
	s.Blocks = []report.Block{list}
	switch {
	case len(l.Incidents) > 0:
		s.Note = format.Plural(int64(len(l.Incidents)), "incident", "incidents")
	case l.Learning:
		s.Blocks = []report.Block{report.Note("Earshot does not know yet what is usual for this monitor.")}
	default:
		s.Blocks = []report.Block{report.Note("Nothing unusual happened.")}
	}
	return s
}
