package storetest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

var wordCases = []testCase{
	{"words are from title and contents, in lower case, with counts", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Title, p.Contents, p.Bio = "The Café", "the café, THE cafe!", "not this" }))
		s.wantWords(poststore.Selection{}, 10, "cafe 1, café 2, the 3")
	}},
	{"tags have their sigil, and a tag of several words is one word", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) { p.Contents = "#Fruit fruit @ann $ACME #東京タワー 東京 #a-b" }))
		s.wantWords(poststore.Selection{}, 10, s.wordsOf("#Fruit fruit @ann $ACME #東京タワー 東京 #a-b"))
		for _, word := range []string{"#fruit 1", "fruit 1", "@ann 1", "$acme 1", "#東京タワー 1"} {
			if got := s.wordsOf("#Fruit fruit @ann $ACME #東京タワー 東京 #a-b"); !strings.Contains(got, word) {
				s.Errorf("got %q, want %q in it", got, word)
			}
		}
	}},
	{"tokens of URLs are omitted, but similar words are not", func(s *subject) {
		s.add(
			post("a", func(p *earshot.Post) {
				p.Title, p.Contents = "see https://example.com/a", "WWW.Example.com/b and HTTP://x.y?z#w now"
			}),
			post("b", func(p *earshot.Post) { p.Contents = "http is www and example.com https" }),
			post("c", func(p *earshot.Post) { p.Contents = "https://example.com" }),
		)
		s.wantWords(poststore.Selection{}, 10, "", "and 1, com 1, example 1, http 1, https 1, is 1, www 1", "and 1, now 1, see 1")
	}},
	{"a post without words counts toward the total", func(s *subject) {
		s.add(post("a", nil), post("b", func(p *earshot.Post) { p.Contents = "..." }))
		s.wantWords(poststore.Selection{}, 10, "", "")
	}},
	{"only the first words of a long text count", func(s *subject) {
		s.add(post("a", func(p *earshot.Post) {
			p.Title, p.Contents = "first https://example.com/a", strings.Repeat("#b c ", poststore.MaxWords/2)
		}))
		s.wantWords(poststore.Selection{}, 10, fmt.Sprintf("#b %d, c %d, first 1", poststore.MaxWords/2, poststore.MaxWords/2-1))
	}},
	{"words are from the selected posts only", func(s *subject) {
		s.addFruit()
		s.wantWords(poststore.Selection{Set: 1, Where: s.compile(earshot.Criteria{Keywords: "pear"})}, 10, "a 2, pear 1, week 1")
		s.wantWords(poststore.Selection{Set: 99}, 10)
	}},
	{"a sample has the posts with the lowest hashes, and the total counts all", func(s *subject) {
		for range 4 {
			batch := s.batch(50)
			for i := range batch {
				batch[i].Post.Contents = "word" + batch[i].Post.GUID
			}
			s.add(batch...)
		}
		all, _, err := s.Posts(s.ctx(), poststore.Selection{Set: 1}, 1000)
		s.check(err)
		slices.SortFunc(all, func(a, b earshot.Post) int {
			return int(enginekit.SampleHash(a.Key())>>33) - int(enginekit.SampleHash(b.Key())>>33)
		})
		for _, sample := range []int{0, 1, 7, 199, 200, 1000} {
			var want []string
			for _, p := range all[:min(sample, len(all))] {
				want = append(want, s.wordsOf(p.Contents))
			}
			s.wantSample(poststore.Selection{Set: 1}, sample, 200, want...)
		}
	}},
	{"a negative sample is an error", func(s *subject) {
		if _, err := s.Words(s.ctx(), poststore.Selection{}, -1, func([]poststore.Word) {}); err == nil {
			s.Error("got no error")
		}
	}},
	{"words are up to date after posts are replaced, deleted or reinferred", func(s *subject) {
		s.add(custom(3, "a", func(p *earshot.Post) { p.Contents = "old" }), custom(3, "b", func(p *earshot.Post) { p.Contents = "deleted" }))
		s.add(custom(3, "a", func(p *earshot.Post) { p.Contents = "new" }))
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"b"}})
		s.reinfer(2)
		s.wantWords(poststore.Selection{}, 10, "new 1")
	}},
}

// wordsOf returns the words of a post with the given contents, formatted as for wantWords.
func (s *subject) wordsOf(contents string) string {
	return spellWords(enginekit.WordsOf(&earshot.Post{Contents: contents}, new(query.Document)))
}

func spellWords(words []poststore.Word) string {
	counts := map[string]int{}
	for _, w := range words {
		counts[w.Text] += w.Count
	}
	var spelled []string
	for _, text := range slices.Sorted(maps.Keys(counts)) {
		spelled = append(spelled, fmt.Sprint(text, " ", counts[text]))
	}
	if len(counts) < len(words) {
		spelled = append(spelled, "with duplicates")
	}
	return strings.Join(spelled, ", ")
}

// wantWords checks the words of all selected posts.
func (s *subject) wantWords(of poststore.Selection, sample int, want ...string) {
	s.Helper()
	s.wantSample(of, sample, int64(len(want)), want...)
}

// wantSample checks the words of posts, in any order, and the total number of posts.
func (s *subject) wantSample(of poststore.Selection, sample int, total int64, want ...string) {
	s.Helper()
	got := []string{}
	n, err := s.Words(s.ctx(), of, sample, func(words []poststore.Word) { got = append(got, spellWords(words)) })
	s.check(err)
	slices.Sort(got)
	if slices.Sort(want); !slices.Equal(got, want) || n != total {
		s.Errorf("got %q of %d posts, want %q of %d", got, n, want, total)
	}
}
