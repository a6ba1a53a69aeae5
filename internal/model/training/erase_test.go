package training_test

import (
	"strings"
	"testing"

	"earshot"
)

func TestRemoveWhere(t *testing.T) {
	s := newFixture(t)
	for category, name := range map[earshot.CategoryID]string{taste: "taste", price: "price"} {
		if _, err := s.Add(t.Context(), s.caller, monitor, category, documents(name, 3)); err != nil {
			t.Fatal(err)
		}
	}
	admin := earshot.NewCaller(&earshot.User{Username: "admin", Permissions: earshot.Permissions})
	ending := func(suffix string) func(*earshot.TrainingPost) bool {
		return func(p *earshot.TrainingPost) bool { return strings.HasSuffix(p.URL, suffix) }
	}
	remove := func(c *earshot.Caller, suffix string, dryRun bool, want int) {
		t.Helper()
		if n, err := s.RemoveWhere(t.Context(), c, ending(suffix), dryRun); err != nil || n != want {
			t.Errorf("removed %d, %v, want %d", n, err, want)
		}
	}
	remove(admin, "/1", true, 2)
	s.wantDocs(t, 3, 3)
	remove(admin, "/1", false, 2)
	s.wantDocs(t, 2, 2)
	changes := s.monitor(t).Training.Changes
	remove(admin, "/1", false, 0)
	if got := s.monitor(t).Training.Changes; got != changes {
		t.Errorf("the training posts were written although nothing was removed: %d changes, want %d", got, changes)
	}
	remove(earshot.NewCaller(&earshot.User{Username: "bob", Teams: []earshot.TeamID{8}}), "/2", false, 0)
	s.wantDocs(t, 2, 2)

	// Posts of removed categories are stored until the next change.
	_, err := s.Catalog.Monitors.Update(t.Context(), monitor, func(m *earshot.Monitor) error {
		m.Categories = m.Categories[:1]
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	before := s.monitor(t).Training.Documents
	remove(admin, "price/2", false, 1)
	if s.monitor(t).Training.Documents == before {
		t.Error("the posts are still stored")
	}
}
