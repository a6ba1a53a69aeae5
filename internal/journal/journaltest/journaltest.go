// Package journaltest holds what every journal promises.
package journaltest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/journal"
)

// Run checks a kind of journal. open returns an empty one each time.
func Run(t *testing.T, open func(t *testing.T) journal.Journal) {
	cases := []struct {
		name string
		run  func(t *testing.T, j journal.Journal)
	}{
		{"entries come out as they went in, in order", order},
		{"every kind of entry comes back whole", kinds},
		{"an entry that says nothing or two things is refused", refused},
		{"a loop waits for new entries", waits},
		{"what was not acknowledged comes again to the next loop, in order", unacknowledged},
		{"what was acknowledged does not come again", acknowledged},
		{"a loop hands each entry out once even when it is not acknowledged", once},
		{"consumers read independently", independent},
		{"what is pending is what was not acknowledged", pending},
		{"rewind starts after the position whatever was acknowledged", rewind},
		{"rewind may come before the first loop", rewindFirst},
		{"a rejected entry is a dead letter once and does not come again", reject},
		{"the twenty most recent dead letters are listed, newest first", manyLetters},
		{"an entry of 20 MB comes back whole", large},
		{"cancelling ends a loop that waits", cancelWaiting},
		{"cancelling ends a loop between entries", cancelBusy},
		{"concurrent appends lose nothing and keep their own order", concurrent},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) { c.run(t, open(t)) })
	}
}

func order(t *testing.T, j journal.Journal) {
	before := time.Now().Add(-time.Second)
	var positions []earshot.Position
	for i := range 20 {
		positions = append(positions, appendPost(t, j, fmt.Sprint(i)))
	}
	if last, err := j.Last(t.Context()); err != nil || last != positions[19] {
		t.Errorf("Last: got %d, %v, want %d", last, err, positions[19])
	}
	next := reader(t, j, "a")
	for i := range 20 {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		if b.Position != positions[i] {
			t.Errorf("entry %d: got position %d, want %d", i, b.Position, positions[i])
		}
		if b.Time.Before(before) || b.Time.After(time.Now().Add(time.Second)) || b.Time.Location() != time.UTC {
			t.Errorf("entry %d: got time %v, want about now in UTC", i, b.Time)
		}
		ack(t, b)
	}
}

func kinds(t *testing.T, j journal.Journal) {
	entries := []journal.Entry{
		{Posts: []earshot.Post{{Source: earshot.Twitter, GUID: "1", Time: time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC), Likes: earshot.Counted(0)}}},
		{Deletion: &earshot.Deletion{ContentSource: 7, Batch: "b", GUIDs: []string{"1", "2"}, URLs: []string{"http://a/?b&c"}}},
		{Deletion: &earshot.Deletion{ContentSource: 8}},
		{Figures: &journal.Figures{Monitor: 9, Snapshots: []earshot.Snapshot{
			{Date: earshot.Date{Year: 2024, Month: 2, Day: 29}, Followers: earshot.Counted(12)},
			{Date: earshot.Date{Year: 2024, Month: 3, Day: 1}, Likes: earshot.Counted(0)},
		}}},
	}
	next := reader(t, j, "a")
	for i, want := range entries {
		if _, err := j.Append(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if got := next().Entry; !reflect.DeepEqual(got, want) {
			t.Errorf("entry %d: got %+v, want %+v", i, got, want)
		}
	}
}

func refused(t *testing.T, j journal.Journal) {
	for _, e := range []journal.Entry{
		{},
		{Posts: []earshot.Post{}},
		{Posts: make([]earshot.Post, 1), Deletion: &earshot.Deletion{}},
		{Deletion: &earshot.Deletion{}, Figures: &journal.Figures{}},
	} {
		if _, err := j.Append(t.Context(), e); err == nil {
			t.Errorf("Append(%+v) succeeded", e)
		}
	}
	if last, err := j.Last(t.Context()); err != nil || last != 0 {
		t.Errorf("Last: got %d, %v, want 0", last, err)
	}
}

func waits(t *testing.T, j journal.Journal) {
	next := reader(t, j, "a")
	for i := range 3 {
		go appendPost(t, j, fmt.Sprint(i))
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		ack(t, b)
	}
}

