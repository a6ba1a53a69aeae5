package demo

import (
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
)

// TestNames checks that stories and topics have names that people use, and that an event is one topic.
func TestNames(t *testing.T) {
	w := newExplained(t, standard)
	c := standard.calendar()
	for day, want := range map[time.Time]string{
		c.start.AddDate(0, 0, c.launch):     "Lumo",
		c.start.AddDate(0, 0, c.crisis):     "#solanorecall",
		standard.StoryDay().Start(time.UTC): "subscription, #paytobrew",
	} {
		e := w.explain(day)
		if len(e.Stories) != 1 || e.Stories[0].Name() != want {
			t.Errorf("%s: got stories %v, want %q", day.Format(time.DateOnly), spell(e), want)
		}
	}
	days := earshot.Days{Start: earshot.DateOf(c.start).AddDays(c.crisis - 3), End: earshot.DateOf(standard.End)}
	r, err := w.service.ReportTopics(t.Context(), w.monitor, insight.ReportRequest{Days: days}, 4)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, topic := range r.Topics {
		got = append(got, topic.Name())
	}
	if want := []string{"#solanorecall", "subscription, #paytobrew", "fits under the cupboard", "rinse once a week"}; !slices.Equal(got, want) {
		t.Errorf("got topics %q, want %q", got, want)
	}
}
