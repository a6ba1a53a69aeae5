package earshot

import (
	"math"
	"testing"
)

func TestBaseline(t *testing.T) {
	var b Baseline
	day := Date{2024, 3, 1}
	share := func(id InterestID, want float64) {
		t.Helper()
		if got := b.Share(id); math.Abs(got-want) > 1e-9 {
			t.Errorf("interest %d: got a share of %v, want %v", id, got, want)
		}
	}
	share(1, 0)
	b.Add(day, &Post{Interests: []InterestID{1, 2}, AuthorInterests: []InterestID{2, 3}})
	b.Add(day, &Post{})
	share(1, 0.5)
	share(2, 0.5)
	share(3, 0.5)
	share(4, 0)
	// A month later the two posts count as one, beside the new one.
	b.Add(day.AddDays(30), &Post{Interests: []InterestID{1}})
	share(1, 1.5/2)
	share(2, 0.5/2)
	if b.Day != day.AddDays(30) || b.Posts != 2 {
		t.Errorf("got %v posts up to %v", b.Posts, b.Day)
	}
	// What is processed late fades nothing.
	b.Add(day, &Post{})
	if b.Day != day.AddDays(30) || b.Posts != 3 {
		t.Errorf("got %v posts up to %v", b.Posts, b.Day)
	}
}
