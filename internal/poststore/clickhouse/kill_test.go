package clickhouse

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/poststore/memory"
	"earshot/internal/test/testenv"
)

// TestKilledEngine kills the engine with SIGKILL while it executes a statement of a write, and starts
// it again. Every acknowledged batch must be there, once, and every other batch either completely or
// not at all.
func TestKilledEngine(t *testing.T) {
	kills := 4
	if testenv.Long() {
		kills = 100
	}
	r := rand.New(rand.NewPCG(1, 2))
	engine := chtest.Start(t, t.TempDir())
	server := engine.Open(t)
	proxy := newFlakyProxy(t, server.URL)
	proxy.broken = func() { engine.Kill(t) }
	reference := memory.New()
	s := reopen(t, proxy, server.Database, true)
	var at earshot.Position
	for kill := range kills {
		for range r.IntN(3) {
			at++
			posts := killedPosts(r, at)
			check(t, s.Append(t.Context(), at, posts))
			check(t, reference.Append(t.Context(), at, posts))
		}
		at++
		posts := killedPosts(r, at)
		proxy.breakAfter(int64(r.IntN(8)), true)
		err := s.Append(t.Context(), at, posts)
		proxy.heal()
		engine.Restart(t)
		s = reopen(t, proxy, server.Database, false)
		position, positionErr := s.Position(t.Context())
		check(t, positionErr)
		if err == nil && position != at {
			t.Fatalf("kill %d: position %d was acknowledged, but the store is at %d", kill, at, position)
		}
		check(t, s.Append(t.Context(), at, posts)) // as the journal delivers it again
		check(t, reference.Append(t.Context(), at, posts))
		if got, want := summary(t, s), summary(t, reference); got != want {
			t.Fatalf("kill %d (error: %v): got\n%swant\n%s", kill, err, got, want)
		}
	}
}

// killedPosts returns a batch in which some posts replace earlier ones.
func killedPosts(r *rand.Rand, at earshot.Position) (posts []poststore.MatchedPost) {
	for range 1 + r.IntN(20) {
		posts = append(posts, poststore.MatchedPost{
			Post: earshot.Post{
				Source: earshot.Twitter, GUID: fmt.Sprint(r.IntN(60)), Contents: fmt.Sprint("text ", at), Likes: earshot.Counted(int64(at)),
				Time: time.Date(2024, 3, 1+r.IntN(28), 12, 0, 0, 0, time.UTC),
			},
			Sets: []poststore.SetID{poststore.SetID(1 + r.IntN(3)), poststore.CategorySet(1, 0)},
		})
	}
	return posts
}
