package clickhouse

import (
	"io"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/ClickHouse/ch-go/proto"

	"earshot"
	"earshot/internal/demo"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
)

// demoVersions returns posts of the demo as they are stored, in the order of their time, with one or
// two sets each.
var demoVersions = sync.OnceValue(func() []*version {
	var posts []earshot.Post
	g := demo.Generator{Seed: 1, Days: 14, PerDay: 1000, End: time.Date(2026, 1, 31, 0, 0, 0, 0, time.UTC)}
	for p := range g.Posts() {
		posts = append(posts, p)
	}
	enrich.New().All(posts)
	slices.SortStableFunc(posts, func(x, y earshot.Post) int { return x.Time.Compare(y.Time) })
	versions := make([]*version, len(posts))
	for i := range posts {
		p, first := &posts[i], poststore.SetID(i%4+1)
		sets := []poststore.SetID{first, first + 1}[:1+i%2]
		versions[i] = newVersion(p, poststore.SumOf(p.Key()), sets, uint64(i), uint64(i), earshot.Position(i/100))
	}
	return versions
})

// BenchmarkPostBlock measures the encoding of a part: all work of an insert before it is sent.
func BenchmarkPostBlock(b *testing.B) {
	versions := demoVersions()
	gens := map[poststore.SetID]uint64{1: 7, 2: 8, 3: 9, 4: 10, 5: 11}
	block := newPostBlock()
	var size int64
	b.ReportAllocs()
	for b.Loop() {
		for _, v := range versions {
			block.add(v, gens)
		}
		block.finish()
		in := block.input()
		w := proto.NewWriter(io.Discard, new(proto.Buffer))
		if err := (proto.Block{Columns: len(in), Rows: block.rows()}).WriteBlock(w, 0, in); err != nil {
			b.Fatal(err)
		}
		size, _ = w.Flush()
		block.reset()
	}
	posts := float64(len(versions))
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/posts, "ns/post")
	b.ReportMetric(float64(size)/posts, "B/post")
	b.ReportMetric(posts, "posts")
}
