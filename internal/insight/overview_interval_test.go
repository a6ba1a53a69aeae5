package insight_test

import (
	"math"
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/query/filter"
)

// TestOverviewHasTheProportions checks that an overview has the shares of the monitor's proportions,
// and counts posts.
func TestOverviewHasTheProportions(t *testing.T) {
	scored := func(guid string, scores earshot.Sentiment) earshot.Post {
		p := postWithSentiment(guid, earshot.Neutral)
		p.Sentiment = scores
		return p
	}
	s := monitored(t, scored("a", earshot.Sentiment{5, 5, 90}), scored("b", earshot.Sentiment{5, 5, 90}), scored("c", earshot.Sentiment{90, 5, 5}))
	request := insight.OverviewRequest{Days: between(9, 12), Parts: opinions}
	o, err := s.Overview(t.Context(), buzz(), request)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Proportions(t.Context(), buzz(), between(9, 12))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.Intervals, p.Days) {
		t.Errorf("got %+v, want %+v", o.Intervals, p.Days)
	}
	for i, want := range p.Total.Categories {
		got := o.Categories[i]
		if math.Abs(got.Share-want.Share) > 1e-9 || math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%s: got %+v, want %+v", want.Category.Name, got, want)
		}
	}
	if got := o.Categories[earshot.Negative]; got.Posts != 2 || got.Low >= got.Share || got.High <= got.Share {
		t.Errorf("got %+v", got)
	}
}

// TestFilteredOverviewHasDailyShares checks that the shares of a filtered overview, of each day and in
// total, are those of a monitor that has only the selected posts.
func TestFilteredOverviewHasDailyShares(t *testing.T) {
	scored := func(guid, author string, scores earshot.Sentiment) earshot.Post {
		p := postWithSentiment(guid, earshot.Neutral)
		p.Sentiment, p.Author = scores, author
		return p
	}
	selected := []earshot.Post{scored("a", "ann", earshot.Sentiment{5, 5, 90}), scored("b", "ann", earshot.Sentiment{90, 5, 5})}
	s := monitored(t, append(selected, scored("c", "bob", earshot.Sentiment{90, 5, 5}))...)
	o, err := s.Overview(t.Context(), buzz(), insight.OverviewRequest{
		Days: between(9, 12), Parts: opinions, Filter: "author:ann",
		Refine: func(filter.Categories) (poststore.Selection, error) {
			return poststore.Selection{Authors: []string{"ann"}}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want, err := monitored(t, selected...).Proportions(t.Context(), buzz(), between(9, 12))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(o.Intervals, want.Days) {
		t.Errorf("got %+v, want %+v", o.Intervals, want.Days)
	}
	for i, want := range want.Total.Categories {
		got := o.Categories[i]
		if got.Posts != want.Posts || math.Abs(got.Share-want.Share) > 1e-9 || math.Abs(got.Low-want.Low) > 1e-9 || math.Abs(got.High-want.High) > 1e-9 {
			t.Errorf("%s: got %+v, want %+v", want.Category.Name, got, want)
		}
	}
}
