package insight_test

import (
	"math"
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
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
	request.Filter = "keywords:coffee"
	request.Refine = func(insight.Categorization) (poststore.Selection, error) { return poststore.Selection{}, nil }
	if o, err = s.Overview(t.Context(), buzz(), request); err != nil || len(o.Intervals) > 0 {
		t.Errorf("got %+v, %v with a filter", o.Intervals, err)
	}
}
