package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/poststore/memory"
	"earshot/internal/test/testenv"
)

// A row with many hashtags is in more groups than are counted at once.
func TestCountManyHashtags(t *testing.T) {
	testenv.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 1))
	p := &segmentPool{store: memory.New()}
	for i, n := range []int{600, 30} {
		rows := make([]Row, n)
		for j := range rows {
			rows[j] = Row{Post: oddPost(t, rng, fmt.Sprint(i, "-", j), time.Hour)}
			for range 45 {
				rows[j].Post.Hashtags = append(rows[j].Post.Hashtags, fmt.Sprint("tag", rng.IntN(100)))
			}
		}
		p.add(t, rng, rows, 100)
	}
	twice := []poststore.Dim{poststore.ByHashtag, poststore.ByHashtag}
	p.compare(t, []poststore.Tally{
		{By: twice, Sum: []poststore.Measure{poststore.Authors, poststore.Replies}},
		{By: twice[:1]},
	})
}

// A segment with very many authors and hours has columns of all widths.
func TestCountManyGroups(t *testing.T) {
	testenv.SkipUnderRace(t)
	rng := rand.New(rand.NewPCG(1, 2))
	p := &segmentPool{store: memory.New()}
	rows := make([]Row, 70_000)
	for i := range rows {
		rows[i].Post = &earshot.Post{
			Source:     earshot.Twitter,
			GUID:       fmt.Sprint(i),
			Time:       sampleStart.Add(time.Duration(i) * time.Hour),
			Author:     fmt.Sprint("author ", i),
			Site:       fmt.Sprint(i%1000, ".example.com"),
			ParentGUID: fmt.Sprint(i % 5000),
		}
	}
	p.add(t, rng, rows[:69_000], 100)
	p.add(t, rng, rows[69_000:], 50)
	all := []poststore.Tally{
		{By: []poststore.Dim{poststore.ByAuthor, poststore.ByHour, poststore.ByParent, poststore.ByAuthor, poststore.ByDay}},
		{By: []poststore.Dim{poststore.ByDay}, Sum: []poststore.Measure{poststore.Authors}},
		{By: []poststore.Dim{poststore.ByAuthor}, Top: 1000},
	}
	for _, d := range poststore.Dims {
		all = append(all, poststore.Tally{By: []poststore.Dim{d}})
	}
	p.compare(t, all)
}

// Queries that exceed the budget fail with a message that states what to do.
func TestCountBudget(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 3))
	rows := make([]Row, 5000)
	for i := range rows {
		rows[i].Post = oddPost(t, rng, fmt.Sprint(i), time.Hour)
		rows[i].Post.Time = sampleStart.Add(time.Duration(i) * time.Hour)
		rows[i].Post.Author, rows[i].Post.AuthorUsername = "", fmt.Sprint("user", i)
	}
	f := writeSegment(t, rows)
	count := func(bytes int64, tally poststore.Tally) error {
		ts := []poststore.Tally{tally}
		counts, err := f.Count(t.Context(), nil, ts, nil, NewBudget(bytes))
		if err == nil {
			_, err = Sum(ts, []*Counts{counts})
		}
		return err
	}
	for _, tally := range []poststore.Tally{
		{By: []poststore.Dim{poststore.ByAuthor}},
		{By: []poststore.Dim{poststore.ByHour}},
		{By: []poststore.Dim{poststore.ByHashtag}},
		{By: []poststore.Dim{poststore.ByAuthor, poststore.ByHour, poststore.BySite}},
		{By: []poststore.Dim{poststore.ByHour, poststore.ByHashtag}, Sum: []poststore.Measure{poststore.Authors}},
		{Sum: []poststore.Measure{poststore.Authors}},
	} {
		if err := count(MaxQueryBytes, tally); err != nil {
			t.Errorf("by %v of %v: got %v, want it to fit", tally.By, tally.Sum, err)
		}
		// Wherever the budget runs out, Count returns a result or reports that it does not fit.
		refused := 0
		for bytes := int64(100); bytes < 10<<20; bytes *= 2 {
			err := count(bytes, tally)
			if err == nil {
				continue
			}
			refused++
			if !errors.Is(err, ErrTooManyGroups) || !earshot.IsKind(err, earshot.Invalid) {
				t.Errorf("by %v of %v in %d bytes: got %v", tally.By, tally.Sum, bytes, err)
			}
		}
		if refused < 5 {
			t.Errorf("by %v of %v: got %d failures, want at least 5", tally.By, tally.Sum, refused)
		}
	}
}

func TestCountBudgetIsShared(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	f := writeSegment(t, sampleRows(rng, 100))
	budget := NewBudget(20_000)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.ByParent, poststore.ByAuthor}}}
	for range 1000 {
		if _, err := f.Count(t.Context(), nil, ts, nil, budget); errors.Is(err, ErrTooManyGroups) {
			return
		}
	}
	t.Error("a thousand segments fit in the budget of a few")
}

func TestCountStopsWhenCanceled(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	f := writeSegment(t, sampleRows(rng, 100))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, d := range poststore.Dims {
		if _, err := f.Count(ctx, nil, []poststore.Tally{{By: []poststore.Dim{d}}}, nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("by dimension %d: got %v, want %v", d, err, context.Canceled)
		}
	}
}

func TestCountOfMalformedSegment(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 6))
	f := writeSegment(t, sampleRows(rng, 100))
	for _, tally := range []poststore.Tally{{By: []poststore.Dim{99}}, {Sum: []poststore.Measure{99}}, {Top: -1}} {
		if _, err := f.Count(t.Context(), nil, []poststore.Tally{tally}, nil, nil); err == nil {
			t.Errorf("%+v: got no error", tally)
		}
	}
	if _, err := f.Count(t.Context(), roaring.BitmapOf(5, 100), nil, nil, nil); err == nil {
		t.Error("row 100 of 100: got no error")
	}
}

// A tally without dimensions has a row even without segments.
func TestSumWithoutCounts(t *testing.T) {
	got, err := Sum([]poststore.Tally{{Sum: []poststore.Measure{poststore.Likes}}, {By: []poststore.Dim{poststore.ByDay}}}, nil)
	check(t, err)
	compareRows(t, "without dimensions", got[0], []poststore.Row{{Key: []string{}, Sums: []int64{0}}})
	compareRows(t, "by day", got[1], nil)
}

// Ids outside a dictionary are damage and must not cause a panic.
func TestCountOfCorruptSegment(t *testing.T) {
	path := filepath.Join(t.TempDir(), "posts")
	w, err := colfile.Create(path, colfile.Options{Rows: 2})
	check(t, err)
	few := slices.Values([][]byte{nil, []byte("a")})
	check(t, errors.Join(
		w.Uints(colSite, colfile.Values([]uint8{1, 2})),
		w.Strings(dictSite, few),
		w.Lists(listHashtags, 3, slices.Values([][]uint32{{1}, {2}})),
		w.Strings(dictHashtag, few),
		w.Close(),
	))
	f := openSegment(t, path)
	for _, d := range []poststore.Dim{poststore.BySite, poststore.ByHashtag} {
		_, err := f.Count(t.Context(), nil, []poststore.Tally{{By: []poststore.Dim{d}}}, nil, nil)
		var corrupt *colfile.CorruptError
		if !errors.As(err, &corrupt) {
			t.Errorf("by dimension %d: got %v, want a CorruptError", d, err)
		}
	}
}
