package demo

import (
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/insight"
)

// TestIncidents finds the stories of the demo, and nothing else, with the hours at which they begin.
func TestIncidents(t *testing.T) {
	w := newExplained(t, standard)
	c := standard.calendar()
	days := earshot.Days{Start: earshot.DateOf(c.start), End: earshot.DateOf(standard.End).AddDays(1)}
	found, err := w.service.Incidents(t.Context(), w.monitor, insight.IncidentRequest{Days: days})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, i := range found.List {
		e, err := w.service.Explain(t.Context(), w.monitor, insight.ExplainRequest{From: i.From, To: i.To})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %.1f", i.From.In(w.monitor.Location()).Format("Jan 2 15:04"), e.Cause, i.Ratio()))
	}
	t.Log(got, c.launch, c.crisis, c.paywall)
}
