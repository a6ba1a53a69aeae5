package poststore

import (
	"fmt"
	"math"
	"testing"

	"earshot"
)

func TestLargest(t *testing.T) {
	rows := func() []Row {
		return []Row{{Key: []string{"b", "a"}, Posts: 1}, {Key: []string{"c", "a"}, Posts: 2}, {Key: []string{"a", "b"}, Posts: 1}, {Key: []string{"a", "a"}, Posts: 1}}
	}
	f := func(top int, want string) {
		t.Helper()
		got := ""
		for _, r := range TopRows(rows(), top) {
			got += fmt.Sprint(r.Key, r.Posts, " ")
		}
		if got != want {
			t.Errorf("top %d: got %s, want %s", top, got, want)
		}
	}
	f(0, "[c a] 2 [a a] 1 [a b] 1 [b a] 1 ")
	f(2, "[c a] 2 [a a] 1 ")
	f(9, "[c a] 2 [a a] 1 [a b] 1 [b a] 1 ")
}

func TestPlus(t *testing.T) {
	f := func(a, b, want int64) {
		t.Helper()
		if got := SaturatingAdd(a, b); got != want {
			t.Errorf("Plus(%d, %d) = %d, want %d", a, b, got, want)
		}
	}
	f(1, 2, 3)
	f(math.MaxInt64-1, 1, math.MaxInt64)
	f(math.MaxInt64, 1, math.MaxInt64)
	f(math.MaxInt64, math.MaxInt64, math.MaxInt64)
}

func TestMeasureOf(t *testing.T) {
	post := earshot.Post{
		Followers: earshot.Counted(1), Likes: earshot.Counted(2), Shares: earshot.Counted(3), Comments: earshot.Counted(4),
		Replies: earshot.Counted(5), Retweets: earshot.Counted(6), Views: earshot.Counted(7),
	}
	for i, m := range Measures {
		if got := m.Of(&post); got != int64(i) {
			t.Errorf("measure %d: got %d, want %d", m, got, i)
		}
	}
}

func TestTallyCheck(t *testing.T) {
	f := func(tally Tally, want string) {
		t.Helper()
		got := ""
		if err := tally.Check(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: got %q, want %q", tally, got, want)
		}
	}
	f(Tally{}, "")
	f(Tally{By: Dims, Sum: Measures, Top: 10}, "")
	f(Tally{By: []Dim{0}}, "tally by unknown dimension 0")
	f(Tally{Sum: []Measure{99}}, "tally of unknown measure 99")
	f(Tally{Top: -1}, "tally of the top -1 rows")
	f(Tally{By: []Dim{ByEthnicity}, Sources: []earshot.Source{earshot.Twitter}}, "")
	f(Tally{By: []Dim{ByEthnicity, ByDay}}, "tally by ethnicity and something else")
	f(Tally{By: []Dim{ByEthnicity}, Sum: []Measure{Likes}}, "tally by ethnicity and something else")
	f(Tally{By: []Dim{ByEthnicity}, Top: 1}, "tally by ethnicity and something else")
	f(Tally{By: []Dim{BySets, ByEthnicity}, Sets: make([]SetID, 1)}, "tally by sets and something else")
	f(Tally{By: []Dim{BySets}}, "tally by 0 sets")
}
