package insight_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// TestPagesByRelevance checks that pages continue beyond the posts that are cached.
func TestPagesByRelevance(t *testing.T) {
	c := newChatter(t, 2)
	for i := range insight.MaxGroups + 500 {
		c.add(chatterDay, fmt.Sprint("espresso ", i), func(p *earshot.Post) {
			p.Time = chatterDay.Add(time.Duration(i) * time.Second)
			if i%2 == 0 {
				p.Contents += " espresso"
			}
		})
	}
	if err := c.store.Append(t.Context(), 1, c.posts); err != nil {
		t.Fatal(err)
	}
	day := earshot.DateOf(chatterDay)
	r := insight.RankRequest{Days: earshot.Days{Start: day, End: day.AddDays(1)}}
	r.Ranking = poststore.Ranking{Order: poststore.MostRelevant, Terms: []string{"espresso"}}
	whole := r
	whole.Limit = 10 * insight.MaxGroups
	want, err := c.RankPosts(t.Context(), c.monitor(), whole)
	if err != nil {
		t.Fatal(err)
	}
	for _, r.Limit = range []int{300, 400} {
		r.After = nil
		var got []poststore.RankedPost
		for {
			page, err := c.RankPosts(t.Context(), c.monitor(), r)
			if err != nil {
				t.Fatal(err)
			}
			if page.Total != want.Total {
				t.Fatalf("limit %d: got total %d, want %d", r.Limit, page.Total, want.Total)
			}
			if len(page.Posts) == 0 {
				break
			}
			got = append(got, page.Posts...)
			r.After = &got[len(got)-1].Position
		}
		if !slices.EqualFunc(got, want.Posts, func(a, b poststore.RankedPost) bool { return a.Position == b.Position }) {
			t.Errorf("limit %d: got %d posts, want the same %d as on one page", r.Limit, len(got), len(want.Posts))
		}
	}
}
