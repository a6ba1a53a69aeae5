package segment

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
)

func TestSelectAgreesWithSelection(t *testing.T) {
	for seed := range uint64(6) {
		a := queryGenerator{rand.New(rand.NewPCG(seed, 4))}
		rows := sampleRows(a.Rand, 300)
		if seed == 5 {
			addSeparators(rows)
		}
		f := writeSegment(t, rows)
		posts := postsOf(t, f)
		picked := 0
		for range 400 {
			selection, scope := a.selection(), a.scope(f.Rows())
			picked += checkSelect(t, f, posts, selection, scope)
		}
		if picked < 4000 {
			t.Errorf("only %d rows were selected, so the test compared almost nothing", picked)
		}
	}
}

// TestSelectAmongManyNames has more distinct names than are evaluated for few rows.
func TestSelectAmongManyNames(t *testing.T) {
	a := queryGenerator{rand.New(rand.NewPCG(7, 4))}
	rows := sampleRows(a.Rand, 2*minSkippedNames)
	for i, r := range rows {
		r.Post.AuthorUsername = fmt.Sprint(r.Post.AuthorUsername, i)
		r.Post.Site = fmt.Sprintf("host%d.%s", i, r.Post.Site)
		r.Post.Contents += fmt.Sprintf(" app%d", i)
	}
	addSeparators(rows)
	f := writeSegment(t, rows)
	posts := postsOf(t, f)
	for _, keywords := range []string{"author:example", "site:example.com", "apple author:ada", "app*", "pie app*", "-author:bob OR apple", "(the OR x) AND (app1* OR app2*)"} {
		selection := poststore.Selection{Where: compileCondition(t, earshot.Criteria{Keywords: keywords})}
		for range 10 {
			checkSelect(t, f, posts, selection, a.scope(f.Rows()))
		}
	}
}

// addSeparators gives some posts names that contain the separator used in dictionaries.
func addSeparators(rows []Row) {
	for i, r := range rows {
		switch i % 9 {
		case 0:
			r.Post.AuthorUsername, r.Post.Author = "x\x00ada", "bob"
		case 1:
			r.Post.AuthorUsername, r.Post.Author = "x", "ada\x00bob"
		case 2:
			r.Post.Place = earshot.Place{Country: "USA\x00CA", State: "San Diego"}
		}
	}
}

// postsOf returns all posts of a segment by row.
func postsOf(t *testing.T, f *Segment) []*query.Document {
	t.Helper()
	all := make([]uint32, f.Rows())
	for row := range all {
		all[row] = uint32(row)
	}
	posts, err := f.Posts(all)
	if err != nil {
		t.Fatal(err)
	}
	documents := make([]*query.Document, len(posts))
	for i := range posts {
		documents[i] = query.NewDocument(&posts[i])
	}
	return documents
}

// checkSelect compares Select with a loop over the posts and returns the number of selected rows.
func checkSelect(t *testing.T, f *Segment, posts []*query.Document, selection poststore.Selection, scope *roaring.Bitmap) int {
	t.Helper()
	before := scope
	if scope != nil {
		before = scope.Clone()
	}
	var want []uint32
	for row, d := range posts {
		if (scope == nil || scope.Contains(uint32(row))) && enginekit.Matches(&selection, d) {
			want = append(want, uint32(row))
		}
	}
	got, err := f.Select(t.Context(), &selection, scope)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(got.ToArray(), want) {
		t.Fatalf("%s:\n got %v\nwant %v", describe(selection), got.ToArray(), want)
	}
	if scope != nil && !scope.Equals(before) {
		t.Fatalf("%s: Select modified scope", describe(selection))
	}
	got.AddRange(0, uint64(f.Rows())) // callers may modify the result
	return len(want)
}

func describe(selection poststore.Selection) string {
	return fmt.Sprintf("%+v where %+v", selection, selection.Where)
}

// TestSelectOfCorruptSegment flips bits. Each result must be correct or an error about the segment.
func TestSelectOfCorruptSegment(t *testing.T) {
	a := queryGenerator{rand.New(rand.NewPCG(2, 4))}
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
		if !rightOrCorrupt(t, path+".damaged", posts, a.selection()) {
			damaged++
		}
	}
	if damaged < 40 {
		t.Errorf("only %d queries reported damage, so the test covered almost nothing", damaged)
	}
}

// rightOrCorrupt checks that Select returns the correct rows or reports damage. It returns true if
// there was a result.
func rightOrCorrupt(t *testing.T, path string, posts []*query.Document, selection poststore.Selection) bool {
	t.Helper()
	f, err := Open(path)
	if err == nil {
		defer f.Close()
		var got *roaring.Bitmap
		if got, err = f.Select(t.Context(), &selection, nil); err == nil {
			for row, d := range posts {
				if got.Contains(uint32(row)) != enginekit.Matches(&selection, d) {
					t.Fatalf("%s: wrong result for row %d", describe(selection), row)
				}
			}
			return true
		}
	}
	if corrupt := new(colfile.CorruptError); !errors.As(err, &corrupt) && !errors.Is(err, colfile.ErrVersion) {
		t.Fatalf("got %v, want a CorruptError", err)
	}
	return false
}

func TestSelectOfEmptySegment(t *testing.T) {
	f := writeSegment(t, nil)
	a := queryGenerator{rand.New(rand.NewPCG(1, 5))}
	for range 100 {
		checkSelect(t, f, nil, a.selection(), nil)
	}
}

func TestSelectStopsWhenCanceled(t *testing.T) {
	f := writeSegment(t, sampleRows(rand.New(rand.NewPCG(1, 6)), 50))
	where, err := watchlist.Compile(0, earshot.Criteria{Keywords: `"apple pie" OR bio:apple`})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Select(ctx, &poststore.Selection{Where: where}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}
