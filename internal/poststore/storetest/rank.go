package storetest

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

var rankCases = []testCase{
	{"posts are ranked by time, engagement and reach", func(s *subject) {
		s.addRanked()
		s.wantRanked(poststore.Ranking{Order: poststore.NewestFirst}, "c1 b1 a1 d1")
		s.wantRanked(poststore.Ranking{Order: poststore.OldestFirst}, "d1 a1 b1 c1")
		s.wantRanked(poststore.Ranking{Order: poststore.MostEngagement}, "b1 c1 a1 d1")
		s.wantRanked(poststore.Ranking{Order: poststore.MostReach}, "d1 a1 c1 b1")
	}},
	{"posts are ranked by relevance: different terms first, then occurrences, then brevity", func(s *subject) {
		for i, text := range []string{
			"coffee", "Coffee and milk", "coffee milk", "coffee, coffee and coffee with a lot of other words around it", "tea",
			"a lot of other words in front, and then https://coffee.example/milk", "#coffee $milk café",
		} {
			s.add(post(fmt.Sprint("p", i), func(p *earshot.Post) { p.Contents = text }))
		}
		s.wantRanked(poststore.Ranking{Order: poststore.MostRelevant, Terms: []string{"coffee", "milk", "cafe"}}, "p61 p21 p11 p31 p01 p51 p41", "p61 p21 p11 p31 p01 p41 p51")
		s.wantRanked(poststore.Ranking{Order: poststore.MostRelevant, Terms: []string{"cafe"}, Limit: 1}, "p61")
	}},
	{"a position continues a list, even if its post is gone", func(s *subject) {
		for day := range 9 {
			s.add(custom(3, fmt.Sprint(day), func(p *earshot.Post) {
				p.Time, p.Likes = noon.AddDate(0, 0, day), earshot.Counted(int64(day/3))
			}))
		}
		r := poststore.Ranking{Order: poststore.MostEngagement, Limit: 4}
		var got []string
		for range 4 {
			page, err := s.Rank(s.ctx(), poststore.Selection{}, r)
			s.check(err)
			if len(page.Posts) == 0 {
				break
			}
			for _, p := range page.Posts {
				got = append(got, p.Post.GUID)
			}
			r.After = &page.Posts[len(page.Posts)-1].Position
			s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{got[len(got)-1]}})
		}
		if want := strings.Fields("8 7 6 5 4 3 2 1 0"); !slices.Equal(got, want) {
			s.Errorf("got %v, want %v", got, want)
		}
	}},
	{"only selected posts are ranked, and the total counts all of them", func(s *subject) {
		s.addFruit()
		ranked, err := s.Rank(s.ctx(), poststore.Selection{Set: 1}, poststore.Ranking{})
		s.check(err)
		_, total, err := s.Posts(s.ctx(), poststore.Selection{Set: 1}, 0)
		s.check(err)
		if len(ranked.Posts) != 0 || ranked.Total != total || ranked.Groups != total {
			s.Errorf("got %+v, want no posts of %d", ranked, total)
		}
	}},
	{"reposts and edited texts are grouped with their original", func(s *subject) {
		texts := []string{
			"The new machine makes the best coffee in the whole town today",
			"RT @ann: the new machine makes the best coffee in the whole town today https://t.co/1",
			"the new machine makes the best coffee in the whole city today",
			"Wow! The new machine makes the best coffee in the whole town today",
			"the old machine makes bad tea, and nobody in the whole town likes it",
			"good morning", "Good morning!", "good evening", "", "https://example.com/picture",
		}
		for i, text := range texts {
			s.add(post(fmt.Sprint(i, "x"), func(p *earshot.Post) {
				p.Contents, p.Time, p.Likes = text, noon.AddDate(0, 0, i), earshot.Counted(int64(i%3))
			}))
		}
		s.wantRanked(poststore.Ranking{Order: poststore.OldestFirst, Group: true}, "0x4 4x1 5x2 7x1 8x1 9x1")
		s.wantRanked(poststore.Ranking{Order: poststore.MostEngagement, Group: true}, "8x1 5x2 2x4 7x1 4x1 9x1")
		s.wantRanked(poststore.Ranking{Order: poststore.NewestFirst, Group: true, Limit: 3}, "9x1 8x1 7x1")
		of, alone, unknown := twitter("1x"), twitter("7x"), twitter("none")
		s.wantRanked(poststore.Ranking{Order: poststore.OldestFirst, Group: true, GroupOf: &of}, "0x4 1x4 2x4 3x4")
		s.wantRanked(poststore.Ranking{Order: poststore.MostEngagement, Group: true, GroupOf: &of, Limit: 2}, "2x4 1x4")
		s.wantRanked(poststore.Ranking{Group: true, GroupOf: &alone}, "7x1")
		s.wantRanked(poststore.Ranking{Group: true, GroupOf: &unknown}, "")
	}},
	{"groups have the same posts regardless of the order in which they arrive", func(s *subject) {
		var want string
		for round := range 3 {
			for i := range 10 {
				s.add(inGroup((i*7+round*13)%40), inGroup(((i+10)*7+round*13)%40), inGroup(((i+20)*7+round*13)%40), inGroup(((i+30)*7+round*13)%40))
			}
			ranked, err := s.Rank(s.ctx(), poststore.Selection{}, poststore.Ranking{Order: poststore.OldestFirst, Limit: 100, Group: true})
			s.check(err)
			if got := spellRanked(ranked); round > 0 && got != want {
				s.Errorf("got groups %q, want %q", got, want)
			} else {
				want = got
			}
		}
	}},
	{"groups follow changes of their posts", func(s *subject) {
		text := func(guid, contents string, day int) poststore.MatchedPost {
			return custom(3, guid, func(p *earshot.Post) { p.Contents, p.Time = contents, noon.AddDate(0, 0, day) })
		}
		r := poststore.Ranking{Order: poststore.OldestFirst, Group: true}
		s.add(text("a", "good morning", 0), text("b", "good morning", 1), text("c", "good evening", 2))
		s.wantRanked(r, "a2 c1")
		s.add(text("c", "good morning", 2)) // replaces it
		s.wantRanked(r, "a3")
		s.remove(earshot.Deletion{ContentSource: 3, GUIDs: []string{"a"}})
		s.wantRanked(r, "b2")
		s.add(text("d", "good evening", 3))
		s.wantRanked(r, "b2 d1")
	}},
	{"a ranking that cannot be answered is an error", func(s *subject) {
		for _, r := range []poststore.Ranking{{Limit: -1}, {Order: -1}, {Order: poststore.MostRelevant + 1}, {GroupOf: new(earshot.PostKey)}} {
			if _, err := s.Rank(s.ctx(), poststore.Selection{}, r); err == nil {
				s.Errorf("%+v: got no error", r)
			}
		}
	}},
	{"a sample has the complete posts with the lowest hashes", func(s *subject) {
		for range 4 {
			s.add(s.batch(50)...)
		}
		all, _, err := s.Posts(s.ctx(), poststore.Selection{Set: 1}, 1000)
		s.check(err)
		slices.SortFunc(all, func(a, b earshot.Post) int {
			return int(enginekit.SampleHash(a.Key())>>33) - int(enginekit.SampleHash(b.Key())>>33)
		})
		for _, sample := range []int{0, 1, 7, 200, 1000} {
			var got []earshot.Post
			n, err := s.Sample(s.ctx(), poststore.Selection{Set: 1}, sample, func(p *earshot.Post) { got = append(got, *p) })
			s.check(err)
			want := slices.Clone(all[:min(sample, len(all))])
			for _, list := range [][]earshot.Post{got, want} {
				slices.SortFunc(list, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
			}
			if describe(got) != describe(want) || n != 200 {
				s.Errorf("sample of %d: got %d posts of %d, want %d of 200", sample, len(got), n, len(want))
			}
		}
		if _, err := s.Sample(s.ctx(), poststore.Selection{}, -1, func(*earshot.Post) {}); err == nil {
			s.Error("negative sample: got no error")
		}
	}},
}

