package insight_test

import (
	"fmt"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/interest"
)

// tweets returns perDay posts for each of two days, with the interests that the function returns.
func tweets(source earshot.Source, perDay int, interests func(i int) []earshot.InterestID) []earshot.Post {
	var posts []earshot.Post
	for day := 10; day < 12; day++ {
		for i := range perDay {
			p := post(fmt.Sprintf("%d-%d", day, i), fmt.Sprintf("2026-03-%dT12:00:00Z", day), "coffee")
			p.Source, p.AuthorUsername, p.Interests = source, fmt.Sprint("author", i), interests(i)
			posts = append(posts, p)
		}
	}
	return posts
}

func TestAffinities(t *testing.T) {
	const all, many, few, oneAuthor, rare = 1, 2, 3, 4, 5
	posts := tweets(earshot.Bluesky, 200, func(i int) []earshot.InterestID {
		ids := []earshot.InterestID{all}
		if i < 100 {
			ids = append(ids, many)
		}
		if i < 4 {
			ids = append(ids, few) // four authors per day
		}
		return ids
	})
	for i := range posts { // ten posts by a single author
		if i%40 == 0 {
			posts[i].Interests = append(posts[i].Interests, oneAuthor)
			posts[i].AuthorUsername = "busy"
		}
	}
	s := monitored(t, posts...)
	s.Baseline = func() interest.Baseline {
		return interest.Baseline{Posts: 1000, Interests: map[earshot.InterestID]float64{all: 1000, many: 250, rare: 1}}
	}
	a, err := s.Affinities(t.Context(), buzz(), between(10, 12), earshot.Microblogs)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := print(a.All), "2 2.00 50 25; 1 1.00 100 100"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if days := a.Days(); len(days) != 2 || days[1].Day != date(11) || print(days[1].Affinities) != "2 2.00 50 25; 1 1.00 100 100" {
		t.Errorf("got days %+v", days)
	}
}

func print(list []insight.Affinity) string {
	var lines []string
	for _, a := range list {
		lines = append(lines, fmt.Sprintf("%d %.2f %v %v", a.Interest.ID, a.Relevancy, a.InMonitor, a.Overall))
	}
	return strings.Join(lines, "; ")
}

func TestAffinitiesRequirePosts(t *testing.T) {
	f := func(perDay int, source earshot.Source, sources []earshot.Source, want string) {
		t.Helper()
		s := monitored(t, tweets(source, perDay, func(i int) []earshot.InterestID {
			if i < 4 {
				return []earshot.InterestID{7}
			}
			return nil
		})...)
		got := ""
		if _, err := s.Affinities(t.Context(), buzz(), between(10, 12), sources); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d posts per day on %s: got %q, want %q", perDay, source, got, want)
		}
	}
	const none = "No interest has at least 5 posts and an average of 5 authors per day in the selected range"
	f(124, earshot.Twitter, earshot.Microblogs, "Interest affinities need at least 250 posts with Twitter content in the selected range, found 248")
	f(125, earshot.Twitter, earshot.Microblogs, none)
	f(125, earshot.News, earshot.Microblogs, "Interest affinities need at least 250 posts with Twitter content in the selected range, found 0")
	f(125, earshot.Tumblr, []earshot.Source{earshot.Tumblr}, none)
}

// TestAffinityOfNewInterest checks that an interest missing from the baseline is treated as if it
// occurred there once.
func TestAffinityOfNewInterest(t *testing.T) {
	s := monitored(t, tweets(earshot.Twitter, 200, func(int) []earshot.InterestID { return []earshot.InterestID{7} })...)
	s.Baseline = func() interest.Baseline { return interest.Baseline{Posts: 99} }
	a, err := s.Affinities(t.Context(), buzz(), between(10, 12), earshot.Microblogs)
	if err != nil || print(a.All) != "7 100.00 100 0" {
		t.Errorf("got %+v, %v", a, err)
	}
}

func TestAuthorsOfTwoNetworksAreDistinct(t *testing.T) {
	var posts []earshot.Post
	for i, source := range []earshot.Source{earshot.Twitter, earshot.Twitter, earshot.Mastodon, earshot.News} {
		p := post(fmt.Sprint(i), "2026-03-10T12:00:00Z", "coffee")
		p.Source, p.AuthorUsername, p.Followers = source, "ann", earshot.Counted(10)
		posts = append(posts, p)
	}
	got, err := monitored(t, posts...).Authors(t.Context(), buzz(), between(10, 11))
	if want := (insight.Authors{Day: date(10), Posts: 3, Authors: 2, Impressions: 30}); err != nil || len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
