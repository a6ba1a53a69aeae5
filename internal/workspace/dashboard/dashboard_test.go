package dashboard

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

// A fixture is a service with two teams. Ann and Bob are on team 1, which has the monitors 11 and 12.
// Eve is on team 2, which has monitor 13. Each monitor has a filter, whose ID is 100 higher.
type fixture struct {
	*Service
	t             *testing.T
	ann, bob, eve *earshot.Caller
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	caller := func(name string, team earshot.TeamID) *earshot.Caller {
		return earshot.NewCaller(&earshot.User{Username: name, Teams: []earshot.TeamID{team}})
	}
	f := &fixture{&Service{Catalog: c, Now: time.Now}, t, caller("ann", 1), caller("bob", 1), caller("eve", 2)}
	for _, team := range []earshot.TeamID{1, 2} {
		f.must(c.Teams.Add(t.Context(), team, &earshot.Team{ID: team}))
	}
	for id, team := range map[earshot.MonitorID]earshot.TeamID{11: 1, 12: 1, 13: 2} {
		f.must(c.Monitors.Add(t.Context(), id, &earshot.Monitor{ID: id, Team: team, Filters: []earshot.Filter{{ID: id + 100}}}))
	}
	return f
}

func (f *fixture) must(err error) {
	f.t.Helper()
	if err != nil {
		f.t.Fatal(err)
	}
}

// dashboard returns a new dashboard of team 1 with a card for each kind.
func (f *fixture) dashboard(kinds ...earshot.CardKind) *earshot.Dashboard {
	f.t.Helper()
	d := earshot.Dashboard{Team: 1, Name: "Weekly"}
	for _, kind := range kinds {
		d.Cards = append(d.Cards, earshot.Card{Kind: kind, Monitor: 11})
	}
	added, err := f.Add(f.t.Context(), f.ann, d)
	f.must(err)
	return added
}

func (f *fixture) edit(c *earshot.Caller, d *earshot.Dashboard, cards ...earshot.Card) (*earshot.Dashboard, error) {
	return f.Edit(f.t.Context(), c, d.ID, Changes{Cards: &cards, Edits: &d.Edits})
}

// ids returns the IDs of the cards of a dashboard, in their order.
func ids(d *earshot.Dashboard) string {
	var list []string
	for _, card := range d.Cards {
		list = append(list, fmt.Sprint(card.ID))
	}
	return strings.Join(list, " ")
}

func TestCardsKeepTheirIDs(t *testing.T) {
	f := newFixture(t)
	d := f.dashboard(earshot.VolumeCard, earshot.SourcesCard, earshot.WordsCard)
	if got := ids(d); got != "1 2 3" {
		t.Fatalf("got cards %s, want 1 2 3", got)
	}
	removed := d.Cards[2]
	d, err := f.edit(f.ann, d, d.Cards[1], d.Cards[0]) // moves one and removes another
	f.must(err)
	d, err = f.edit(f.ann, d, earshot.Card{Kind: earshot.ClockCard, Monitor: 12}, d.Cards[0], d.Cards[1])
	f.must(err)
	if got := ids(d); got != "4 2 1" {
		t.Errorf("got cards %s, want 4 2 1: a new card does not get the ID of a removed one", got)
	}
	d, err = f.edit(f.ann, d, append(d.Cards, removed)...) // undo
	f.must(err)
	if got := ids(d); got != "4 2 1 3" {
		t.Errorf("got cards %s, want 4 2 1 3", got)
	}
	if _, err := f.edit(f.ann, d, earshot.Card{ID: 5, Kind: earshot.ClockCard, Monitor: 11}); err == nil {
		t.Error("a card with an ID that was never given: want an error")
	}
	if _, err := f.edit(f.ann, d, d.Cards[0], d.Cards[0]); err == nil {
		t.Error("two cards with the same ID: want an error")
	}
}

