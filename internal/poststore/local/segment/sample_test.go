package segment

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/test/testenv"
)

var sampleStart = time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)

// sampleRows returns rows that occasionally have a value in every field. Many share a time, but few
// are otherwise alike.
func sampleRows(rng *rand.Rand, n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		p := samplePost(rng, i)
		rows[i] = Row{
			Post:     &p,
			Arrived:  earshot.Position(1 + rng.IntN(20)),
			Ingested: sampleStart.AddDate(0, 0, rng.IntN(5)),
		}
		for range rng.IntN(4) {
			rows[i].Sets = append(rows[i].Sets, poststore.SetID(earshot.FirstID+rng.IntN(6)))
		}
	}
	return rows
}

func samplePost(rng *rand.Rand, i int) earshot.Post {
	p := earshot.Post{
		Source:          pick(rng, earshot.Twitter, earshot.Facebook, earshot.Blogs),
		GUID:            fmt.Sprintf("guid-%d-%d", rng.IntN(1000), i),
		URL:             pick(rng, "", fmt.Sprintf("https://example.com/%d", rng.IntN(50))),
		Site:            pick(rng, "", "example.com", "news.example.org", "Blog.example.net"),
		Time:            sampleStart.Add(time.Duration(rng.IntN(40)) * time.Hour / 4).Add(time.Duration(rng.IntN(3)) * 7),
		Title:           pick(rng, "", "", sampleText(rng, 4)),
		Contents:        pick(rng, "", sampleText(rng, 15), sampleText(rng, 6)),
		Language:        pick(rng, "", "en", "de", "ru"),
		Author:          pick(rng, "", "ada (Ada Example)", "Bob", "carol", "Ada Smith", "dora (Dora García)"),
		AuthorUsername:  pick(rng, "", "ada", "Bob", "dora"),
		AuthorProfileID: pick(rng, "", "4711"),
		Bio:             pick(rng, "", sampleText(rng, 5)),
		Gender:          pick(rng, "", earshot.Male, earshot.Female),
		Age:             sampleCount(rng, 90),
		Followers:       sampleCount(rng, 100_000),
		Following:       sampleCount(rng, 300),
		AuthorPosts:     sampleCount(rng, 300),
		Klout:           sampleCount(rng, 100),
		Verified:        rng.IntN(5) == 0,
		Location:        pick(rng, "", "somewhere"),
		Place:           pick(rng, earshot.Place{}, earshot.Place{Country: "DEU"}, earshot.Place{Country: "USA", State: "CA", City: "San Diego"}, earshot.Place{City: "Nowhere"}),
		Point:           pick(rng, nil, &earshot.Point{Latitude: 1.5, Longitude: -120.25}),
		Zipcode:         pick(rng, "", "92101"),
		Geotagged:       rng.IntN(4) == 0,
		Engagement:      pick(rng, "", earshot.OriginalPost, earshot.Retweet, earshot.Reply),
		EngagingWith:    pick(rng, "", "ada"),
		ParentGUID:      pick(rng, "", fmt.Sprint("guid-", rng.IntN(9))),
		PageID:          pick(rng, "", "page1", "page2"),
		Likes:           sampleCount(rng, 10),
		Shares:          sampleCount(rng, 1000),
		Comments:        sampleCount(rng, math.MaxInt64-1),
		Replies:         sampleCount(rng, 10),
		Retweets:        sampleCount(rng, 10),
		Views:           sampleCount(rng, 1_000_000),
		Rating:          pick(rng, nil, new(float64)),
		Hashtags:        pick(rng, nil, []string{"go"}, []string{"go", "news", "go"}),
		Mentions:        pick(rng, nil, []string{"ada", "bob"}),
		Links:           pick(rng, nil, []string{"https://example.com/a"}),
		MediaURLs:       pick(rng, nil, []string{"https://example.com/b.png"}),
		Images:          pick(rng, nil, []earshot.Image{{URL: "u", Alt: "a", Brands: []earshot.ImageBrand{{ID: "1", Name: "n", Size: "tiny", Score: 0.5}}}}),
		Custom:          pick(rng, nil, map[string]string{"a": "b", "c": "d"}),
		Cashtags:        pick(rng, nil, []string{"acme"}),
		AgeGroup:        pick(rng, 0, earshot.UnderEighteen, earshot.ThirtyFiveAndOver),
		Sentiment:       pick(rng, earshot.Sentiment{}, earshot.Sentiment{100}, earshot.Sentiment{10, 20, 70}),
		Emotion:         pick(rng, earshot.Emotion{}, earshot.Emotion{earshot.Joy: 100}, earshot.Emotion{earshot.Fear: 60, earshot.Joy: 40}),
		Interests:       pick(rng, nil, []earshot.InterestID{1, 2}, []earshot.InterestID{300}),
		AuthorInterests: pick(rng, nil, []earshot.InterestID{2}),
		InferredBy:      pick[uint32](rng, 0, 1, 2),
	}
	if len(p.Images) > 0 {
		p.Images[0].Objects = pick(rng, nil, []earshot.ImageObject{{ClassID: 3, ClassName: "cat", Score: 0.5}})
	}
	if rng.IntN(3) == 0 {
		p.ContentSource = earshot.ContentSourceID(earshot.FirstID + 100 + rng.IntN(2))
		p.Team = earshot.TeamID(earshot.FirstID + 200)
		p.Source = "Shop reviews"
		p.Batch = pick(rng, "", "batch-1", "batch-2")
	}
	return p
}

