package memory_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/feedtest"
	"earshot/internal/state/feed/memory"
)

func TestFeed(t *testing.T) {
	feedtest.Run(t, func(*testing.T) feed.Feed { return memory.New() })
}

func TestArchive(t *testing.T) {
	feedtest.RunArchive(t, func(*testing.T) feed.Archive { return memory.New() })
}

func TestItemsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := memory.New()
		for p, post := range []string{"a", "b", "c"} {
			appendPost(t, f, p+1, post)
			time.Sleep(24 * time.Hour)
		}
		wait := feed.Retention - 3*24*time.Hour
		for _, want := range []int64{3, 2, 1, 0} {
			time.Sleep(wait - time.Second)
			wantPending(t, f, want)
			time.Sleep(time.Second + 1)
			wantPending(t, f, max(want-1, 0))
			wait = 24*time.Hour - 1
		}
		appendPost(t, f, 4, "d") // numbering starts over
		wantPending(t, f, 1)
	})
}

func TestAFollowerWaitsForItems(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := memory.New()
		began := time.Now()
		time.AfterFunc(time.Hour, func() { appendPost(t, f, 1, "a") })
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
		defer cancel()
		for p, err := range f.Follow(ctx, 1, feed.Cursor{}) {
			if err != nil || len(p.Items) != 1 || time.Since(began) != time.Hour {
				t.Errorf("got %+v, %v after %v, want an item after an hour", p, err, time.Since(began))
			}
		}
		if took := time.Since(began); took != 2*time.Hour {
			t.Errorf("it ended after %v, want two hours", took)
		}
	})
}

func appendPost(t *testing.T, f *memory.Feed, position int, post string) {
	t.Helper()
	p := earshot.Position(position)
	if err := f.Append(t.Context(), p, []feed.Run{{Stream: 1, Position: p, Items: []feed.Item{{Post: post}}}}); err != nil {
		t.Errorf("Append: %v", err)
	}
}

func wantPending(t *testing.T, f *memory.Feed, want int64) {
	t.Helper()
	if p, err := f.Read(t.Context(), 1, feed.Cursor{}, 10); err != nil || p.Pending != want || int64(len(p.Items)) != want {
		t.Errorf("after %v: got %d items of %d, %v, want %d", time.Now(), len(p.Items), p.Pending, err, want)
	}
}