func TestEditorsDoNotOverwriteEachOther(t *testing.T) {
	f := newFixture(t)
	d := f.dashboard(earshot.VolumeCard, earshot.SourcesCard)
	_, err := f.edit(f.bob, d, d.Cards[1])
	f.must(err)
	_, err = f.edit(f.ann, d, d.Cards[0])
	if !earshot.IsKind(err, earshot.Conflict) || !strings.HasPrefix(err.Error(), "bob has changed the dashboard") {
		t.Errorf("got %v, want a conflict with bob", err)
	}
	if now, _ := f.Find(f.ann, d.ID); ids(now) != "2" || now.EditedBy != "bob" || now.Edits != 1 {
		t.Errorf("got cards %s by %s after %d edits, want 2 by bob after 1", ids(now), now.EditedBy, now.Edits)
	}
}

func TestOneOfManyConcurrentEditsWins(t *testing.T) {
	f := newFixture(t)
	d := f.dashboard(earshot.VolumeCard)
	errs := make([]error, 20)
	var wg sync.WaitGroup
	for i := range errs {
		wg.Go(func() {
			name := fmt.Sprint("Edit ", i)
			_, errs[i] = f.Edit(t.Context(), f.ann, d.ID, Changes{Name: &name, Edits: &d.Edits})
		})
	}
	wg.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !earshot.IsKind(err, earshot.Conflict) {
			t.Errorf("got %v, want a conflict", err)
		}
	}
	if won != 1 {
		t.Errorf("%d edits succeeded, want 1", won)
	}
}

func TestOtherTeamsHaveNoDashboards(t *testing.T) {
	f := newFixture(t)
	d := f.dashboard(earshot.VolumeCard)
	name := "Mine"
	_, find := f.Find(f.eve, d.ID)
	_, edit := f.Edit(t.Context(), f.eve, d.ID, Changes{Name: &name})
	_, copied := f.Copy(t.Context(), f.eve, d.ID, name)
	_, add := f.Add(t.Context(), f.eve, earshot.Dashboard{Team: 1, Name: name})
	for what, err := range map[string]error{"find": find, "edit": edit, "copy": copied, "add": add, "remove": f.Remove(t.Context(), f.eve, d.ID)} {
		if !earshot.IsKind(err, earshot.NotFound) {
			t.Errorf("%s: got %v, want not found", what, err)
		}
	}
	if got := len(f.List(f.eve, 0)); got != 0 {
		t.Errorf("eve sees %d dashboards, want 0", got)
	}
	if got := len(f.List(f.ann, 1)); got != 1 {
		t.Errorf("ann sees %d dashboards, want 1", got)
	}
}

func TestRemovedMonitorDoesNotPreventEdits(t *testing.T) {
	f := newFixture(t)
	d := f.dashboard(earshot.VolumeCard, earshot.SourcesCard)
	_, err := f.Catalog.Monitors.Update(t.Context(), 11, func(m *earshot.Monitor) error { m.Removed = true; return nil })
	f.must(err)
	d, err = f.edit(f.ann, d, d.Cards[1], d.Cards[0])
	f.must(err)
	copied, err := f.Copy(t.Context(), f.ann, d.ID, "Copy")
	f.must(err)
	if ids(copied) != "2 1" || copied.ID == d.ID || copied.Name != "Copy" {
		t.Errorf("got a copy %d %q with cards %s", copied.ID, copied.Name, ids(copied))
	}
	if _, err := f.Add(t.Context(), f.ann, earshot.Dashboard{Team: 1, Name: "New", Cards: d.Cards}); err == nil {
		t.Error("a new dashboard with a removed monitor: want an error")
	}
}

