package segment

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// having returns conditions with keys of random posts.
func (a queryGenerator) having(posts []*query.Document) (all []poststore.Having) {
	for range 1 + a.IntN(2) {
		h := poststore.Having{By: pick(a.Rand, poststore.Dims...), Zone: pick(a.Rand, nil, time.FixedZone("", 19800))}
		for range 1 + a.IntN(3) {
			h.Keys = enginekit.AppendKeys(h.Keys, h.By, posts[a.IntN(len(posts))].Post, h.Location())
		}
		if h.ByID() && a.chance(50) {
			h.Keys = append(h.Keys, pick(a.Rand, "1", "3", ""))
		}
		all = append(all, h)
	}
	return all
}

func TestSelectHavingAgreesWithPosts(t *testing.T) {
	for seed := range uint64(4) {
		a := queryGenerator{rand.New(rand.NewPCG(seed, 5))}
		f := writeSegment(t, sampleRows(a.Rand, 300))
		posts := postsOf(t, f)
		picked := 0
		for range 400 {
			selection := a.selection()
			selection.Having = a.having(posts)
			if a.chance(60) {
				selection.Where = nil
			}
			picked += checkSelect(t, f, posts, selection, a.scope(f.Rows()))
		}
		if picked < 1000 {
			t.Errorf("only %d rows were selected, so the test compared almost nothing", picked)
		}
	}
}

// TestSelectHavingAmongManyNames selects among few rows of a large segment, with too many codes to
// compute the keys of all of them.
func TestSelectHavingAmongManyNames(t *testing.T) {
	a := queryGenerator{rand.New(rand.NewPCG(8, 5))}
	rows := sampleRows(a.Rand, 6000)
	for i, r := range rows {
		r.Post.AuthorUsername = fmt.Sprint(r.Post.AuthorUsername, i)
		r.Post.Site = fmt.Sprintf("www.host%d.example", i/2)
		if r.Post.ParentGUID != "" {
			r.Post.ParentGUID = fmt.Sprint("a b ", i/3)
		}
	}
	f := writeSegment(t, rows)
	posts := postsOf(t, f)
	for _, d := range []poststore.Dim{poststore.ByAuthor, poststore.BySite, poststore.ByParent, poststore.ByRetweeted, poststore.ByContentSource} {
		for range 20 {
			scope := roaring.New()
			h := poststore.Having{By: d}
			for range 50 {
				row := a.IntN(len(posts))
				scope.Add(uint32(row))
				h.Keys = enginekit.AppendKeys(h.Keys, d, posts[row].Post, time.UTC)
			}
			h.Keys = h.Keys[len(h.Keys)/2:]
			selection := poststore.Selection{Having: []poststore.Having{h}}
			if checkSelect(t, f, posts, selection, scope) == 0 || checkSelect(t, f, posts, selection, nil) == 0 {
				t.Errorf("no rows were found by dimension %d", d)
			}
		}
	}
}

// TestSelectAuthorAmongMany selects by one key of a dictionary that is too large for the keys to be
// cached, for more keys than are remembered.
func TestSelectAuthorAmongMany(t *testing.T) {
	a := queryGenerator{rand.New(rand.NewPCG(9, 5))}
	rows := sampleRows(a.Rand, 2*maxCachedKeys)
	for i, r := range rows {
		r.Post.AuthorUsername = fmt.Sprint([]string{"Ann", "ann", "ANN"}[i%3], i/2)
	}
	f := writeSegment(t, rows)
	posts := postsOf(t, f)
	for range 2 * maxFoundKeys {
		h := poststore.Having{By: poststore.ByAuthor, Keys: []string{fmt.Sprint("ann", a.IntN(maxCachedKeys))}}
		for range 2 {
			if n := checkSelect(t, f, posts, poststore.Selection{Having: []poststore.Having{h}}, nil); n != 2 {
				t.Errorf("%v: got %d rows, want 2", h.Keys, n)
			}
		}
	}
	none := poststore.Having{By: poststore.ByAuthor, Keys: []string{""}}
	if n := checkSelect(t, f, posts, poststore.Selection{Having: []poststore.Having{none}}, nil); n != 0 {
		t.Errorf("empty name: got %d rows, want none", n)
	}
}

