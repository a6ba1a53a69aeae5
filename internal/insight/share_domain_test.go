package insight_test

import (
	"reflect"
	"testing"

	"earshot"
	"earshot/internal/insight"
)

// TestSharesDependOnTheDomain estimates shares among the documents of a content source. They are those of
// posts of a network with the same domain.
func TestSharesDependOnTheDomain(t *testing.T) {
	shares := func(source earshot.Source, content earshot.ContentSourceID, domain earshot.TextDomain) []insight.CategoryTotal {
		t.Helper()
		var posts []earshot.Post
		for i := range 60 {
			p := postWithSentiment(string(rune('A'+i)), earshot.Neutral)
			p.Language, p.Source, p.ContentSource, p.InferredBy = "en", source, content, 6
			p.Sentiment = earshot.Sentiment{earshot.Percent(20 + i%3*20), earshot.Percent(50 - i%3*10), earshot.Percent(30 - i%3*10)}
			posts = append(posts, p)
		}
		s := monitored(t, posts...)
		m := buzz()
		s.ContentDomain = func(team earshot.TeamID, name earshot.Source) earshot.TextDomain {
			if team != m.Team || name != "Press" {
				t.Errorf("got source %q of team %d, want Press of team %d", name, team, m.Team)
			}
			return domain
		}
		o, err := s.Overview(t.Context(), m, insight.OverviewRequest{Days: between(9, 12), Parts: opinions})
		if err != nil {
			t.Fatal(err)
		}
		return o.Categories
	}
	for domain, like := range map[earshot.TextDomain]earshot.Source{
		"": earshot.Twitter, "social": earshot.Twitter, "news": earshot.News, "reviews": earshot.Reviews, "survey": earshot.Reviews, "other": earshot.Twitter,
	} {
		if got, want := shares("Press", 7, domain), shares(like, 0, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: got %+v, want %+v as for %s", domain, got, want, like)
		}
	}
	if reflect.DeepEqual(shares("Press", 7, "news"), shares("Press", 7, "")) {
		t.Error("the shares are the same in both domains")
	}
}