// addRanked adds posts that differ in all orders.
func (s *subject) addRanked() {
	s.Helper()
	s.add(
		post("a", func(p *earshot.Post) {
			p.Time, p.Likes, p.Followers = noon.AddDate(0, 0, 2), earshot.Counted(2), earshot.Counted(10)
		}),
		post("b", func(p *earshot.Post) {
			p.Time, p.Shares, p.Comments, p.Replies, p.Retweets = noon.AddDate(0, 0, 3), earshot.Counted(1), earshot.Counted(1), earshot.Counted(1), earshot.Counted(1)
			p.Views = earshot.Counted(100)
		}),
	)
	s.add(
		post("c", func(p *earshot.Post) {
			p.Time, p.Likes, p.Followers = noon.AddDate(0, 0, 4), earshot.Counted(2), earshot.Counted(0)
		}),
		post("d", func(p *earshot.Post) { p.Time, p.Followers = noon.AddDate(0, 0, 1), earshot.Counted(11) }),
	)
}

// wantRanked checks the guid and the number of copies of each post, in order. Posts whose order is
// arbitrary have several wanted orders. A limit of 0 means all posts.
func (s *subject) wantRanked(r poststore.Ranking, want ...string) {
	s.Helper()
	if r.Limit == 0 {
		r.Limit = 1000
	}
	ranked, err := s.Rank(s.ctx(), poststore.Selection{}, r)
	s.check(err)
	if got := spellRanked(ranked); !slices.Contains(want, got) {
		s.Errorf("%+v: got %q, want %q", r, got, want)
	}
}

func spellRanked(r poststore.Ranked) string {
	var all []string
	for _, p := range r.Posts {
		all = append(all, fmt.Sprint(p.Post.GUID, p.Copies))
	}
	return strings.Join(all, " ")
}

// inGroup returns a post with a text that is similar to others.
func inGroup(n int) poststore.MatchedPost {
	return custom(3, fmt.Sprint(n), func(p *earshot.Post) {
		p.Time = noon.AddDate(0, 0, n)
		p.Contents = fmt.Sprint("a text of several words that differs a little in number ", n%4, " of ", n%10, " words")
	})
}