func unacknowledged(t *testing.T, j journal.Journal) {
	for i := range 12 {
		appendPost(t, j, fmt.Sprint(i))
	}
	first, stop := pull(t, j, "a")
	for i := range 3 {
		b := first()
		wantGUID(t, b, fmt.Sprint(i))
		if i == 0 {
			ack(t, b)
		}
	}
	stop()
	next := reader(t, j, "a")
	for i := 1; i < 12; i++ {
		wantGUID(t, next(), fmt.Sprint(i))
	}
}

func acknowledged(t *testing.T, j journal.Journal) {
	for i := range 4 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for i := range 4 { // one loop for each entry
		next, stop := pull(t, j, "a")
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		ack(t, b)
		stop()
		if err := b.Ack(); err != nil {
			t.Errorf("a second Ack: %v", err)
		}
	}
	appendPost(t, j, "new")
	wantGUID(t, reader(t, j, "a")(), "new")
}

func once(t *testing.T, j journal.Journal) {
	next := reader(t, j, "a")
	for i := range 6 {
		appendPost(t, j, fmt.Sprint(i))
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		b.Working()
	}
}

func independent(t *testing.T, j journal.Journal) {
	for i := range 3 {
		appendPost(t, j, fmt.Sprint(i))
	}
	for _, consumer := range []string{"a", "b"} {
		next := reader(t, j, consumer)
		for i := range 3 {
			b := next()
			wantGUID(t, b, fmt.Sprint(i))
			ack(t, b)
		}
	}
}

func pending(t *testing.T, j journal.Journal) {
	wantPending(t, j, "a", 0)
	for i := range 3 {
		appendPost(t, j, fmt.Sprint(i))
	}
	wantPending(t, j, "a", 3)
	next, stop := pull(t, j, "a")
	first, second := next(), next()
	wantPending(t, j, "a", 3)
	ack(t, first)
	wantPending(t, j, "a", 2)
	ack(t, second)
	ack(t, next())
	wantPending(t, j, "a", 0)
	wantPending(t, j, "b", 3)
	stop()
	if err := j.Rewind(t.Context(), "a", first.Position); err != nil {
		t.Fatal(err)
	}
	wantPending(t, j, "a", 2)
}

func rewind(t *testing.T, j journal.Journal) {
	var positions []earshot.Position
	for i := range 6 {
		positions = append(positions, appendPost(t, j, fmt.Sprint(i)))
	}
	next, stop := pull(t, j, "a")
	for range 5 {
		ack(t, next())
	}
	stop()
	for _, after := range []int{1, 3, 0} {
		if err := j.Rewind(t.Context(), "a", positions[after]); err != nil {
			t.Fatal(err)
		}
		next, stop := pull(t, j, "a")
		for i := after + 1; i < 6; i++ {
			b := next()
			wantGUID(t, b, fmt.Sprint(i))
			ack(t, b)
		}
		stop()
	}
	if err := j.Rewind(t.Context(), "a", 0); err != nil {
		t.Fatal(err)
	}
	wantGUID(t, reader(t, j, "a")(), "0")
}

func rewindFirst(t *testing.T, j journal.Journal) {
	at := appendPost(t, j, "0")
	appendPost(t, j, "1")
	if err := j.Rewind(t.Context(), "a", at); err != nil {
		t.Fatal(err)
	}
	wantGUID(t, reader(t, j, "a")(), "1")
}

func reject(t *testing.T, j journal.Journal) {
	wantLetters(t, j, 0)
	at := appendPost(t, j, "bad")
	appendPost(t, j, "good")
	reason := "enrich:\npanic " + strings.Repeat("x", 10_000)
	for _, consumer := range []string{"a", "b"} { // set aside twice
		next, stop := pull(t, j, consumer)
		if err := next().Reject(t.Context(), reason); err != nil {
			t.Fatal(err)
		}
		wantGUID(t, next(), "good")
		stop()
		wantGUID(t, reader(t, j, consumer)(), "good")
	}
	d := wantLetters(t, j, 1)
	if got := d.Recent[0]; got.Position != at || !strings.HasPrefix(got.Reason, "enrich:") || time.Since(got.Time).Abs() > time.Minute {
		t.Errorf("dead letter: got %d at %v because of %.20q, want position %d, about now, enrich:…", got.Position, got.Time, got.Reason, at)
	}
}

