package enginekit

import (
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

func TestDayStarts(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	f := func(from, to string, monthly bool, want ...string) {
		t.Helper()
		first, err := earshot.ParseDate(from)
		if err != nil {
			t.Fatal(err)
		}
		end, err := earshot.ParseDate(to)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, start := range dayStarts(&poststore.Selection{From: first.Start(berlin), To: end.Start(berlin)}, berlin, monthly) {
			got += start.In(berlin).Format("2006-01-02 ")
		}
		all := ""
		for _, day := range want {
			all += day + " "
		}
		if got != all {
			t.Errorf("%s to %s: got %s, want %s", from, to, got, all)
		}
	}
	f("2024-01-30", "2024-02-02", false, "2024-01-30", "2024-01-31", "2024-02-01", "2024-02-02")
	f("2024-01-30", "2024-03-02", true, "2024-01-30", "2024-01-31", "2024-02-01", "2024-03-01", "2024-03-02")
	f("2023-12-01", "2024-02-01", true, "2023-12-01", "2024-01-01", "2024-02-01")
	f("2024-02-01", "2024-02-03", true, "2024-02-01", "2024-02-02", "2024-02-03")
}

// TestRowSumIsBounded checks that adding rows fails if the sums take too much memory. Rows with
// known keys always fit.
func TestRowSumIsBounded(t *testing.T) {
	sum := NewRowSum(&poststore.Tally{By: []poststore.Dim{poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Likes}}, RowBytes+1)
	a := []poststore.Row{{Key: []string{"a"}, Posts: 2, Sums: []int64{3}}}
	if !sum.Add(a) {
		t.Error("the first row does not fit")
	}
	if !sum.Add(a) {
		t.Error("a known key does not fit")
	}
	if sum.Add([]poststore.Row{{Key: []string{"b"}, Posts: 2, Sums: []int64{3}}}) {
		t.Error("a new key fits")
	}
	if got := sum.rows[0]; got.Posts != 4 || got.Sums[0] != 6 {
		t.Errorf("got %v, want 4 posts and 6 likes", got)
	}
	if a[0].Posts != 2 || a[0].Sums[0] != 3 {
		t.Errorf("the rows of the interval were modified: %v", a)
	}
}
