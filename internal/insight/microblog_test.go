package insight_test

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
)

func TestRetweetsOfDay(t *testing.T) {
	original := post("o", "2026-03-01T12:00:00Z", "before the range")
	original.Source, original.URL = earshot.Twitter, "http://twitter.com/ann/status/1"
	posts := []earshot.Post{original}
	repeat := func(n int, sel string, engagement earshot.Engagement, source earshot.Source) {
		for range n {
			p := post(fmt.Sprint("r", len(posts)), fmt.Sprintf("2026-03-10T12:00:%02dZ", len(posts)%60), "RT coffee")
			p.Source, p.Engagement, p.ParentGUID, p.URL = source, engagement, sel, fmt.Sprint("http://twitter.com/bob/status/r", len(posts))
			posts = append(posts, p)
		}
	}
	repeat(3, "o", earshot.Retweet, earshot.Twitter)
	repeat(2, "gone", earshot.Retweet, earshot.Twitter)
	repeat(9, "o", earshot.Reply, earshot.Twitter)
	repeat(9, "o", earshot.Retweet, earshot.News) // not a microblog
	repeat(1, "o", earshot.Retweet, earshot.Mastodon)
	repeat(4, "", earshot.Retweet, earshot.Twitter)
	days, err := monitored(t, posts...).MicroblogMetrics(t.Context(), buzz(), between(10, 11))
	if err != nil || len(days) != 1 {
		t.Fatalf("got %d days, %v", len(days), err)
	}
	var got []string
	for _, r := range days[0].Retweets {
		got = append(got, fmt.Sprintf("%s %t %d", strings.TrimPrefix(r.URL, "http://twitter.com/"), r.Original, r.Posts))
	}
	if want := "[ann/status/1 true 3 bob/status/r5 false 2 bob/status/r24 false 1]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

func TestTopHashtagsOfDay(t *testing.T) {
	var posts []earshot.Post
	for i := range 120 {
		p := post(fmt.Sprint(i), "2026-03-10T12:00:00Z", "coffee")
		p.Source, p.Hashtags = earshot.Instagram, []string{fmt.Sprint("tag", i%60)}
		posts = append(posts, p)
	}
	posts = posts[:119] // so that tag59 has one post fewer than the others
	m := buzz()
	m.TargetHashtags = []string{"tag59", "never"}
	s := monitored(t, posts...)
	days, err := s.InstagramHashtags(t.Context(), m, between(10, 11))
	if err != nil {
		t.Fatal(err)
	}
	tags := days[0].Hashtags
	if len(tags) != 52 || tags[49].Posts != 2 || fmt.Sprint(tags[50:]) != "[{tag59 1} {never 0}]" {
		t.Errorf("got %d hashtags ending with %v, want 50 and the targets", len(tags), tags[len(tags)-3:])
	}
	spread, err := s.MicroblogMetrics(t.Context(), m, between(10, 11))
	if err != nil || len(spread[0].Hashtags) != 0 {
		t.Errorf("got hashtags %v of microblogs, %v", spread[0].Hashtags, err)
	}
}
