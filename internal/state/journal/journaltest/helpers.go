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

// reader returns a function that waits for the next entry of a loop, which ends with the test.
func reader(t *testing.T, j journal.Journal, consumer string) func() *journal.Batch {
	next, stop := pull(t, j, consumer)
	t.Cleanup(stop)
	return next
}

// pull starts a loop. next waits for its next entry and fails the test if none arrives.
func pull(t *testing.T, j journal.Journal, consumer string) (next func() *journal.Batch, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Second, errors.New("no entry arrived"))
	each, end := iter.Pull(j.Batches(ctx, consumer))
	next = func() *journal.Batch {
		t.Helper()
		b, ok := each()
		if !ok {
			t.Fatalf("%s: %v", consumer, context.Cause(ctx))
		}
		return b
	}
	return next, func() { end(); cancel() }
}

func ack(t *testing.T, b *journal.Batch) {
	t.Helper()
	if err := b.Ack(); err != nil {
		t.Fatalf("Ack of %d: %v", b.Position, err)
	}
}

func wantGUID(t *testing.T, b *journal.Batch, guid string) {
	t.Helper()
	if len(b.Posts) != 1 || b.Posts[0].GUID != guid {
		t.Fatalf("position %d: got %d posts (%.60v), want post %s", b.Position, len(b.Posts), b.Posts, guid)
	}
}

func wantPending(t *testing.T, j journal.Journal, consumer string, want int64) {
	t.Helper()
	if got, err := j.Pending(t.Context(), consumer); err != nil || got != want {
		t.Errorf("Pending(%s): got %d, %v, want %d", consumer, got, err, want)
	}
}
