package enrich

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"os"
	"testing"

	"earshot"
)

// BenchmarkRealPosts runs all steps on distinct real posts, so that table lookups rarely hit the
// CPU caches.
func BenchmarkRealPosts(b *testing.B) {
	posts := realPosts(b, "../../../../shared/data/posts/twitter_posts.jsonl.gz", 20_000)
	e := New()
	steps := []struct {
		name string
		run  func(*earshot.Post)
	}{
		{"all", e.Post},
		{"facts", Facts().Post},
		{"language", builtinModels().fillLanguage},
		{"place", fillPlace},
		{"person", builtinModels().fillDemographics},
		{"sentiment", func(p *earshot.Post) { builtinModels().fillSentiment(p, e.domain(p)) }},
		{"interests", builtinModels().fillInterests},
	}
	for _, step := range steps {
		b.Run(step.name, func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				p := posts[i%len(posts)]
				if step.name != "all" && step.name != "language" {
					p.Language = "en"
				}
				step.run(&p)
			}
		})
	}
}

// realPosts returns posts from a JSON lines file, without their stated attributes.
func realPosts(b *testing.B, path string, n int) []earshot.Post {
	f, err := os.Open(path)
	if err != nil {
		b.Skipf("no real posts: %v", err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		b.Fatal(err)
	}
	var posts []earshot.Post
	for lines := bufio.NewScanner(unpacked); len(posts) < n && lines.Scan(); {
		var line struct{ GUID, URL, Author, Contents, Location string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			b.Fatal(err)
		}
		posts = append(posts, earshot.Post{
			Source: earshot.Twitter, GUID: line.GUID, URL: line.URL, Author: line.Author, Contents: line.Contents, Location: line.Location,
		})
	}
	return posts
}
