package demo

import (
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/query/filter"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/workspace/incident"
)

// TestIncidents finds the three stories of the demo, and nothing else, with the hours in which they
// begin and what they are about.
func TestIncidents(t *testing.T) {
	w := newExplained(t, standard)
	c := standard.calendar()
	records, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	s := &incident.Service{Insight: w.service, Filters: &filter.Service{}, Catalog: records, Now: w.service.Now}
	w.monitor.Name = Brand
	q := incident.Query{Caller: &earshot.Caller{}, Monitor: w.monitor, Days: earshot.Days{Start: earshot.DateOf(c.start), End: earshot.DateOf(standard.End).AddDays(1)}}
	found, err := s.Find(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	var got, texts []string
	for _, i := range found.Incidents {
		got = append(got, fmt.Sprintf("%s %s %s", i.From.Format("Jan 2 15:04"), i.Severity, i.Title))
	}
	day := func(n int) string { return c.start.AddDate(0, 0, n).Format("Jan 2 15:04") }
	want := []string{
		c.paywall.Truncate(time.Hour).Format("Jan 2 15:04") + " critical Morvessa: 3.9× the usual posts on May 22–24: subscription, #paytobrew",
		day(c.crisis) + " critical Morvessa: 3.5× the usual posts on May 10–14: #solanorecall",
		day(c.launch) + " critical Morvessa: 3.2× the usual posts on Apr 12–14: Lumo",
	}
	if !slices.EqualFunc(got, want, strings.HasPrefix) {
		t.Errorf("got  %q\nwant %q", got, want)
	}

	for _, days := range [][2]int{{0, c.days}, {c.crisis, c.crisis + 1}, {c.crisis - 7, c.crisis - 1}, {20, 21}} {
		sum, err := s.Summary(t.Context(), q, c.start.AddDate(0, 0, days[0]), c.start.AddDate(0, 0, days[1]))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, sum.Text)
	}
	want = []string{
		"In the largest of 3 incidents, from May 10 at 12 AM to May 14, Morvessa had 2,970 posts, 3.5 times as many as usual (839 expected); 94% of the additional posts are about #solanorecall. The first post about it was by Grace Hughes (@hughesg), and posts by Morvessa (@MorvessaCoffee) and Elena Quintana (@elena, ",
		"From May 10 at 12 AM to May 14, Morvessa had 2,970 posts, 3.5 times as many as usual (839 expected); 94% of the additional posts are about #solanorecall. The first post about it was by Grace Hughes (@hughesg), and posts by Morvessa (@MorvessaCoffee) and Elena Quintana (@elena, ",
		"Nothing unusual happened from May 3 to May 8: Morvessa had 1,186 posts, 1.5% more than in the 6 days before.",
		"Nothing unusual happened on Mar 23: Morvessa had 203 posts, 1.9% fewer than the day before.",
	}
	if !slices.EqualFunc(texts, want, strings.HasPrefix) {
		t.Errorf("got  %q\nwant %q", texts, want)
	}
}

// TestIncidentsOfASmallDemo finds the cause and the first author at any time of day, although the weeks
// before had another event.
func TestIncidentsOfASmallDemo(t *testing.T) {
	for hour := 8; hour < 24; hour += 5 {
		w := newExplained(t, Generator{Seed: 1, Days: 35, PerDay: 200, End: time.Date(2026, 11, 19, hour, 0, 0, 0, time.UTC)})
		w.monitor.Name, w.monitor.Timezone = Brand, timezone
		records, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
		if err != nil {
			t.Fatal(err)
		}
		s := &incident.Service{Insight: w.service, Filters: &filter.Service{}, Catalog: records, Now: w.service.Now}
		zone := w.monitor.Location()
		sum, err := s.Summary(t.Context(), incident.Query{Caller: &earshot.Caller{}, Monitor: w.monitor}, time.Date(2026, 11, 9, 0, 0, 0, 0, zone), time.Date(2026, 11, 16, 0, 0, 0, 0, zone))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"#paytobrew", "Nadia Keller", "Theo Marsh"} {
			if !strings.Contains(sum.Text, want) {
				t.Errorf("at %d:00, got %q, want %s", hour, sum.Text, want)
			}
		}
	}
}
