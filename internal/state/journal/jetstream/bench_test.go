package jetstream_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/state/journal"
)

// BenchmarkAppend appends entries of 1,000 posts to a journal on disk. Each is synced before the
// next one.
func BenchmarkAppend(b *testing.B) {
	_, j := open(b, b.TempDir())
	e, size := upload(1000)
	for b.Loop() {
		if _, err := j.Append(b.Context(), e); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(e.Posts))/b.Elapsed().Seconds(), "posts/s")
	b.ReportMetric(float64(b.N*size)/b.Elapsed().Seconds()/1e6, "MB/s") // MB of text
}

// upload returns n posts of about 200 characters and the total size of their texts.
func upload(n int) (e journal.Entry, size int) {
	r := rand.New(rand.NewPCG(3, 4))
	for i := range n {
		var text strings.Builder
		for text.Len() < 200 {
			text.WriteString(strings.Repeat(string(rune('a'+r.IntN(26))), 1+r.IntN(2)) + fmt.Sprint(r.IntN(500)) + " ")
		}
		size += text.Len()
		e.Posts = append(e.Posts, earshot.Post{
			Source: earshot.Twitter, GUID: fmt.Sprint(r.Int64()), Time: time.Unix(1700000000+int64(i), 0).UTC(),
			Contents: text.String(), Author: "someone", Followers: earshot.Counted(r.Int64N(1e6)),
		})
	}
	return e, size
}