func manyLetters(t *testing.T, j journal.Journal) {
	next := reader(t, j, "a")
	for i := range 25 {
		appendPost(t, j, fmt.Sprint(i))
		if err := next().Reject(t.Context(), fmt.Sprintf("reason %d", i)); err != nil {
			t.Fatal(err)
		}
	}
	d := wantLetters(t, j, 25)
	for i, l := range d.Recent {
		if want := fmt.Sprintf("reason %d", 24-i); l.Reason != want {
			t.Errorf("letter %d: got %s, want %s", i, l.Reason, want)
		}
	}
}

func large(t *testing.T, j journal.Journal) {
	appendPost(t, j, "before")
	posts := randomPosts(1000, 20<<10)
	at, err := j.Append(t.Context(), journal.Entry{Posts: posts})
	if err != nil {
		t.Fatal(err)
	}
	after := appendPost(t, j, "after")
	if after != at+1 {
		t.Errorf("the entry after: got position %d, want %d", after, at+1)
	}
	next := reader(t, j, "a")
	wantGUID(t, next(), "before")
	var got []earshot.Post
	for len(got) < len(posts) {
		b := next()
		got = append(got, b.Posts...)
		if whole := len(got) == len(posts); whole != (b.Position == at) {
			t.Errorf("%d posts at position %d; the last is %d", len(got), b.Position, at)
		}
		ack(t, b)
	}
	if !reflect.DeepEqual(got, posts) {
		t.Error("posts came back changed")
	}
	wantGUID(t, next(), "after")
}

func cancelWaiting(t *testing.T, j journal.Journal) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	appendPost(t, j, "0")
	for b := range j.Batches(ctx, "a") {
		ack(t, b)
		cancel()
	}
	for range j.Batches(ctx, "a") {
		t.Error("a loop whose context has ended got an entry")
	}
}

func cancelBusy(t *testing.T, j journal.Journal) {
	for i := range 5 {
		appendPost(t, j, fmt.Sprint(i))
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	n := 0
	for range j.Batches(ctx, "a") {
		if n++; n == 2 {
			cancel()
		}
	}
	if n != 2 {
		t.Errorf("got %d entries, want 2", n)
	}
}

func concurrent(t *testing.T, j journal.Journal) {
	const writers, each = 4, 25
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				appendPost(t, j, fmt.Sprintf("%d-%d", w, i))
			}
		})
	}
	seen := [writers]int{}
	next := reader(t, j, "a")
	for range writers * each {
		b := next()
		var w, i int
		fmt.Sscanf(b.Posts[0].GUID, "%d-%d", &w, &i)
		if i != seen[w] {
			t.Fatalf("writer %d: got entry %d, want %d", w, i, seen[w])
		}
		seen[w]++
		ack(t, b)
	}
	wg.Wait()
}

func appendPost(t *testing.T, j journal.Journal, guid string) earshot.Position {
	t.Helper()
	p, err := j.Append(t.Context(), journal.Entry{Posts: []earshot.Post{{Source: earshot.Blogs, GUID: guid}}})
	if err != nil {
		t.Errorf("Append: %v", err)
	}
	return p
}

// randomPosts returns n posts with about size bytes of text that cannot be compressed much.
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

// reader returns a function that waits for the next entry of a loop that lives as long as the test.
func reader(t *testing.T, j journal.Journal, consumer string) func() *journal.Batch {
	next, stop := pull(t, j, consumer)
	t.Cleanup(stop)
	return next
}

// pull begins a loop. next waits for its next entry and fails the test when none comes.
func pull(t *testing.T, j journal.Journal, consumer string) (next func() *journal.Batch, stop func()) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(context.Background(), 20*time.Second, errors.New("no entry came"))
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

func wantLetters(t *testing.T, j journal.Journal, count int64) journal.DeadLetters {
	t.Helper()
	d, err := j.DeadLetters(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if d.Count != count || int64(len(d.Recent)) != min(count, 20) {
		t.Fatalf("dead letters: got %d, %d listed, want %d", d.Count, len(d.Recent), count)
	}
	return d
}
