package api

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/workspace/postview"
)

// marshalStd returns the JSON that encoding/json produces for v, with the settings of responses.
func marshalStd(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// TestPostsMatchEncodingJSON compares the hand-written JSON of responses with random posts to the
// JSON that encoding/json produces.
func TestPostsMatchEncodingJSON(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s := &postview.Service{ForClients: pick(rng, true, false), Restricted: pick(rng, nil, []earshot.Source{earshot.Twitter, earshot.Tumblr})}
		m := randomMonitor(rng)
		posts := make([]earshot.Post, rng.IntN(5))
		for i := range posts {
			posts[i] = randomPost(rng)
		}
		r := s.NewRenderer(postview.Options{Monitor: m})
		want := postsResponse{Posts: make([]postview.Post, len(posts)), TotalPostsAvailable: rng.Int64()}
		for i := range posts {
			r.Render(&want.Posts[i], &posts[i])
		}
		var got bytes.Buffer
		if err := writePosts(&got, s.NewRenderer(postview.Options{Monitor: m}), posts, want.TotalPostsAvailable); err != nil {
			t.Fatal(err)
		}
		if got.String() != marshalStd(t, want) {
			t.Fatalf("seed %d:\ngot  %s\nwant %s", seed, got.String(), marshalStd(t, want))
		}
	}
}

func pick[T any](rng *rand.Rand, of ...T) T { return of[rng.IntN(len(of))] }

func randomMonitor(rng *rand.Rand) *earshot.Monitor {
	m := &earshot.Monitor{Type: pick(rng, earshot.Buzz, earshot.Opinion), Timezone: pick(rng, "UTC", "Asia/Kolkata")}
	for _, name := range earshot.BasicCategories {
		m.Categories = append(m.Categories, earshot.Category{ID: earshot.CategoryID(rng.Int64N(1 << 53)), Name: name})
	}
	for range pick(rng, 0, len(earshot.BasicEmotions)) {
		m.Emotions = append(m.Emotions, earshot.Category{ID: earshot.CategoryID(rng.Int64N(1 << 53)), Name: randomText(rng)})
	}
	return m
}

func randomPost(rng *rand.Rand) earshot.Post {
	text := func() string { return pick(rng, "", randomText(rng)) }
	count := func() earshot.Count {
		return pick(rng, earshot.Count{}, earshot.Counted(0), earshot.Counted(rng.Int64N(1<<40)))
	}
	p := earshot.Post{
		Source: pick(rng, earshot.Twitter, earshot.Tumblr, earshot.News, "Müller & \"Söhne\""), URL: text(),
		Time:  time.Unix(rng.Int64N(4e9), rng.Int64N(1e9)),
		Title: text(), Contents: text(), Language: pick(rng, "", "en"), Author: text(), AuthorUsername: text(), AuthorProfileID: text(),
		Gender: pick(rng, "", earshot.Male), Location: text(),
		Place: pick(rng, earshot.Place{}, earshot.Place{Country: "DEU"}, earshot.Place{Country: "USA", State: "CA", City: "San Diego"}, earshot.Place{Country: text(), City: text()}),
		Klout: count(), AuthorPosts: count(), Following: count(), Followers: count(),
	}
	if rng.IntN(3) > 0 {
		for i := range p.Sentiment {
			p.Sentiment[i] = earshot.Percent(rng.IntN(101))
		}
		for i := range p.Emotion {
			p.Emotion[i] = earshot.Percent(rng.IntN(101))
		}
	}
	for range rng.IntN(3) {
		i := earshot.Image{URL: text()}
		for range rng.IntN(3) {
			i.Brands = append(i.Brands, earshot.ImageBrand{ID: text(), Name: text(), Size: text(), Score: rng.Float64()})
			i.Objects = append(i.Objects, earshot.ImageObject{Score: rng.NormFloat64(), ClassID: rng.Int64() - 1<<62, ClassName: text()})
		}
		p.Images = append(p.Images, i)
	}
	return p
}

// randomText returns text with every kind of character that JSON escapes.
func randomText(rng *rand.Rand) string {
	pieces := []string{"plain text ", `"`, `\`, "<b>&amp;</b>", "\x00\x1f\b\f\n\r\t\x7f", "\u2028\u2029", "é東👍🏽", "\xff\xc3", "\ufffd", "/"}
	var b strings.Builder
	for range 1 + rng.IntN(6) {
		b.WriteString(pick(rng, pieces...))
	}
	return b.String()
}
