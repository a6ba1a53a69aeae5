package watchlist

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/query"
)

// hostileKinds are queries of about a thousand characters that are as expensive as possible for long
// texts of common words. n makes the words differ from one monitor to the next.
var hostileKinds = []struct {
	name  string
	query func(r *rand.Rand) string
}{
	{"phrases", func(r *rand.Rand) string {
		return join(60, " OR ", func() string { return fmt.Sprintf(`"%s %s %s"`, common(r), common(r), common(r)) })
	}},
	{"near", func(r *rand.Rand) string {
		return join(50, " OR ", func() string { return fmt.Sprintf(`(%s NEAR/%d zz)`, common(r), 1+r.IntN(20)) })
	}},
	{"near frequent", func(r *rand.Rand) string {
		return "(" + join(50, " OR ", func() string {
			return fmt.Sprintf(`("%s %s" NEAR/0 "%s %s")`, common(r), common(r), common(r), common(r))
		}) + ") AND zz"
	}},
	{"chains", func(r *rand.Rand) string {
		return join(60, " NEAR/9 ", func() string { return common(r) }) + " NEAR/0 zz"
	}},
	{"windows", func(r *rand.Rand) string {
		return join(40, " OR ", func() string { return fmt.Sprintf(`"%s %s %s zz"~2`, common(r), common(r), common(r)) })
	}},
	{"windows of wildcards", func(r *rand.Rand) string {
		return join(40, " OR ", func() string { return fmt.Sprintf(`(th* AND the* AND %s AND zz)~3`, common(r)) })
	}},
	{"wildcards", func(r *rand.Rand) string {
		return join(150, " OR ", func() string { w := common(r); return fmt.Sprintf(`%s*%c*q`, w[:1]+"?", 'a'+r.IntN(26)) })
	}},
	{"nested NOT", func(r *rand.Rand) string {
		return "the AND NOT (" + join(50, " AND NOT (", func() string { return fmt.Sprintf(`"%s %s"`, common(r), common(r)) }) + strings.Repeat(")", 50)
	}},
	{"long OR", func(r *rand.Rand) string {
		return "the AND (" + join(150, " OR ", func() string { return fmt.Sprintf(`x%d`, r.IntN(1e6)) }) + ")"
	}},
	{"exact", func(r *rand.Rand) string {
		return join(100, " OR ", func() string { return fmt.Sprintf(`{%s  %s}`, common(r), common(r)) })
	}},
	{"title fields", func(r *rand.Rand) string {
		return join(60, " OR ", func() string { return fmt.Sprintf(`contents:"%s %s"`, common(r), common(r)) })
	}},
	{"custom", func(r *rand.Rand) string {
		return join(60, " OR ", func() string { return fmt.Sprintf(`custom.f%d:x`, r.IntN(1000)) })
	}},
}

func join(n int, between string, part func() string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = part()
	}
	return strings.Join(parts, between)
}

var commonList = strings.Fields("the to of and in is you for on it that this my with at be me are have was so but not just all we from your they he if up do can what when like get out about an as or who will has")

func common(r *rand.Rand) string { return commonList[r.IntN(len(commonList))] }

// longPosts returns posts of 16,384 characters: common words with a few others between them.
func longPosts(n int) []earshot.Post {
	r := rand.New(rand.NewPCG(3, 4))
	posts := make([]earshot.Post, n)
	for i := range posts {
		var b strings.Builder
		b.WriteString("zz ")
		for b.Len() < 16_370 {
			if r.IntN(3) == 0 {
				fmt.Fprintf(&b, "w%d ", r.IntN(20_000))
			} else {
				b.WriteString(common(r) + " ")
			}
		}
		posts[i] = earshot.Post{Source: earshot.Twitter, Contents: b.String()}
	}
	return posts
}

const hostilePosts = 10

// BenchmarkHostile matches posts of 16,384 characters with 1,000 monitors of each kind. It reports the
// time for 200 posts, the cost of a monitor, and the time for a unit of it.
func BenchmarkHostile(b *testing.B) {
	onOneCore(b)
	posts := longPosts(hostilePosts)
	for _, kind := range hostileKinds {
		b.Run(strings.ReplaceAll(kind.name, " ", "-"), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 2))
			var monitors []*earshot.Monitor
			for i := range 1_000 {
				monitors = append(monitors, &earshot.Monitor{ID: earshot.MonitorID(i + 1), Enabled: true, Criteria: keywords(kind.query(r))})
			}
			l := newList(b, monitors)
			var m matcher
			var d query.Document
			var ids []earshot.MonitorID
			matched := 0
			for b.Loop() {
				for i := range posts {
					d.Reset(&posts[i])
					ids = m.match(l, &d, ids[:0])
					matched += len(ids)
				}
			}
			cost := 0
			for _, m := range monitors {
				c, _ := Compile(0, m.Criteria)
				cost += c.Cost()
			}
			perPost := b.Elapsed().Seconds() / float64(b.N) / hostilePosts
			b.ReportMetric(200*perPost, "s/200posts")
			b.ReportMetric(float64(cost)/1_000, "cost")
			b.ReportMetric(perPost*1e9/float64(cost), "ns/cost")
			b.ReportMetric(float64(matched)/float64(b.N)/hostilePosts, "matches/post")
			b.ReportMetric(float64(m.entriesChecked)/float64(b.N)/hostilePosts, "candidates/post")
		})
	}
}
