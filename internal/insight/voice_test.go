package insight_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
)

// voices returns the voices of a day after storing all posts.
func (c *chatter) voices(day time.Time) *insight.Voices {
	c.Helper()
	if err := c.store.Append(c.Context(), 1, c.posts); err != nil {
		c.Fatal(err)
	}
	v, err := c.Voices(c.Context(), c.monitor(), insight.VoicesRequest{From: day, To: day.AddDate(0, 0, 1)})
	if err != nil {
		c.Fatal(err)
	}
	return v
}

// post adds a post about coffee at an hour of the day.
func (c *chatter) post(author string, hour int, text string, change func(p *earshot.Post)) {
	c.add(chatterDay, "coffee "+text, func(p *earshot.Post) {
		*p = earshot.Post{Source: earshot.Twitter, GUID: p.GUID, Contents: p.Contents, AuthorUsername: author, Time: chatterDay.Add(time.Duration(hour) * time.Hour)}
		if change != nil {
			change(p)
		}
	})
}

func spellVoices(list []insight.Voice) string {
	var names []string
	for _, v := range list {
		names = append(names, fmt.Sprintf("%s/%s/%s %d", v.Name, v.Source, v.Role, v.Posts))
	}
	return strings.Join(names, ", ")
}

func TestVoicesOfFewPosts(t *testing.T) {
	c := newChatter(t, 1)
	if v := c.voices(chatterDay); len(v.First)+len(v.Engagement)+len(v.Reach)+len(v.Copied) > 0 {
		t.Errorf("without posts: got %+v", v)
	}
	c = newChatter(t, 1)
	c.post("ann", 3, "is what I drink", nil)
	c.post("ann", 5, "is what I drink", nil) // repeats herself
	v := c.voices(chatterDay)
	if got := spellVoices(v.First); got != "ann/Twitter/ 2" || !v.First[0].First.Equal(chatterDay.Add(3*time.Hour)) {
		t.Errorf("one author: got %q %v", got, v.First[0].First)
	}
	if len(v.Engagement)+len(v.Reach)+len(v.Copied) > 0 {
		t.Errorf("one author without followers and engagement: got %+v", v)
	}
}

func TestVoicesAreToldApart(t *testing.T) {
	c := newChatter(t, 1)
	hostile := "<img src=x onerror=alert(1)>,|-author:*"
	original := "the machine in the kitchen is broken again today"
	c.post("kim", 1, original, func(p *earshot.Post) {
		p.Author, p.Followers, p.Likes = "kim (Kim Example)", earshot.Counted(0), earshot.Counted(5)
	})
	c.post("kim", 2, original, func(p *earshot.Post) { p.Source, p.Likes = earshot.Mastodon, earshot.Counted(3) })
	c.post("fan", 3, original, func(p *earshot.Post) {
		p.Engagement, p.Contents, p.Likes = earshot.Retweet, "RT @kim: "+p.Contents, earshot.Counted(5000)
	})
	c.post("", 4, "a report about something else entirely", func(p *earshot.Post) {
		p.Source, p.Site, p.URL = earshot.News, "daily-news.example", "https://www.daily-news.example/1"
	})
	c.post("Daily_News", 5, "read this", func(p *earshot.Post) { p.Links = []string{"https://daily-news.example/1?utm_source=x"} })
	c.post("critic", 6, "five stars", func(p *earshot.Post) { p.Source = earshot.Reviews })
	c.post("", 7, "by nobody at all", nil)
	c.post(hostile, 8, "with a strange name", func(p *earshot.Post) { p.Likes = earshot.Counted(1) })
	c.post("Barista", 9, "is ours", func(p *earshot.Post) { p.Followers = earshot.Counted(7) })
	c.OwnAccounts = func(*earshot.Monitor) []string { return []string{"@barista"} }

	v := c.voices(chatterDay)
	f := func(name string, list []insight.Voice, want ...string) {
		t.Helper()
		if got := spellVoices(list); got != strings.Join(want, ", ") {
			t.Errorf("%s: got %q, want %q", name, got, strings.Join(want, ", "))
		}
	}
	f("first", v.First, "Kim Example/Twitter/ 1", "daily-news.example/News/press 1", "Daily_News/Twitter/press 1", "critic/Reviews/customer 1", hostile+"/Twitter/ 1", "Barista/Twitter/own 1")
	f("engagement", v.Engagement, "Kim Example/Twitter/ 1", "kim/Mastodon/ 1", hostile+"/Twitter/ 1")
	f("reach", v.Reach, "Barista/Twitter/own 1")
	f("copied", v.Copied, "Kim Example/Twitter/ 1", "daily-news.example/News/press 1")
	if got := v.Copied[0].Copies; got != 2 {
		t.Errorf("copies: got %d, want 2, on Mastodon and of fan", got)
	}
}

// TestVoicesOfManyPosts finds who matters among more posts than are read.
func TestVoicesOfManyPosts(t *testing.T) {
	c := newChatter(t, 1)
	for i := range 21_000 {
		c.post(fmt.Sprint("user", i%9000), i%24, c.usual(), func(p *earshot.Post) { p.Likes = earshot.Counted(int64(i % 7)) })
	}
	for i := range 50 {
		c.post("busy", 12, c.usual(), func(p *earshot.Post) { p.Likes = earshot.Counted(int64(30 + i)) })
	}
	c.post("star", 0, "a single post", func(p *earshot.Post) { p.Followers, p.Shares = earshot.Counted(1e6), earshot.Counted(900) })
	v := c.voices(chatterDay)
	if got := spellVoices(v.Engagement[:2]); got != "busy/Twitter/ 50, star/Twitter/ 1" || !v.Estimated {
		t.Errorf("engagement: got %q, estimated %t", got, v.Estimated)
	}
	if got := v.Engagement[0].Engagement; got != 50*30+49*50/2 {
		t.Errorf("engagement of busy: got %d", got)
	}
	if got := spellVoices(v.Reach); got != "star/Twitter/ 1" {
		t.Errorf("reach: got %q", got)
	}
	if len(v.First) != 10 || v.First[0].Top == nil {
		t.Errorf("first: got %q", spellVoices(v.First))
	}
}
