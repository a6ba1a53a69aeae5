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

// BenchmarkMerge merges 16 files of 64k tweets each: of one stretch of time after the
// other, as live posts come, and mixed, as an upload of old posts may be.
func BenchmarkMerge(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	rows := sharedTweets(b, 1<<20)
	for _, mixed := range []bool{false, true} {
		b.Run(fmt.Sprintf("mixed=%t", mixed), func(b *testing.B) {
			dir := b.TempDir()
			var in []Input
			for i, pile := range dealt(rng, rows, 16, mixed) {
				path := filepath.Join(dir, fmt.Sprint("in", i))
				if err := Write(path, pile, Options{}); err != nil {
					b.Fatal(err)
				}
				in = append(in, Input{Segment: opened(b, path)})
			}
			var size int64
			for i := 0; b.Loop(); i++ {
				path := filepath.Join(dir, fmt.Sprint(i))
				if _, err := Merge(context.Background(), path, in, Options{}); err != nil {
					b.Fatal(err)
				}
				size = opened(b, path).Size()
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
	f := opened(b, path)
	rng := rand.New(rand.NewPCG(1, 1))
	b.Run("posts of 500 rows", func(b *testing.B) {
		for b.Loop() {
			some := make([]uint32, 500)
			for i := range some {
				some[i] = rng.Uint32N(n)
			}
			if _, err := f.Posts(some); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("posts of the newest 10,000 rows", func(b *testing.B) {
		newest := make([]uint32, 10_000)
		for i := range newest {
			newest[i] = n - 1 - uint32(i)
		}
		for b.Loop() {
			if _, err := f.Posts(newest); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(newest)), "ns/post")
	})
	b.Run("find 1000", func(b *testing.B) {
		sought := make([]Target, 1000)
		for i := range sought {
			p := rows[rng.IntN(n)].Post
			sought[i] = Target{KeyOf(p.Key()), Seconds(p.Time)}
		}
		for b.Loop() {
			if _, err := f.Find(sought); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("named by 100000 guids", func(b *testing.B) {
		d := earshot.Deletion{ContentSource: earshot.FirstID}
		for range 100_000 {
			d.GUIDs = append(d.GUIDs, rows[rng.IntN(n)].Post.GUID)
		}
		for b.Loop() {
			if _, err := f.DeletionRows(d); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("arrived up to", func(b *testing.B) {
		for b.Loop() {
			if _, err := f.ArrivedUpTo(500); err != nil {
				b.Fatal(err)
			}
		}
	})
}
