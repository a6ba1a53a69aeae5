// Package journaltest contains the contract test for journals.
package journaltest

import (
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// Run tests an implementation. open returns a new, empty journal.
func Run(t *testing.T, open func(t *testing.T) journal.Journal) {
	cases := []struct {
		name string
		run  func(t *testing.T, j journal.Journal)
	}{
		{"entries are delivered unchanged and in order", order},
		{"every kind of entry round-trips", kinds},
		{"an entry with no change or two changes is rejected", refused},
		{"a loop waits for new entries", waits},
		{"a loop starts after a position", after},
		{"loops read independently", independent},
		{"entries after a position are pending", pending},
		{"an entry that several readers reject becomes one dead letter", reject},
		{"the twenty most recent dead letters are listed, newest first", manyLetters},
		{"trim removes entries up to the position and changes no positions", trimPosition},
		{"trim keeps entries that are not older than the time", trimTime},
		{"a fully trimmed journal continues its positions", trimAll},
		{"trim behind a loop does not disturb it", trimWhileReading},
		{"a loop that would miss trimmed entries ends with ErrTrimmed", trimReader},
		{"a loop whose next entries are trimmed ends with ErrTrimmed", trimAhead},
		{"dead letters survive trimming of their entries", trimLetters},
		{"LastBefore finds the last entry that was appended earlier", before},
		{"LastBefore ignores trimmed entries", beforeTrimmed},
		{"origins are found after a position", origins},
		{"only the last part of a large entry has its cursor", largeOrigin},
		{"an entry of 20 MB round-trips", large},
		{"canceling ends a waiting loop", cancelWaiting},
		{"canceling ends a loop between entries", cancelBusy},
		{"concurrent appends lose no entries and keep their order", concurrent},
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
	next := reader(t, j)
	for i := range 20 {
		b := next()
		wantGUID(t, b, fmt.Sprint(i))
		if b.Position != positions[i] {
			t.Errorf("entry %d: got position %d, want %d", i, b.Position, positions[i])
		}
		if b.Time.Before(before) || b.Time.After(time.Now().Add(time.Second)) || b.Time.Location() != time.UTC {
			t.Errorf("entry %d: got time %v, want about now in UTC", i, b.Time)
		}
	}
}

func kinds(t *testing.T, j journal.Journal) {
	entries := []journal.Entry{
		{Posts: []earshot.Post{{Source: earshot.Twitter, GUID: "1", Time: time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC), Likes: earshot.Counted(0)}}},
		{Deletion: &earshot.Deletion{ContentSource: 7, Batch: "b", GUIDs: []string{"1", "2"}, URLs: []string{"http://a/?b&c"}}},
		{Deletion: &earshot.Deletion{ContentSource: 8}},
		{Deletion: &earshot.Deletion{Batch: "live/3", Before: time.Date(2024, 5, 6, 7, 8, 9, 10, time.UTC)}, Origin: &journal.Origin{Source: 3, Cursor: "\"12\"\n"}},
		{Snapshots: &journal.AccountSnapshots{Monitor: 9, Snapshots: []earshot.Snapshot{
			{Date: earshot.Date{Year: 2024, Month: 2, Day: 29}, Followers: earshot.Counted(12)},
			{Date: earshot.Date{Year: 2024, Month: 3, Day: 1}, Likes: earshot.Counted(0)},
		}}},
	}
	next := reader(t, j)
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
		{Deletion: &earshot.Deletion{}, Snapshots: &journal.AccountSnapshots{}},
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
	next := reader(t, j)
	for i := range 3 {
		var appending sync.WaitGroup
		appending.Go(func() { appendPost(t, j, fmt.Sprint(i)) })
		wantGUID(t, next(), fmt.Sprint(i))
		appending.Wait()
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
	next := reader(t, j)
	wantGUID(t, next(), "before")
	var got []earshot.Post
	for len(got) < len(posts) {
		b := next()
		got = append(got, b.Posts...)
		if whole := len(got) == len(posts); whole != (b.Position == at) {
			t.Errorf("%d posts at position %d; the last is %d", len(got), b.Position, at)
		}
	}
	if !reflect.DeepEqual(got, posts) {
		t.Error("posts came back changed")
	}
	wantGUID(t, next(), "after")
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
	next := reader(t, j)
	for range writers * each {
		b := next()
		var w, i int
		fmt.Sscanf(b.Posts[0].GUID, "%d-%d", &w, &i)
		if i != seen[w] {
			t.Fatalf("writer %d: got entry %d, want %d", w, i, seen[w])
		}
		seen[w]++
	}
	wg.Wait()
}