// TestSelectHavingOfCorruptSegment flips bits. Each result must be correct or an error about the
// segment.
func TestSelectHavingOfCorruptSegment(t *testing.T) {
	a := queryGenerator{rand.New(rand.NewPCG(3, 5))}
	path := filepath.Join(t.TempDir(), "posts")
	if err := Write(path, sampleRows(a.Rand, 60), Options{}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	posts := postsOf(t, openSegment(t, path))
	damaged := 0
	for range 400 {
		bytes := slices.Clone(whole)
		bytes[a.IntN(len(bytes))] ^= 1 << a.IntN(8)
		if err := os.WriteFile(path+".damaged", bytes, 0o600); err != nil {
			t.Fatal(err)
		}
		if !rightOrCorrupt(t, path+".damaged", posts, poststore.Selection{Having: a.having(posts)}) {
			damaged++
		}
	}
	if damaged < 10 {
		t.Errorf("only %d queries reported damage, so the test covered almost nothing", damaged)
	}
}

// BenchmarkSelectHaving selects among half a million of a million tweets, as if a monitor matched
// them.
func BenchmarkSelectHaving(b *testing.B) {
	rng := rand.New(rand.NewPCG(3, 6))
	f := havingBenchSegment(b, rng)
	half := oneIn(rng, 2)
	posts, err := f.Posts(half.ToArray()[:2000])
	check(b, err)
	bench := func(name string, selection poststore.Selection) {
		b.Run(name, func(b *testing.B) {
			rows := uint64(0)
			for b.Loop() {
				picked, err := f.Select(b.Context(), &selection, half)
				check(b, err)
				rows = picked.GetCardinality()
			}
			b.ReportMetric(float64(rows), "rows")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(half.GetCardinality()), "ns/post")
		})
	}
	bench("everything", poststore.Selection{})
	for _, d := range poststore.Dims {
		key := firstKey(d, posts)
		bench(fmt.Sprintf("dimension %d %s", d, key), poststore.Selection{Having: []poststore.Having{{By: d, Keys: []string{key}}}})
	}
}

// havingBenchSegment returns a segment of tweets with values in almost every dimension.
func havingBenchSegment(b *testing.B, rng *rand.Rand) *Segment {
	rows := sharedTweets(b, countBenchRows)
	for _, r := range rows {
		r.Post.AuthorUsername = fmt.Sprint(r.Post.AuthorUsername, rng.IntN(100))
		if r.Post.Engagement != earshot.OriginalPost {
			r.Post.ParentGUID = fmt.Sprint("parent", rng.IntN(100_000))
		}
		r.Post.AgeGroup = earshot.AgeGroup(rng.IntN(5))
		r.Post.Sentiment = pick(rng, earshot.Sentiment{100}, earshot.Sentiment{10, 20, 70})
		r.Post.Interests = []earshot.InterestID{earshot.InterestID(1 + rng.IntN(300)), earshot.InterestID(1 + rng.IntN(30))}
		if class := int64(rng.IntN(80)); rng.IntN(4) == 0 {
			r.Post.Images = []earshot.Image{{Objects: []earshot.ImageObject{{ClassID: class, ClassName: fmt.Sprint("class ", class)}, {ClassName: "thing"}}}}
		}
	}
	return writeSegment(b, rows)
}

// firstKey returns a key of one of the posts.
func firstKey(d poststore.Dim, posts []earshot.Post) string {
	for i := range posts {
		if keys := enginekit.AppendKeys(nil, d, &posts[i], time.UTC); len(keys) > 0 {
			return keys[0]
		}
	}
	return "nothing"
}
