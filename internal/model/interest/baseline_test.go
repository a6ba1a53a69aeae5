package interest

import (
	"math"
	"testing"

	"earshot"
)

func TestBaseline(t *testing.T) {
	var b Baseline
	day := earshot.Date{Year: 2024, Month: 3, Day: 1}
	share := func(id earshot.InterestID, want float64) {
		t.Helper()
		if got := b.Share(id); math.Abs(got-want) > 1e-9 {
			t.Errorf("interest %d: got a share of %v, want %v", id, got, want)
		}
	}
	share(1, 0)
	b.Add(day, &earshot.Post{Interests: []earshot.InterestID{1, 2}, AuthorInterests: []earshot.InterestID{2, 3}})
	b.Add(day, &earshot.Post{})
	share(1, 0.5)
	share(2, 0.5)
	share(3, 0.5)
	share(4, 0)
	// A month later, the two posts count as one, in addition to the new one.
	b.Add(day.AddDays(30), &earshot.Post{Interests: []earshot.InterestID{1}})
	share(1, 1.5/2)
	share(2, 0.5/2)
	if b.Day != day.AddDays(30) || b.Posts != 2 {
		t.Errorf("got %v posts up to %v", b.Posts, b.Day)
	}
	// A post from an earlier day causes no decay.
	b.Add(day, &earshot.Post{})
	if b.Day != day.AddDays(30) || b.Posts != 3 {
		t.Errorf("got %v posts up to %v", b.Posts, b.Day)
	}
}
