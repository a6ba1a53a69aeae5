package bench

import (
	"os"
	"path/filepath"
	"testing"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local"
)

func BenchmarkZZ(b *testing.B) {
	dir := os.Getenv("ZZ_DIR")
	if dir == "" {
		b.Skip()
	}
	matches, _ := filepath.Glob(filepath.Join(dir, "*"))
	b.Log(matches)
	st, err := local.Open(b.Context(), local.Options{Dir: filepath.Join(dir, os.Getenv("ZZ_SUB"))})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	sample, err := NewSample("../../../shared/data/posts/twitter_posts.jsonl.gz")
	if err != nil {
		b.Fatal(err)
	}
	g := &Generator{Sample: sample, Seed: 1, Count: 1000000, From: measured, Span: 24 * 3600e9}
	qs, err := g.Words().Questions()
	if err != nil {
		b.Fatal(err)
	}
	stats, _ := st.Stats(b.Context())
	b.Logf("%+v", stats)
	for _, q := range qs {
		where, err := q.Condition()
		if err != nil {
			b.Fatal(err)
		}
		of := poststore.Selection{Where: where, From: measured, To: measured.AddDate(0, 0, 1)}
		b.Run(q.Name, func(b *testing.B) {
			for b.Loop() {
				if _, err := st.Tallies(b.Context(), of, AnalysisTallies()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
