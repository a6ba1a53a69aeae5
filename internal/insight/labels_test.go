package insight_test

import (
	"math"
	"testing"

	"earshot"
	"earshot/internal/insight"
)

// TestSharesSurviveAnUpgrade stores posts that an older version of the models labeled. Their shares are
// those that the calibration of that version gives, and overviews say how many there are.
func TestSharesSurviveAnUpgrade(t *testing.T) {
	labeled := func(models uint32) *insight.Service {
		var posts []earshot.Post
		for i := range 60 {
			p := postWithSentiment(string(rune('A'+i)), earshot.Neutral)
			p.Sentiment, p.InferredBy = earshot.Sentiment{earshot.Percent(20 + i%3*20), earshot.Percent(50 - i%3*10), earshot.Percent(30 - i%3*10)}, models
			posts = append(posts, p)
		}
		return monitored(t, posts...)
	}
	shares := func(s *insight.Service, current uint32) *insight.Overview {
		t.Helper()
		s.Models = func() uint32 { return current }
		o, err := s.Overview(t.Context(), buzz(), insight.OverviewRequest{Days: between(9, 12), Parts: opinions})
		if err != nil {
			t.Fatal(err)
		}
		return o
	}
	before, after, refreshed := shares(labeled(4), 4), shares(labeled(4), 6), shares(labeled(6), 6)
	changed := 0.0
	for i := range before.Categories {
		if before.Categories[i] != after.Categories[i] {
			t.Errorf("got %+v after the upgrade, want %+v", after.Categories[i], before.Categories[i])
		}
		changed = max(changed, math.Abs(before.Categories[i].Share-refreshed.Categories[i].Share))
	}
	if changed < 0.005 {
		t.Errorf("the shares changed by at most %f when the labels did", changed)
	}
	if before.Outdated != 0 || after.Outdated != 60 || refreshed.Outdated != 0 {
		t.Errorf("got %d, %d and %d outdated posts, want 0, 60 and 0", before.Outdated, after.Outdated, refreshed.Outdated)
	}
}

// TestLabels counts the labels of all posts.
func TestLabels(t *testing.T) {
	var posts []earshot.Post
	for guid, models := range map[string]uint32{"a": 4, "b": 5, "c": 6, "d": 1<<16 | 6, "e": 0} {
		p := postWithSentiment(guid, earshot.Neutral)
		p.InferredBy = models
		posts = append(posts, p)
	}
	f := func(current uint32, want insight.Labels, sentence string) {
		t.Helper()
		s := monitored(t, posts...)
		s.Models = func() uint32 { return current }
		if got, err := s.Labels(t.Context()); err != nil || got != want || got.String() != sentence {
			t.Errorf("models %d: got %+v %q, %v, want %+v %q", current, got, got, err, want, sentence)
		}
	}
	f(4, insight.Labels{Posts: 5}, "")
	f(6, insight.Labels{Posts: 5, Outdated: 2}, "2 of 5 posts were labeled by an older version of the models")
	f(1<<16|6, insight.Labels{Posts: 5, Outdated: 3}, "3 of 5 posts were labeled by an older version of the models")
}
