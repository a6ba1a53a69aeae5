package feedtest

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/state/feed"
)

func take(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b", "c"))
	add(t, f, 2, run(1, 2, "d"), run(2, 2, "x"))
	p := takeSome(t, f, 1, 2)
	wantPage(t, p, 4, "a", "b")
	wantQueue(t, f, 1, p.Next)
	wantPage(t, takeSome(t, f, 1, 10), 2, "c", "d")
	wantPage(t, takeSome(t, f, 1, 10), 0)
	add(t, f, 3, run(1, 3, "e"))
	wantPage(t, takeSome(t, f, 1, 10), 1, "e")
	wantPage(t, takeSome(t, f, 2, 10), 1, "x")
}

func takeNothing(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b"))
	wantPage(t, takeSome(t, f, 1, 0), 2)
	wantQueue(t, f, 1, feed.Cursor{})
	at := takeSome(t, f, 1, 5).Next
	p := takeSome(t, f, 1, 5)
	wantPage(t, p, 0)
	wantCursor(t, "Next", p.Next, at)
	wantQueue(t, f, 1, at)
}

func takeTogether(t *testing.T, f feed.Feed) { TakeTogether(t, f, f) }

// TakeTogether takes items concurrently through two handles of the same feed, also during appends,
// and expects each item to be taken once.
func TakeTogether(t *testing.T, a, b feed.Feed) {
	const takers, appends, each = 4, 20, 7
	var (
		mu    sync.Mutex
		taken []string
		wg    sync.WaitGroup
		done  = make(chan struct{})
	)
	for n := range takers {
		f := []feed.Feed{a, b}[n%2]
		wg.Go(func() {
			for last := false; ; {
				p, err := f.Take(t.Context(), 1, 3+n)
				if err != nil {
					t.Errorf("Take: %v", err)
					return
				}
				mu.Lock()
				taken = append(taken, posts(p.Items)...)
				mu.Unlock()
				if last && len(p.Items) == 0 {
					return
				}
				select {
				case <-done:
					last = true
				default:
				}
			}
		})
	}
	var want []string
	for i := range appends {
		items := numbered(i*each, each)
		want = append(want, items...)
		add(t, a, earshot.Position(i+1), run(1, earshot.Position(i+1), items...))
	}
	close(done)
	wg.Wait()
	slices.Sort(taken)
	slices.Sort(want)
	if !slices.Equal(taken, want) {
		t.Errorf("%d items were taken, want each of %d once", len(taken), len(want))
	}
}

func drop(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a", "b", "c"))
	add(t, f, 2, run(1, 2, "d", "e"))
	wantDropped(t, f, 1, 0, 0)
	wantDropped(t, f, 1, 1, 1)
	wantPage(t, takeSome(t, f, 1, 1), 4, "b")
	wantDropped(t, f, 1, 2, 2)
	wantPage(t, takeSome(t, f, 1, 1), 1, "e")
	wantDropped(t, f, 1, 1, 0)
	add(t, f, 3, run(1, 3, "f", "g"))
	wantDropped(t, f, 1, 5, 2)
	add(t, f, 4, run(1, 4, "h", "i"))
	wantDropped(t, f, 1, -1, 2)
	wantPage(t, takeSome(t, f, 1, 10), 0)
	wantPage(t, read(t, f, 1, feed.Cursor{}, 1), 9, "a") // all items are still readable
}

func dropFar(t *testing.T, f feed.Feed) {
	total := 0
	for p := range earshot.Position(40) {
		n := 1 + int(p)*7%5
		add(t, f, p+1, run(1, p+1, numbered(total, n)...), run(2, p+1, "other"))
		total += n
	}
	at := 0
	for _, n := range []int{3, 1, 20, 0, 30, 2, 9} {
		wantDropped(t, f, 1, int64(n), int64(n))
		at += n
		wantPage(t, takeSome(t, f, 1, 1), int64(total-at), fmt.Sprint(at))
		at++
	}
	wantDropped(t, f, 1, int64(total), int64(total-at))
}

func repeat(t *testing.T, f feed.Feed) {
	for range 3 {
		add(t, f, 2, run(1, 1, "a", "b"), run(1, 2, "c"), run(2, 2, "x"))
	}
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 3, "a", "b", "c")
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 1, "x")
}

func partialRepeat(t *testing.T, f feed.Feed) {
	add(t, f, 1, run(1, 1, "a"))
	add(t, f, 3, run(1, 1, "a"), run(2, 1, "x"), run(1, 2, "b"), run(1, 3, "c"))
	add(t, f, 4, run(2, 1, "x"), run(1, 3, "c"), run(1, 4, "d"))
	wantPage(t, read(t, f, 1, feed.Cursor{}, 10), 4, "a", "b", "c", "d")
	wantPage(t, read(t, f, 2, feed.Cursor{}, 10), 1, "x")
}

func longRun(t *testing.T, f feed.Feed) {
	items := numbered(0, 350)
	for range 2 {
		add(t, f, 2, run(1, 1, "first"), run(1, 2, items...))
	}
	add(t, f, 3, run(1, 3, "last"))
	all := slices.Concat([]string{"first"}, items, []string{"last"})
	wantPage(t, read(t, f, 1, feed.Cursor{}, 1000), 352, all...)
	wantPage(t, takeSome(t, f, 1, 120), 352, all[:120]...)
	wantDropped(t, f, 1, 200, 200)
	wantPage(t, takeSome(t, f, 1, 1000), 32, all[320:]...)
}