func pick[T any](rng *rand.Rand, values ...T) T { return values[rng.IntN(len(values))] }

func sampleCount(rng *rand.Rand, below int64) earshot.Count {
	if rng.IntN(2) == 0 {
		return earshot.Count{}
	}
	return earshot.Counted(rng.Int64N(below))
}

var sampleWords = strings.Fields(`apple Apple pie café cafe #apple @ada #two-words new york über straße Москва 東京タワー 👍🏽 don't
	e-mail 3.14 $AAPL #NewYork #café running run ran the the the a of and x`)

func sampleText(rng *rand.Rand, n int) string {
	words := make([]string, rng.IntN(n+1))
	for i := range words {
		words[i] = pick(rng, sampleWords...)
	}
	return strings.Join(words, " ")
}

// sharedTweets returns n rows of real tweets, spread over a day in chronological order. If there
// are fewer tweets, they are repeated with some words replaced.
func sharedTweets(tb testing.TB, n int) []Row {
	tb.Helper()
	texts := readTweets(tb)
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	places := []earshot.Place{{}, {Country: "USA"}, {Country: "USA", State: "CA"}, {Country: "DEU", State: "Berlin", City: "Berlin"}}
	rows := make([]Row, n)
	for i := range rows {
		p := texts[i%len(texts)]
		if again := i / len(texts); again > 0 {
			words := strings.Fields(p.Contents)
			words[rng.IntN(len(words))] = fmt.Sprintf("word%d", rng.IntN(200_000))
			p.Contents = strings.Join(words, " ")
			p.GUID = fmt.Sprintf("%s-%d", p.GUID, again)
			p.URL = fmt.Sprintf("%s%d", p.URL, again)
		}
		p.Time = sampleStart.Add(24 * time.Hour * time.Duration(i) / time.Duration(n)).Truncate(time.Second)
		p.Gender = pick(rng, "", earshot.Male, earshot.Female)
		p.Place = places[rng.IntN(len(places))]
		rows[i] = Row{Post: &p, Arrived: earshot.Position(1 + i/1000), Ingested: sampleStart}
		for m := range 3 {
			if rng.IntN(20) == 0 {
				rows[i].Sets = append(rows[i].Sets, poststore.SetID(earshot.FirstID+m))
			}
		}
	}
	return rows
}

func readTweets(tb testing.TB) []earshot.Post {
	tb.Helper()
	file, err := os.Open(filepath.FromSlash("../../../../../shared/data/posts/twitter_posts.jsonl.gz"))
	if err != nil {
		testenv.SkipMissing(tb, fmt.Sprintf("no shared tweets: %v", err))
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		tb.Fatal(err)
	}
	var posts []earshot.Post
	for lines := bufio.NewScanner(unpacked); lines.Scan(); {
		posts = append(posts, readTweet(tb, lines.Bytes()))
	}
	// The file is sorted by author; posts of a day are mixed.
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(posts), func(i, j int) { posts[i], posts[j] = posts[j], posts[i] })
	return posts
}

func readTweet(tb testing.TB, line []byte) earshot.Post {
	tb.Helper()
	var t struct {
		GUID, URL, Author, Contents, Language, Location, EngagementType, EngagingWith string
		AuthorFollowers, AuthorFollowing, AuthorPosts                                 earshot.Count
	}
	if err := json.Unmarshal(line, &t); err != nil {
		tb.Fatal(err)
	}
	p := earshot.Post{
		Source: earshot.Twitter, GUID: t.GUID, URL: t.URL, Site: "twitter.com", Contents: t.Contents, Language: t.Language,
		Author: t.Author, AuthorUsername: t.Author, Location: t.Location, Engagement: earshot.Engagement(t.EngagementType),
		EngagingWith: t.EngagingWith, Followers: t.AuthorFollowers, Following: t.AuthorFollowing, AuthorPosts: t.AuthorPosts,
	}
	for word := range strings.FieldsSeq(strings.ToLower(p.Contents)) {
		switch name := strings.TrimRight(word[1:], ".,:;!?\"'"); {
		case name == "":
		case word[0] == '#':
			p.Hashtags = append(p.Hashtags, name)
		case word[0] == '@':
			p.Mentions = append(p.Mentions, name)
		}
	}
	return p
}

// writeSegment writes rows and opens the segment.
func writeSegment(tb testing.TB, rows []Row) *Segment {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "posts")
	if err := Write(path, rows, Options{}); err != nil {
		tb.Fatal(err)
	}
	return openSegment(tb, path)
}

func openSegment(tb testing.TB, path string) *Segment {
	tb.Helper()
	f, err := Open(path)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return f
}
