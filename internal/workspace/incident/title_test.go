package incident

import (
	"testing"
	"time"

	"earshot"
)

func TestTitles(t *testing.T) {
	today := earshot.Date{Year: 2026, Month: time.March, Day: 20}
	at := func(month time.Month, day, hour int) time.Time {
		return time.Date(2026, month, day, hour, 0, 0, 0, time.UTC)
	}
	usual := Incident{
		Monitor: Monitor{Name: "Osterly"}, From: at(3, 11, 7), To: at(3, 11, 12), Metric: earshot.PostsMetric,
		Posts: 1450, Expected: Expectation{Posts: 320.5}, Ratio: 4.52, Topics: []Topic{{Name: "subscription, #paytobrew"}, {Name: "fine"}, {Name: "goose"}},
	}
	for _, c := range []struct {
		change      func(i *Incident)
		title, span string
	}{
		{func(*Incident) {}, "Osterly: 4.5× the usual posts on Mar 11: subscription, #paytobrew, fine", "on Mar 11 from 7 AM to 12 PM"},
		{func(i *Incident) { i.Topics = nil; i.To = at(3, 13, 0) }, "Osterly: 4.5× the usual posts on Mar 11–12", "from Mar 11 at 7 AM to Mar 13 at 12 AM"},
		{func(i *Incident) { i.Topics = nil; i.To = at(3, 14, 6) }, "Osterly: 4.5× the usual posts on Mar 11–14", "from Mar 11 at 7 AM to Mar 14"},
		{func(i *Incident) { i.Topics = nil; i.Ongoing = true }, "Osterly: 4.5× the usual posts since Mar 11", "since Mar 11 at 7 AM"},
		{func(i *Incident) { i.Topics = nil; i.Metric = earshot.NegativeMetric }, "Osterly: 4.5× the usual negative posts on Mar 11", "on Mar 11 from 7 AM to 12 PM"},
		{func(i *Incident) { i.Topics, i.Ratio, i.Posts = nil, 1.62, 519 }, "Osterly: 519 posts on Mar 11 (321 expected)", "on Mar 11 from 7 AM to 12 PM"},
		{func(i *Incident) { i.Topics, i.Ratio, i.Expected.Posts = nil, 60, 0.2 }, "Osterly: 1,450 posts on Mar 11 (0.2 expected)", "on Mar 11 from 7 AM to 12 PM"},
		{func(i *Incident) { i.Topics = nil; i.From = i.From.AddDate(-1, 0, 0); i.To = i.To.AddDate(-1, 0, 0) }, "Osterly: 4.5× the usual posts on Mar 11, 2025", "on Mar 11, 2025 from 7 AM to 12 PM"},
	} {
		i := usual
		c.change(&i)
		if got := titleOf(&i, today); got != c.title {
			t.Errorf("got %q, want %q", got, c.title)
		}
		if got := hoursOf(&i, today); got != c.span {
			t.Errorf("got %q, want %q", got, c.span)
		}
	}
}

func TestQuoted(t *testing.T) {
	for name, want := range map[string]string{
		"strike": "“strike”", "#goose": "#goose", "subscription, #paytobrew": "“subscription” and #paytobrew",
		"ash, fire, smoke": "“ash”, “fire”, and “smoke”",
	} {
		if got := quoted(name); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
