package journaltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

func appendPost(t *testing.T, j journal.Journal, guid string) earshot.Position {
	t.Helper()
	p, err := j.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: guid}}})
	if err != nil {
		t.Errorf("Append: %v", err)
	}
	return p
}

// randomPosts returns n posts with about size bytes of text that compresses poorly.
func randomPosts(n, size int) []earshot.Post {
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	r := rand.New(rand.NewPCG(1, 2))
	posts := make([]earshot.Post, n)
	text := make([]byte, size)
	for i := range posts {
		for k := range text {
			text[k] = letters[r.IntN(len(letters))]
		}
		posts[i] = earshot.Post{Source: earshot.News, GUID: fmt.Sprint(i), Contents: string(text)}
	}
	return posts
}

// reader returns a function that waits for the next entry of a loop from the beginning, which ends
// with the test.
func reader(t *testing.T, j journal.Journal) func() *journal.Batch { return readerAfter(t, j, 0) }

// readerAfter is reader for the entries after a position.
func readerAfter(t *testing.T, j journal.Journal, after earshot.Position) func() *journal.Batch {
	next, stop := pull(t, j, after)
	t.Cleanup(stop)
	return next
}

// pull starts a loop. next waits for its next entry and fails the test if none arrives.
func pull(t *testing.T, j journal.Journal, after earshot.Position) (next func() *journal.Batch, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Second, errors.New("no entry arrived"))
	each, end := iter.Pull2(j.Batches(ctx, after))
	next = func() *journal.Batch {
		t.Helper()
		b, err, ok := each()
		if !ok || err != nil {
			t.Fatalf("after %d: got %v, %v, want an entry", after, err, context.Cause(ctx))
		}
		return b
	}
	return next, func() { end(); cancel() }
}

// wantTrimmed checks that entries up to a position are gone for a loop that starts after another.
func wantTrimmed(t *testing.T, j journal.Journal, after, last earshot.Position) {
	t.Helper()
	var got error
	for b, err := range j.Batches(t.Context(), after) {
		if got = err; err == nil {
			t.Fatalf("after %d: got entry %d, want none", after, b.Position)
		}
	}
	want := fmt.Sprintf("entries %d to %d are no longer in the journal", after+1, last)
	if !errors.Is(got, journal.ErrTrimmed) || got.Error() != want {
		t.Errorf("after %d: got %v, want %s", after, got, want)
	}
}

func wantGUID(t *testing.T, b *journal.Batch, guid string) {
	t.Helper()
	if len(b.Posts) != 1 || b.Posts[0].GUID != guid {
		t.Fatalf("position %d: got %d posts (%.60v), want post %s", b.Position, len(b.Posts), b.Posts, guid)
	}
}

func wantPending(t *testing.T, j journal.Journal, after earshot.Position, want int64) {
	t.Helper()
	if got, err := j.Pending(t.Context(), after); err != nil || got != want {
		t.Errorf("Pending(%d): got %d, %v, want %d", after, got, err, want)
	}
}
