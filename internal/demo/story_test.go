package demo

import (
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
)

func TestAboutSixHundredPostsADay(t *testing.T) {
	if got := len(standardPosts()); got < 54_000 || got > 62_000 {
		t.Errorf("90 days have %d posts, want about 55,000 and the two events", got)
	}
}

func TestEverySourceAndLanguageAppears(t *testing.T) {
	sources, spoken := map[earshot.Source]int{}, map[string]int{}
	for _, p := range standardPosts() {
		sources[p.Source]++
		spoken[p.Language]++
	}
	for _, n := range networks {
		if sources[n.source] < 1000 {
			t.Errorf("%s has %d posts, want at least 1000", n.source, sources[n.source])
		}
	}
	if len(sources) != 13 {
		t.Errorf("got %d sources, want 13", len(sources))
	}
	for _, language := range languages {
		if spoken[language] < 700 {
			t.Errorf("%s has %d posts, want at least 700", language, spoken[language])
		}
	}
}

func TestEventsAddPosts(t *testing.T) {
	days := make([]int, standard.Days)
	negative := make([]int, standard.Days)
	c := standard.calendar()
	for _, p := range standardPosts() {
		day := int(p.Time.Sub(c.start).Hours() / 24)
		days[day]++
		if slices.Contains(p.Hashtags, "solanorecall") {
			negative[day]++
		}
	}
	sorted := slices.Sorted(slices.Values(days))
	median := sorted[len(sorted)/2]
	if got := days[c.launch]; got < 2*median {
		t.Errorf("the launch has %d posts, want twice the usual %d", got, median)
	}
	if got := slices.Index(days, sorted[len(sorted)-1]); got != c.crisis {
		t.Errorf("the busiest day is %d, want %d, the recall", got, c.crisis)
	}
	if negative[c.crisis-1] != 0 || negative[c.crisis] < 100 {
		t.Errorf("recall hashtags: %d the day before, %d on the day", negative[c.crisis-1], negative[c.crisis])
	}
}

func TestPeoplePostInTheEvening(t *testing.T) {
	var hours [24]int
	for _, p := range standardPosts() {
		if p.Place.Country == "JPN" {
			hours[p.Time.Add(9*time.Hour).Hour()]++
		}
	}
	if hours[20] < 5*hours[3] || hours[20] < hours[14] {
		t.Errorf("posts by local hour in Japan: %v, want most at 20 and few at 3", hours)
	}
}

func TestThereIsLessNewsOnWeekends(t *testing.T) {
	var byWeekday [7]int
	for _, p := range standardPosts() {
		if p.Source == earshot.News {
			byWeekday[p.Time.Weekday()]++
		}
	}
	if byWeekday[time.Sunday]*3 > byWeekday[time.Wednesday]*2 {
		t.Errorf("news by weekday: %v, want clearly fewer on Sunday", byWeekday)
	}
}

func TestAboutOneInSevenPostsIsGeotagged(t *testing.T) {
	tagged, all := 0, 0
	for _, p := range standardPosts() {
		all++
		if p.Geotagged {
			tagged++
		}
	}
	if got := float64(tagged) / float64(all); got < 0.13 || got > 0.17 {
		t.Errorf("%.3f of posts are geotagged, want 0.15", got)
	}
}

func TestFollowersHaveALongTail(t *testing.T) {
	known := map[string]int64{}
	for _, p := range standardPosts() {
		if n, stated := p.Followers.Value(); stated && p.AuthorUsername != TwitterHandle && p.AuthorUsername != InstagramHandle {
			known[p.AuthorUsername] = n
		}
	}
	var counts []int64
	for _, n := range known {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	if len(counts) < 2500 {
		t.Fatalf("got %d authors with followers, want thousands", len(counts))
	}
	median, top := counts[len(counts)/2], counts[len(counts)-1]
	if median > 200 || top < 500*median {
		t.Errorf("median %d, most %d: want a long tail", median, top)
	}
}

func TestTheBrandPostsAndIsMentioned(t *testing.T) {
	var tweets, pictures, pagePosts, pageComments, mentions, pictureMentions, retweets int
	for _, p := range standardPosts() {
		own := p.Author == Brand || p.AuthorUsername == TwitterHandle || p.AuthorUsername == InstagramHandle
		switch {
		case own && p.Source == earshot.Twitter:
			tweets++
		case own && p.Source == earshot.Instagram && len(p.Images) == 1:
			pictures++
		case own && p.PageID == FacebookPageID:
			pagePosts++
		case p.PageID == FacebookPageID && p.Engagement == earshot.Comment:
			pageComments++
		case p.Engagement == earshot.Retweet && strings.HasPrefix(p.Contents, "RT @"+TwitterHandle):
			retweets++
		case strings.Contains(p.Contents, "@"+TwitterHandle):
			mentions++
		case p.Source == earshot.Instagram && strings.Contains(p.Contents, "@"+InstagramHandle):
			pictureMentions++
		}
	}
	if tweets != 270 || pictures != 90 || pagePosts != 180 {
		t.Errorf("own posts: %d tweets, %d pictures, %d on the page; want 270, 90, 180", tweets, pictures, pagePosts)
	}
	if pageComments < 500 || mentions < 300 || pictureMentions < 200 || retweets < 50 {
		t.Errorf("%d page comments, %d and %d mentions, %d retweets; want many of each", pageComments, mentions, pictureMentions, retweets)
	}
}

func TestSnapshotsGrowAndTheRecallCostsFollowers(t *testing.T) {
	for _, account := range []string{TwitterHandle, InstagramHandle, FacebookPageID} {
		s := standard.Snapshots(account)
		if len(s) != 90 || s[0].Date.String() != "2024-03-03" || s[89].Date.String() != "2024-05-31" {
			t.Fatalf("%s: %d snapshots from %v", account, len(s), s[0].Date)
		}
		for i := 1; i < len(s); i++ {
			if s[i].Likes.Int() < s[i-1].Likes.Int() {
				t.Errorf("%s: likes fall on %v", account, s[i].Date)
			}
		}
		if s[89].Followers.Int() <= s[0].Followers.Int() {
			t.Errorf("%s: no growth", account)
		}
		crisis := standard.calendar().crisis
		if s[crisis+6].Followers.Int() >= s[crisis-1].Followers.Int() {
			t.Errorf("%s: the recall costs no followers", account)
		}
	}
	if got := standard.Snapshots("nobody"); got != nil {
		t.Errorf("an unknown account has %d snapshots", len(got))
	}
}
