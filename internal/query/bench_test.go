package query

import (
	"strings"
	"testing"

	"earshot"
)

var benchmarkTexts = []struct{ name, text string }{
	{"ASCII", "Just tried the new @acme phone at the store on 5th Ave, and it's great! Battery lasts 2 days #tech #acme https://example.com/review-1"},
	{"curly", "Just tried the new @acme phone at the store on 5th Ave — and it’s great! Battery lasts 2 days… #tech 🔥 https://example.com/review-1"},
	{"Russian", "Хакеры из группы угрожают «продажным блогерам и чиновникам»: Ранее группа взломала почту главы. Сегодня об этом сообщили в новостях"},
	{"Japanese", "昨日、東京タワーに行ってきました。天気がとても良くて、富士山まで見えました。また行きたいです！ #東京タワー #旅行"},
}

func BenchmarkTokenize(b *testing.B) {
	for _, bb := range benchmarkTexts {
		b.Run(bb.name, func(b *testing.B) {
			p := &earshot.Post{Contents: bb.text}
			d := NewDocument(p)
			b.SetBytes(int64(len(bb.text)))
			b.ReportAllocs()
			for b.Loop() {
				d.Reset(p)
			}
		})
	}
}

// BenchmarkTokenizePosts tokenizes real posts: the tokenizer alone, and everything that is needed
// before queries can be matched.
func BenchmarkTokenizePosts(b *testing.B) {
	texts := readPosts(b, sharedPosts+"/twitter_posts.jsonl.gz", 1)
	posts := make([]earshot.Post, len(texts))
	size := 0
	for i, text := range texts {
		posts[i].Contents = text
		size += len(text)
	}
	run := func(name string, read func(*earshot.Post)) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(size / len(posts)))
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				read(&posts[i%len(posts)])
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "posts/s")
		})
	}
	var t tokenizer
	run("tokens", func(p *earshot.Post) {
		t.reset()
		t.tokenize(p.Contents)
	})
	d := NewDocument(&posts[0])
	run("document", d.Reset)
}

func BenchmarkMatch(b *testing.B) {
	d := NewDocument(&earshot.Post{Contents: benchmarkTexts[0].text})
	for _, bb := range []struct{ name, query string }{
		{"word", "phone"},
		{"phrase", `"new acme phone"`},
		{"absent", `(samsung OR apple OR nokia) AND phone NOT case`},
		{"20 terms", strings.Repeat("absent OR ", 19) + "store"},
	} {
		b.Run(bb.name, func(b *testing.B) {
			q := parse(b, bb.query)
			b.ReportAllocs()
			for b.Loop() {
				q.Match(d)
			}
		})
	}
}

func BenchmarkParse(b *testing.B) {
	const text = `("new york" OR nyc) AND (pizza OR "deep dish") NOT (chicago OR #sponsored)`
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(text); err != nil {
			b.Fatal(err)
		}
	}
}

func TestSteadyStateDoesNotAllocate(t *testing.T) {
	q := parse(t, `"new acme phone" OR 東京`)
	for _, tt := range benchmarkTexts {
		p := &earshot.Post{Title: tt.text, Contents: tt.text}
		d := NewDocument(p)
		if got := testing.AllocsPerRun(100, func() {
			d.Reset(p)
			q.Match(d)
		}); got != 0 {
			t.Errorf("%s: got %v allocations per post, want 0", tt.name, got)
		}
	}
}
