package storetest

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
)

var contextCases = []testCase{
	{"a call with a canceled context changes nothing and returns its error", func(s *subject) {
		s.add(custom(3, "a", nil))
		ctx, cancel := context.WithCancel(s.ctx())
		cancel()
		_, _, postsErr := s.Posts(ctx, poststore.Selection{}, 10)
		_, tallyErr := poststore.TallyOne(ctx, s, poststore.Selection{}, poststore.Tally{})
		_, findErr := s.Find(ctx, []earshot.PostKey{{ContentSource: 3, GUID: "a"}})
		_, wordsErr := s.Words(ctx, poststore.Selection{}, 10, func([]poststore.Word) {})
		_, rankErr := s.Rank(ctx, poststore.Selection{}, poststore.Ranking{Limit: 10, Group: true})
		_, sampleErr := s.Sample(ctx, poststore.Selection{}, 10, func(*earshot.Post) {})
		_, similarErr := s.Similar(ctx, poststore.Selection{}, "apple", 1, 10)
		_, histogramErr := s.Histogram(ctx, poststore.Selection{}, marchDays)
		_, changedErr := s.Changed(ctx, 1, marchDays)
		for name, err := range map[string]error{
			"Append":         s.Append(ctx, 2, []poststore.MatchedPost{post("b", nil)}),
			"Delete":         s.Delete(ctx, 2, earshot.Deletion{ContentSource: 3}),
			"AddSnapshots":   s.AddSnapshots(ctx, 2, 1, []earshot.Snapshot{figures(1, 10)}),
			"Rematch":        s.Rematch(ctx, poststore.Rematch{Rules: poststore.Rules{1: {Where: s.compile(earshot.Criteria{Keywords: "apple"}), UpTo: earshot.EndOfJournal}}}),
			"Reinfer":        s.Reinfer(ctx, poststore.Reinfer{Models: 1, Infer: func(posts []earshot.Post) { inferAll(posts, 1) }}),
			"Posts":          postsErr,
			"TallyOne":       tallyErr,
			"Find":           findErr,
			"Words":          wordsErr,
			"Rank":           rankErr,
			"Sample":         sampleErr,
			"Similar":        similarErr,
			"Histogram":      histogramErr,
			"Changed":        changedErr,
			"CounterChanges": s.CounterChanges(ctx, 1, noon, noon.Add(time.Hour), func(poststore.CounterChange) {}),
		} {
			if !errors.Is(err, context.Canceled) {
				s.Errorf("%s: got error %v, want %v", name, err, context.Canceled)
			}
		}
		s.wantPosts(poststore.Selection{}, "a")
		s.wantRows(poststore.Tally{By: []poststore.Dim{poststore.ByLanguage}})
		s.wantPosition(1)
	}},
	{"concurrent queries see complete batches", func(s *subject) {
		const batches, size = 15, 20
		whole := func(posts int64) bool { return posts%size == 0 }
		s.whileQuerying(whole, func() {
			for range batches {
				s.add(s.batch(size)...)
			}
		})
		s.wantCount(poststore.Selection{Set: 1}, batches*size)
	}},
	{"a query sees a replaced post once, on its old or its new day", func(s *subject) {
		s.add(postAt("a", "2024-03-01T12:00:00Z", 1))
		once := func(posts int64) bool { return posts == 1 }
		s.whileQuerying(once, func() {
			for n := range 15 {
				s.add(postAt("a", fmt.Sprintf("2024-03-%02dT12:00:00Z", n%28+1), 1))
			}
		})
	}},
}

// batch returns posts for the next position, spread over several days.
func (s *subject) batch(size int) []poststore.MatchedPost {
	posts := make([]poststore.MatchedPost, size)
	for i := range posts {
		posts[i] = postAt(fmt.Sprint(s.at, "-", i), fmt.Sprintf("2024-03-%02dT12:00:00Z", i%28+1), 1)
	}
	return posts
}

// whileQuerying runs change while several goroutines count the posts of monitor 1 and check each
// count.
func (s *subject) whileQuerying(valid func(posts int64) bool, change func()) {
	s.Helper()
	var asking sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		asking.Go(func() { s.queryUntil(done, valid) })
	}
	change()
	close(done)
	asking.Wait()
}

func (s *subject) queryUntil(done <-chan struct{}, valid func(posts int64) bool) {
	for {
		rows, err := poststore.TallyOne(s.ctx(), s, poststore.Selection{Set: 1}, poststore.Tally{})
		if err != nil {
			s.Error(err)
			return
		}
		if !valid(rows[0].Posts) {
			s.Errorf("got %d posts, which the store never had at any one time", rows[0].Posts)
			return
		}
		select {
		case <-done:
			return
		default:
		}
	}
}
