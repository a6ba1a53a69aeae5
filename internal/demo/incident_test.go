package demo

import (
	"testing"

	"earshot"
	"earshot/internal/insight"
)

func TestTmp(t *testing.T) {
	w := newExplained(t, standard)
	c := standard.calendar()
	days := earshot.Days{Start: earshot.DateOf(c.start), End: earshot.DateOf(standard.End).AddDays(1)}
	l, err := w.service.Incidents(t.Context(), w.monitor, insight.IncidentRequest{Days: days})
	if err != nil {
		t.Fatal(err)
	}
	t.Log(l.Learning, c.start, c.launch, c.crisis, c.paywall, standard.End)
	for _, i := range l.List {
		t.Logf("%+v %.1f", i, i.Ratio())
		e, _ := w.service.Explain(t.Context(), w.monitor, insight.ExplainRequest{From: i.From, To: i.To})
		t.Log(e.Cause, spell(e), e.Sentence())
	}
}
