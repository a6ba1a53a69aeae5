package digest

import (
	"testing"

	"earshot"
	"earshot/internal/workspace/card"
)

func TestChangeOf(t *testing.T) {
	day := func(n int) earshot.Date { return earshot.Date{Year: 2026, Month: 3, Day: n} }
	f := func(posts int64, days int, earlier *card.EarlierPosts, want string) {
		t.Helper()
		if got := changeOf(card.ComparedRow{Start: day(8), End: day(8 + days), Posts: posts, Earlier: earlier}); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	before := func(posts int64, days int) *card.EarlierPosts {
		return &card.EarlierPosts{CoveredPeriod: card.CoveredPeriod{DateRange: card.DateRange{Start: day(1), End: day(1 + days)}}, Posts: posts}
	}
	f(42, 7, nil, "–")
	f(42, 0, before(21, 7), "–")
	f(42, 7, before(0, 0), "–")
	f(42, 7, before(21, 7), "+100%")
	f(2500, 7, before(100, 7), "25×")
	f(42, 7, before(0, 7), "new")
	f(42, 7, before(6, 2), "+100% per day")
}
