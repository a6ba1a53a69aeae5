package bench

import (
	"context"
	"runtime"
	"time"

	"earshot"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

// MatchFigures are posts against one number of monitors.
type MatchFigures struct {
	Monitors       int     `json:"monitors"`
	PostsPerSecond float64 `json:"postsPerSecond"` // tokenizing included
	MatchesPerPost float64 `json:"matchesPerPost"`
	BuildMS        float64 `json:"buildMs"` // to compile the list anew
}

// monitorCounts is how many monitors posts are matched against.
var monitorCounts = []int{1_000, 10_000, 100_000}

// matchedPosts bounds how many different posts are kept in memory for matching.
const matchedPosts = 50_000

// measureMatch matches posts with as many goroutines as there are cores.
func measureMatch(ctx context.Context, s *session) (any, error) {
	g := s.day()
	g.Count = min(s.count, matchedPosts)
	words := g.Words()
	posts := make([]earshot.Post, 0, g.Count)
	for p := range g.Posts() {
		posts = append(posts, p)
	}
	runtime.GOMAXPROCS(s.cpus)
	var figures []MatchFigures
	for _, n := range s.monitors {
		s.say("matching against %d monitors", n)
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f, err := matchAgainst(brands(words, n, s.seed), posts, s.cpus)
		if err != nil {
			return nil, err
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func matchAgainst(monitors []*earshot.Monitor, posts []earshot.Post, cpus int) (MatchFigures, error) {
	start := time.Now()
	list, problems := watchlist.New(monitors, 1)
	built := time.Since(start)
	if len(problems) > 0 {
		return MatchFigures{}, problems[0]
	}
	list = learned(list, posts)
	start = time.Now()
	matches := matchAll(list, posts, cpus)
	took := time.Since(start)
	return MatchFigures{
		Monitors:       len(monitors),
		PostsPerSecond: perSecond(len(posts), took),
		MatchesPerPost: float64(matches) / float64(len(posts)),
		BuildMS:        Milliseconds(built),
	}, nil
}

// learned matches posts once and files the list by what that showed, as the pipeline
// does little by little.
func learned(list *watchlist.List, posts []earshot.Post) *watchlist.List {
	matchAll(list, posts, 1)
	for next := list.Reindex(1000); next != list; next = list.Reindex(1000) {
		list = next
	}
	return list
}

// matchAll matches every post and returns how many monitors they had.
func matchAll(list *watchlist.List, posts []earshot.Post, cpus int) int {
	found := make(chan int)
	for worker := range cpus {
		go func() {
			var doc query.Document
			var ids []earshot.MonitorID
			matches := 0
			for i := worker; i < len(posts); i += cpus {
				doc.Reset(&posts[i])
				ids = list.Match(&doc, ids[:0])
				matches += len(ids)
			}
			found <- matches
		}()
	}
	matches := 0
	for range cpus {
		matches += <-found
	}
	return matches
}
