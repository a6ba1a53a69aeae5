//go:build unix

package jetstream_test

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/feed"
	"earshot/internal/state/feed/jetstream"
	"earshot/internal/state/journal"
)

// BenchmarkAppend appends posts of about 500 bytes to queues on disk. cpu-s/Mitem is the CPU time
// per million items, including the server's.
func BenchmarkAppend(b *testing.B) {
	for _, c := range []struct{ queues, each int }{{100, 50}, {100, 20}, {1000, 1}, {1, 1}} {
		b.Run(fmt.Sprintf("%dx%d", c.queues, c.each), func(b *testing.B) {
			_, f := open(b, b.TempDir())
			items := makeItems(c.each)
			position := earshot.Position(0)
			used := processorTime(b)
			for b.Loop() {
				position++
				appendTo(b, f, position, c.queues, items)
			}
			total := float64(b.N * c.queues * c.each)
			b.ReportMetric(total/b.Elapsed().Seconds(), "items/s")
			b.ReportMetric((processorTime(b)-used).Seconds()/total*1e6, "cpu-s/Mitem")
		})
	}
}

// BenchmarkTake takes 100 items, from full messages and from messages with one item.
func BenchmarkTake(b *testing.B) {
	for _, each := range []int{100, 20, 1} {
		b.Run(fmt.Sprintf("%d items a message", each), func(b *testing.B) {
			const queues, takes = 50, 20
			_, f := open(b, b.TempDir())
			items := makeItems(each)
			position := earshot.Position(0)
			for left := 0; b.Loop(); left-- {
				if left == 0 {
					b.StopTimer()
					for range takes * 100 / each {
						position++
						appendTo(b, f, position, queues, items)
					}
					left = queues * takes
					b.StartTimer()
				}
				p, err := f.Take(b.Context(), earshot.StreamID(left%queues), 100)
				if err != nil || len(p.Items) != 100 {
					b.Fatalf("got %d items, %v", len(p.Items), err)
				}
			}
		})
	}
}

// BenchmarkFollow appends an item and waits until a follower receives it.
func BenchmarkFollow(b *testing.B) {
	_, f := open(b, b.TempDir())
	next, stop := iter.Pull2(f.Follow(b.Context(), 0, feed.Cursor{}))
	defer stop()
	position := earshot.Position(0)
	items := makeItems(1)
	for b.Loop() {
		position++
		appendTo(b, f, position, 1, items)
		if p, err, _ := next(); err != nil || len(p.Items) != 1 {
			b.Fatalf("got %d items, %v", len(p.Items), err)
		}
	}
}

func appendTo(b *testing.B, f *jetstream.Feed, p earshot.Position, queues int, items []feed.Item) {
	b.Helper()
	runs := make([]feed.Run, queues)
	for i := range runs {
		runs[i] = feed.Run{Stream: earshot.StreamID(i), Position: p, Items: items}
	}
	if err := f.Append(b.Context(), p, runs); err != nil {
		b.Fatal(err)
	}
}

// makeItems returns n posts in the form that streams store.
func makeItems(n int) []feed.Item {
	r := rand.New(rand.NewPCG(3, 4))
	items := make([]feed.Item, n)
	for i := range items {
		var text strings.Builder
		for text.Len() < 280 {
			text.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(2)) + fmt.Sprint(r.IntN(500)) + " ")
		}
		post := earshot.Post{
			Source: earshot.Twitter, GUID: fmt.Sprint(r.Int64()), Time: time.Unix(1700000000+int64(i), 0).UTC(),
			URL: fmt.Sprint("https://twitter.com/someone/status/", r.Int64()), Contents: text.String(), Author: fmt.Sprint("someone", r.IntN(1e6)),
			Language: "en", Location: "Springfield, Illinois", Followers: earshot.Counted(r.Int64N(1e6)),
		}
		items[i] = feed.Item{Monitor: 7, Post: string(journal.AppendPost(nil, &post))}
	}
	return items
}

// processorTime returns the CPU time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
