package enginekit

import (
	"testing"

	"earshot"
	"earshot/internal/poststore"
)

func TestMeasureOf(t *testing.T) {
	post := earshot.Post{
		Followers: earshot.Counted(1), Likes: earshot.Counted(2), Shares: earshot.Counted(3), Comments: earshot.Counted(4),
		Replies: earshot.Counted(5), Retweets: earshot.Counted(6), Views: earshot.Counted(7),
	}
	for i, m := range poststore.Measures {
		if got := MeasureOf(m, &post); got != int64(i) {
			t.Errorf("measure %d: got %d, want %d", m, got, i)
		}
	}
}

func TestCheckTally(t *testing.T) {
	f := func(tally poststore.Tally, want string) {
		t.Helper()
		got := ""
		if err := CheckTally(&tally); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: got %q, want %q", tally, got, want)
		}
	}
	const ethnicityAlone = "tally by ethnicity: must be the only dimension, without sums, Top, TopSum and IncludeKeys"
	f(poststore.Tally{}, "")
	f(poststore.Tally{By: poststore.Dims, Sum: poststore.Measures, Top: 10}, "")
	f(poststore.Tally{By: []poststore.Dim{0}}, "tally by unknown dimension 0")
	f(poststore.Tally{Sum: []poststore.Measure{99}}, "tally with unknown measure 99")
	f(poststore.Tally{Top: -1}, "tally with Top -1: must not be negative")
	f(poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}, Sources: []earshot.Source{earshot.Twitter}}, "")
	f(poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity, poststore.ByDay}}, ethnicityAlone)
	f(poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}, Sum: []poststore.Measure{poststore.Likes}}, ethnicityAlone)
	f(poststore.Tally{By: []poststore.Dim{poststore.ByEthnicity}, Top: 1}, ethnicityAlone)
	f(poststore.Tally{By: []poststore.Dim{poststore.BySets, poststore.ByEthnicity}, Sets: make([]poststore.SetID, 1)}, "tally by sets: must be the only dimension, without sums, Top, TopSum and IncludeKeys")
	f(poststore.Tally{By: []poststore.Dim{poststore.BySets}}, "tally by 0 sets: must be 1 to 256")
}
