package segment

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"earshot"
)

func BenchmarkWrite(b *testing.B) {
	rows := sharedTweets(b, 10_000)
	for _, n := range []int{1, 100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			dir := b.TempDir()
			for i := 0; b.Loop(); i++ {
				if err := Write(filepath.Join(dir, fmt.Sprint(i)), rows[:n], Options{Uncompressed: true}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "posts/s")
		})
	}
}

// BenchmarkMerge merges 16 segments of 64k tweets each: with consecutive time ranges, like live
// posts, and mixed, like an upload of old posts.
func BenchmarkMerge(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := sharedTweets(b, 1<<20)
	for _, mixed := range []bool{false, true} {
		b.Run(fmt.Sprintf("mixed=%t", mixed), func(b *testing.B) {
			dir := b.TempDir()
			var in []Input
			for i, pile := range deal(rng, rows, 16, mixed) {
				path := filepath.Join(dir, fmt.Sprint("in", i))
				if err := Write(path, pile, Options{}); err != nil {
					b.Fatal(err)
				}
				in = append(in, Input{Segment: openSegment(b, path)})
			}
			var size int64
			for i := 0; b.Loop(); i++ {
				path := filepath.Join(dir, fmt.Sprint(i))
				if _, err := Merge(context.Background(), path, in, Options{}); err != nil {
					b.Fatal(err)
				}
				size = openSegment(b, path).Size()
			}
			b.ReportMetric(float64(len(rows)*b.N)/b.Elapsed().Seconds(), "rows/s")
			b.ReportMetric(float64(size)/float64(len(rows)), "bytes/row")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	const n = 1 << 20
	rows := sharedTweets(b, n)
	for i := range rows {
		rows[i].Post.ContentSource = earshot.FirstID
	}
	path := filepath.Join(b.TempDir(), "posts")
	if err := Write(path, rows, Options{}); err != nil {
		b.Fatal(err)
	}
	f := openSegment(b, path)
	rng := rand.New(rand.NewPCG(1, 1))
	measure := func(name string, read func() error) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	measure("posts of 500 rows", func() error {
		some := make([]uint32, 500)
		for i := range some {
			some[i] = rng.Uint32N(n)
		}
		_, err := f.Posts(some)
		return err
	})
	newest := make([]uint32, 10_000)
	for i := range newest {
		newest[i] = n - 1 - uint32(i)
	}
	measure("posts of the newest 10,000 rows", func() error {
		_, err := f.Posts(newest)
		return err
	})
	targets := make([]Target, 1000)
	for i := range targets {
		p := rows[rng.IntN(n)].Post
		targets[i] = Target{KeyOf(p.Key()), Seconds(p.Time)}
	}
	measure("find 1000", func() error {
		_, err := f.Find(targets)
		return err
	})
	d := earshot.Deletion{ContentSource: earshot.FirstID}
	for range 100_000 {
		d.GUIDs = append(d.GUIDs, rows[rng.IntN(n)].Post.GUID)
	}
	measure("deletion by 100000 guids", func() error {
		_, err := f.DeletionRows(context.Background(), d)
		return err
	})
	measure("arrived up to", func() error {
		_, err := f.ArrivedUpTo(500)
		return err
	})
}
