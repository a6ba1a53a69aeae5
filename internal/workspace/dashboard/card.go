package dashboard

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"earshot"
)

// Limits of a card, in characters unless stated otherwise.
const (
	maxTitle  = 200
	maxText   = 5_000
	maxFilter = 5_000

	maxWidth = 4 // columns

	defaultWidth = 2
)

// Values of the field Sort of a card with posts, and of Earlier of a comparison, which can also be a
// date.
var (
	sorts   = []string{"newest", "oldest", "engagement", "reach", "relevance"}
	earlier = []string{"none", "previous", "year"}
)

// CheckCards checks cards that are not part of a dashboard, and fills in defaults. Their monitors must
// exist and be of the team, unless the cards before refer to them.
func (s *Service) CheckCards(team earshot.TeamID, cards, before []earshot.Card) error {
	return s.checkCards(team, cards, &earshot.Dashboard{Cards: before})
}

// checkCards checks the cards of a dashboard of a team and fills in defaults. Cards may refer to
// removed monitors if the previous version of the dashboard does, so that they do not prevent
// unrelated edits.
func (s *Service) checkCards(team earshot.TeamID, cards []earshot.Card, before *earshot.Dashboard) error {
	if len(cards) > earshot.MaxCards {
		return earshot.InvalidBody("cards must have at most %d entries", earshot.MaxCards)
	}
	known := monitorsOf(before)
	for i := range cards {
		if err := s.checkCard(team, &cards[i], known); err != nil {
			return earshot.InvalidBody("cards[%d].%v", i, err)
		}
	}
	return nil
}

// monitorsOf returns the monitors that the cards of a dashboard refer to.
func monitorsOf(d *earshot.Dashboard) map[earshot.MonitorID]bool {
	known := map[earshot.MonitorID]bool{}
	if d == nil {
		return known
	}
	for _, card := range d.Cards {
		known[card.Monitor] = true
		for _, row := range card.Rows {
			known[row.Monitor] = true
		}
	}
	delete(known, 0) // of text and comparisons
	return known
}

// checkCard returns an error that starts with the name of a field.
func (s *Service) checkCard(team earshot.TeamID, card *earshot.Card, known map[earshot.MonitorID]bool) error {
	card.Title = strings.TrimSpace(card.Title)
	if card.Width == 0 {
		card.Width = defaultWidth
	}
	c := checker{}
	c.check(slices.Contains(earshot.CardKinds, card.Kind), "kind: there is no kind of card %q", earshot.Clip(string(card.Kind), 50))
	c.check(isText(card.Title, maxTitle, false), "title: at most %d characters, without line breaks", maxTitle)
	c.check(card.Width >= 1 && card.Width <= maxWidth, "width: a whole number from 1 to %d", maxWidth)
	c.check(card.Sort == "" || slices.Contains(sorts, card.Sort), "sort: one of %s", strings.Join(sorts, ", "))
	c.check(isEarlier(card.Earlier), "earlier: none, previous, year or a date like 2026-03-01")
	c.check(isText(card.Text, maxText, true), "text: at most %d characters", maxText)
	c.checkDays("", card.Range, card.Start, card.End)
	compares, counts := card.Kind == earshot.ComparisonCard, card.Kind != earshot.TextCard && card.Kind != earshot.ComparisonCard
	if counts {
		s.checkMonitor(&c, "", team, card.Monitor, card.Filter, known)
	} else {
		c.check(card.Monitor == 0 && card.Filter == "", "monitor: a card of kind %s has no monitor and no filter", card.Kind)
	}
	if compares {
		c.check(len(card.Rows) >= 1 && len(card.Rows) <= earshot.MaxCardRows, "rows: 1 to %d rows", earshot.MaxCardRows)
		for i := range card.Rows {
			s.checkRow(&c, rowName(i), team, &card.Rows[i], known)
		}
	} else {
		c.check(len(card.Rows) == 0, "rows: only a comparison has rows")
	}
	return c.err
}

func (s *Service) checkRow(c *checker, prefix string, team earshot.TeamID, row *earshot.CardRow, known map[earshot.MonitorID]bool) {
	row.Label = strings.TrimSpace(row.Label)
	c.check(isText(row.Label, maxTitle, false), "%slabel: at most %d characters, without line breaks", prefix, maxTitle)
	c.checkDays(prefix, row.Range, row.Start, row.End)
	s.checkMonitor(c, prefix, team, row.Monitor, row.Filter, known)
}

// checkMonitor checks that a monitor or saved filter exists and belongs to the team.
func (s *Service) checkMonitor(c *checker, prefix string, team earshot.TeamID, id earshot.MonitorID, filter string, known map[earshot.MonitorID]bool) {
	m, ok := s.Catalog.FindMonitor(id)
	c.check(known[id] || ok && m.Team == team, "%smonitor: team %d has no monitor %d", prefix, team, id)
	c.check(utf8.RuneCountInString(filter) <= maxFilter, "%sfilter: at most %d characters", prefix, maxFilter)
}

// A checker keeps the first problem that it finds.
type checker struct{ err error }

func (c *checker) check(ok bool, format string, args ...any) {
	if !ok && c.err == nil {
		c.err = fmt.Errorf(format, args...)
	}
}

// checkDays checks the days of a card or row: none, a rolling range, or a start and an end.
func (c *checker) checkDays(prefix, rolling string, start, end earshot.Date) {
	fixed := !start.IsZero() || !end.IsZero()
	c.check(rolling == "" || !fixed, "%srange: must be empty if start and end are set", prefix)
	c.check(!fixed || !start.IsZero() && start.Before(end), "%send: a date after start", prefix)
}

func rowName(i int) string { return fmt.Sprintf("rows[%d].", i) }

// isText reports whether a text has at most max characters and no control characters other than, if
// lines is set, line breaks and tabs.
func isText(text string, max int, lines bool) bool {
	return utf8.RuneCountInString(text) <= max && !strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsControl(r) && !(lines && (r == '\n' || r == '\t'))
	})
}

func isEarlier(text string) bool {
	_, err := earshot.ParseDate(text)
	return text == "" || slices.Contains(earlier, text) || err == nil
}
