package detect

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestShare(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 1))
	var days []Day
	for range ShareDays {
		d := Day{Total: 80 + math.Floor(40*random.Float64())}
		for range int(d.Total) {
			if random.Float64() < 0.2 {
				d.Part++
			}
		}
		days = append(days, d)
	}
	s, err := FitShare(days)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "share", s.Expect(100).Mean, 0.2, 0.15)
	low, high := s.Expect(100).Interval(0.99)
	if low > 0.12 || low < 0.03 || high < 0.28 || high > 0.45 {
		t.Errorf("interval from %v to %v", low, high)
	}
	l := s.Limit(3, MinPosts)
	if l.Exceeded(s.Expect(100), 25) || !l.Exceeded(s.Expect(100), 50) {
		t.Errorf("limit %g: 25%% is an alarm, or 50%% is not", l.Chance)
	}
	if l.Exceeded(s.Expect(9), 9) {
		t.Error("9 posts are an alarm")
	}
	// One odd day of the past changes little.
	calm := s.Expect(100)
	days[20] = Day{Part: 95, Total: 100}
	if s, err = FitShare(days); err != nil {
		t.Fatal(err)
	}
	near(t, "share after an odd day", s.Expect(100).Mean, calm.Mean, 0.15)
	// Days that vary by themselves make the limit wider.
	for i := range days {
		days[i] = Day{Part: 10 + 40*float64(i%2), Total: 100}
	}
	if s, err = FitShare(days); err != nil {
		t.Fatal(err)
	}
	if l := s.Limit(3, MinPosts); l.Exceeded(s.Expect(100), 50) {
		t.Error("what happens every other day is an alarm")
	}
}

func TestShareOfNothing(t *testing.T) {
	days := make([]Day, ShareDays)
	_, err := FitShare(days)
	var learning *Learning
	if !errors.As(err, &learning) {
		t.Errorf("days without posts: %v, want learning", err)
	}
	for i := range days {
		days[i].Total = 50
	}
	s, err := FitShare(days)
	if err != nil {
		t.Fatal(err)
	}
	if l := s.Limit(3, MinPosts); !l.Exceeded(s.Expect(50), 25) || l.Exceeded(s.Expect(50), 2) {
		t.Error("half of the posts from a new country are no alarm, or two posts are one")
	}
	for i := range days {
		days[i].Part = 50
	}
	if s, err = FitShare(days); err != nil {
		t.Fatal(err)
	}
	if l := s.Limit(3, MinPosts); l.Exceeded(s.Expect(50), 50) {
		t.Error("what is always so is an alarm")
	}
}

func TestNewcomers(t *testing.T) {
	none := FitNewcomers(nil, NewcomerAuthors, 28)
	if a, b := none.PerYear(3), none.PerYear(30); !(a > b && b > 0) {
		t.Errorf("without history: %v per year with 3 authors, %v with 30", a, b)
	}
	if none.PerYear(30) > 1.5 {
		t.Errorf("a newcomer with 30 authors where there never was one is expected %v times a year", none.PerYear(30))
	}
	// A monitor with a new hashtag of this size twice a day.
	var sizes []float64
	for i := range 56 {
		sizes = append(sizes, 5+float64(i%20))
	}
	busy := FitNewcomers(sizes, NewcomerAuthors, 28)
	near(t, "newcomers of 20 and more", busy.PerYear(20), 365*10/28.0, 1)
	if busy.PerYear(20) < 12 {
		t.Errorf("a usual newcomer is expected %v times a year", busy.PerYear(20))
	}
}