func TestInvalidCards(t *testing.T) {
	fixture := newFixture(t)
	day := earshot.Date{Year: 2026, Month: 3, Day: 1}
	f := func(want string, card earshot.Card) {
		t.Helper()
		_, err := fixture.Add(t.Context(), fixture.ann, earshot.Dashboard{Team: 1, Name: "n", Cards: []earshot.Card{{Kind: earshot.TextCard}, card}})
		if err == nil || !earshot.IsKind(err, earshot.Invalid) || !strings.Contains(err.Error(), "cards[1]."+want) {
			t.Errorf("got %v, want an error about cards[1].%s", err, want)
		}
	}
	rows := func(n int) []earshot.CardRow {
		list := make([]earshot.CardRow, n)
		for i := range list {
			list[i].Monitor = 11
		}
		return list
	}
	f("kind", earshot.Card{Kind: "pie", Monitor: 11})
	f("width", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Width: 5})
	f("width", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Width: -1})
	f("monitor", earshot.Card{Kind: earshot.VolumeCard})
	f("monitor", earshot.Card{Kind: earshot.VolumeCard, Monitor: 13}) // of the other team
	f("monitor", earshot.Card{Kind: earshot.VolumeCard, Monitor: 113})
	f("monitor", earshot.Card{Kind: earshot.TextCard, Monitor: 11})
	f("title", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Title: strings.Repeat("t", maxTitle+1)})
	f("title", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Title: "two\nlines"})
	f("text", earshot.Card{Kind: earshot.TextCard, Text: strings.Repeat("t", maxText+1)})
	f("text", earshot.Card{Kind: earshot.TextCard, Text: "\x00"})
	f("filter", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Filter: strings.Repeat("f", maxFilter+1)})
	f("sort", earshot.Card{Kind: earshot.PostsCard, Monitor: 11, Sort: "best"})
	f("range", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Range: "last7", Start: day, End: day.AddDays(1)})
	f("end", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Start: day, End: day})
	f("end", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, End: day})
	f("rows", earshot.Card{Kind: earshot.VolumeCard, Monitor: 11, Rows: rows(1)})
	f("rows", earshot.Card{Kind: earshot.ComparisonCard})
	f("rows", earshot.Card{Kind: earshot.ComparisonCard, Rows: rows(earshot.MaxCardRows + 1)})
	f("rows[1].monitor", earshot.Card{Kind: earshot.ComparisonCard, Rows: append(rows(1), earshot.CardRow{Monitor: 13})})
	f("rows[0].end", earshot.Card{Kind: earshot.ComparisonCard, Rows: []earshot.CardRow{{Monitor: 11, Start: day}}})
	f("earlier", earshot.Card{Kind: earshot.ComparisonCard, Rows: rows(1), Earlier: "someday"})
}

func TestValidCards(t *testing.T) {
	f := newFixture(t)
	day := earshot.Date{Year: 2026, Month: 3, Day: 1}
	d, err := f.Add(t.Context(), f.ann, earshot.Dashboard{Team: 1, Name: " Weekly ", Cards: []earshot.Card{
		{Kind: earshot.TextCard, Text: "Two\nlines"},
		{Kind: earshot.VolumeCard, Monitor: 111, Filter: "source:Twitter", Width: 4},
		{Kind: earshot.PostsCard, Monitor: 12, Sort: "reach", Start: day, End: day.AddDays(1)},
		{Kind: earshot.ComparisonCard, Earlier: "2026-01-01", Rows: []earshot.CardRow{{Monitor: 11}, {Monitor: 112, Range: "last7"}}},
	}})
	f.must(err)
	if d.Name != "Weekly" || d.Range != defaultRange || d.Cards[0].Width != defaultWidth || d.Cards[1].Width != 4 || d.CreatedBy != "ann" {
		t.Errorf("got %+v", d)
	}
	if _, err := f.Add(t.Context(), f.ann, earshot.Dashboard{Team: 1, Name: "Full", Cards: make([]earshot.Card, earshot.MaxCards+1)}); err == nil {
		t.Error("too many cards: want an error")
	}
	if _, err := f.Add(t.Context(), f.ann, earshot.Dashboard{Team: 1, Name: " "}); err == nil {
		t.Error("no name: want an error")
	}
}

func TestLimitOfDashboards(t *testing.T) {
	f := newFixture(t)
	for range earshot.MaxDashboards {
		f.dashboard()
	}
	_, err := f.Add(t.Context(), f.ann, earshot.Dashboard{Team: 1, Name: "One more"})
	if !earshot.IsKind(err, earshot.Invalid) {
		t.Errorf("got %v, want an error", err)
	}
	_, err = f.Add(t.Context(), f.eve, earshot.Dashboard{Team: 2, Name: "Another team"})
	f.must(err)
}
