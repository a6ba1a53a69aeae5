package bench

import (
	"context"
	"runtime"
	"time"

	"earshot"
	"earshot/internal/parallel"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// A MatchResult is the cost of matching posts against a number of monitors.
type MatchResult struct {
	Monitors       int     `json:"monitors"`
	PostsPerSecond float64 `json:"postsPerSecond"` // including tokenization
	MatchesPerPost float64 `json:"matchesPerPost"`
	BuildMS        float64 `json:"buildMs"` // to compile a new list
}

// monitorCounts lists the numbers of monitors that posts are matched against.
var monitorCounts = []int{1_000, 10_000, 100_000}

// matchedPosts limits the number of posts that are kept in memory for matching.
const matchedPosts = 50_000

// measureMatch matches posts with one goroutine per core.
func measureMatch(ctx context.Context, s *session) (any, error) {
	g := s.day()
	g.Count = min(s.count, matchedPosts)
	words := g.Words()
	posts := make([]earshot.Post, 0, g.Count)
	for p := range g.Posts() {
		posts = append(posts, p)
	}
	runtime.GOMAXPROCS(s.cpus)
	var result []MatchResult
	for _, n := range s.monitors {
		s.logf("matching against %d monitors", n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := matchAgainst(brands(words, n, s.seed), posts, s.cpus)
		if err != nil {
			return nil, err
		}
		result = append(result, f)
	}
	return result, nil
}

func matchAgainst(monitors []*earshot.Monitor, posts []earshot.Post, cpus int) (MatchResult, error) {
	start := time.Now()
	list, problems := watchlist.New(monitors, 1)
	built := time.Since(start)
	if len(problems) > 0 {
		return MatchResult{}, problems[0]
	}
	list = reindex(list, posts)
	start = time.Now()
	matches := matchAll(list, posts, cpus)
	took := time.Since(start)
	return MatchResult{
		Monitors:       len(monitors),
		PostsPerSecond: perSecond(len(posts), took),
		MatchesPerPost: float64(matches) / float64(len(posts)),
		BuildMS:        Milliseconds(built),
	}, nil
}

// reindex matches posts once and reindexes the list by the observed frequencies, as the pipeline
// does in small steps.
func reindex(list *watchlist.List, posts []earshot.Post) *watchlist.List {
	matchAll(list, posts, 1)
	for next := list.Reindex(1000); next != list; next = list.Reindex(1000) {
		list = next
	}
	return list
}

// matchAll matches every post and returns the total number of matches.
func matchAll(list *watchlist.List, posts []earshot.Post, cpus int) (total int) {
	matches := make([]int, cpus)
	_ = parallel.For(context.Background(), cpus, cpus, func(_ context.Context, worker int) error {
		var doc query.Document
		var ids []earshot.MonitorID
		for i := worker; i < len(posts); i += cpus {
			doc.Reset(&posts[i])
			ids = list.Match(&doc, ids[:0])
			matches[worker] += len(ids)
		}
		return nil
	}) // never fails
	for _, n := range matches {
		total += n
	}
	return total
}
