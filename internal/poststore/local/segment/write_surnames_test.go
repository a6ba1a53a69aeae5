package segment

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/model/people"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// surnameSample contains surnames from the census, more than an estimate requires.
var surnameSample = strings.Fields(`Smith García Nguyen Washington Jones Miller Lee Kim Patel Lopez Brown Davis Wilson Moore
	Taylor Thomas Jackson White Harris Martin Clark Lewis Walker`)

// TestSegmentsWithoutSurnames reads a segment written before segments contained surnames.
func TestSegmentsWithoutSurnames(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	rows := sampleRows(rng, 500)
	for i := range rows {
		rows[i].Post.AuthorUsername = pick(rng, "", "ada", "a\x00da", "\x00")
		rows[i].Post.Author = pick(rng, "", "Ada\x00 Smith", "Ada "+pick(rng, surnameSample...), "bob (Bob "+pick(rng, surnameSample...)+")", "somebody")
	}
	whole := writeSegment(t, rows)
	earlier := withoutSurnames(t, whole)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.ByEthnicity}}}
	want := countAndSum(t, whole, nil, ts)
	if len(want[0]) != len(people.Ethnicities) {
		t.Fatalf("got rows %v, want one per group", want[0])
	}
	compareRows(t, "older segment", countAndSum(t, earlier, nil, ts)[0], want[0])

	column, err := earlier.Uints(colSurname)
	check(t, err)
	names, err := earlier.Strings(dictSurname)
	check(t, err)
	posts, err := whole.Posts(whole.allRows())
	check(t, err)
	for row := range posts {
		if got, want := names.At(uint32(column.At(uint32(row)))), enginekit.Surname(posts[row].Author); got != want {
			t.Errorf("row %d by %q: got %q, want %q", row, posts[row].Author, got, want)
		}
	}
}

// TestMergeWithoutSurnames merges a segment without surnames with one that has them.
func TestMergeWithoutSurnames(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	rows := sampleRows(rng, 400)
	for i := range rows {
		rows[i].Post.Author = pick(rng, "", "somebody", "Ada "+pick(rng, surnameSample...))
	}
	earlier, now := withoutSurnames(t, writeSegment(t, rows[:200])), writeSegment(t, rows[200:])
	got, _ := mergeSegments(t, []Input{{Segment: earlier}, {Segment: now}})
	compareSegments(t, got, writeSegment(t, rows))
}

// withoutSurnames returns a copy of a segment without surnames.
func withoutSurnames(t *testing.T, f *Segment) *Segment {
	t.Helper()
	made, err := colfile.Build("earlier", colfile.Options{Rows: f.Rows()}, func(w *colfile.Writer) error {
		for _, s := range f.Sections() {
			if s.Name != colSurname && s.Name != dictSurname {
				check(t, copySection(w, f, s))
			}
		}
		return nil
	})
	check(t, err)
	return &Segment{File: made}
}

// countAndSum returns the rows of tallies for some rows of a segment.
func countAndSum(t *testing.T, f *Segment, rows *roaring.Bitmap, ts []poststore.Tally) [][]poststore.Row {
	t.Helper()
	counts, err := f.Count(t.Context(), rows, ts, nil, nil)
	check(t, err)
	got, err := Sum(ts, []*Counts{counts})
	check(t, err)
	return got
}

// TestFewRowsOfManySurnames counts few rows of a segment in which almost every surname is unique.
func TestFewRowsOfManySurnames(t *testing.T) {
	var rows []Row
	for i, surname := range censusSurnames(t, 4500) {
		rows = append(rows, Row{Post: &earshot.Post{GUID: fmt.Sprint(i), Source: earshot.Twitter, Author: "Ann " + surname}})
	}
	f := writeSegment(t, rows)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.ByEthnicity}}}
	for _, n := range []uint32{people.MinSurnames - 1, people.MinSurnames, 200, 4500} {
		some := rowRange(0, n)
		posts, err := f.Posts(some.ToArray())
		check(t, err)
		var all people.Population
		for i := range posts {
			enginekit.AddBearer(&all, &posts[i])
		}
		compareRows(t, fmt.Sprint(n, " rows"), countAndSum(t, f, some, ts)[0], enginekit.EthnicityRows(&all))
	}
}

// censusSurnames returns n distinct surnames from the census.
func censusSurnames(t *testing.T, n int) (found []string) {
	t.Helper()
	for _, first := range "bcdfghklmnprst" {
		for _, second := range "aeiou" {
			for _, third := range "bcdfghklmnprstvwz" {
				for _, end := range []string{"", "a", "e", "i", "o", "er", "man", "son", "ton", "ez", "ski", "ey", "ard", "en"} {
					name := string([]rune{first, second, third}) + end
					if enginekit.Surname("Ann "+name) == name && len(found) < n {
						found = append(found, name)
					}
				}
			}
		}
	}
	if len(found) < n {
		t.Fatalf("found only %d surnames", len(found))
	}
	return found
}
