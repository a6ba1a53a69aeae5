package segment

import (
	"context"
	"fmt"
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// TestSegmentsFromBeforeModels reads a segment as it was written before there were models.
func TestSegmentsFromBeforeModels(t *testing.T) {
	f, err := colfile.Build("earlier", colfile.Options{Rows: 3}, func(w *colfile.Writer) error {
		w.Uints(colAge, colfile.Values([]uint64{0, 18, 61}))
		w.Sets(setFlags, func(yield func(uint64, []uint32) bool) {})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	earlier := &Segment{File: f}
	tests := []struct {
		by   poststore.Dim
		want []poststore.Row
	}{
		{poststore.ByAge, []poststore.Row{{Key: []string{"THIRTYFIVE_AND_OVER"}, Posts: 1, Sums: []int64{}}, {Key: []string{"ZERO_TO_SEVENTEEN"}, Posts: 1, Sums: []int64{}}}},
		{poststore.BySentiment, nil},
		{poststore.ByEmotion, nil},
		{poststore.ByInterest, nil},
		{poststore.ByImageClass, nil},
		{poststore.ByBrand, nil},
	}
	for _, tt := range tests {
		ts := []poststore.Tally{{By: []poststore.Dim{tt.by}}}
		counts, err := earlier.Count(t.Context(), nil, ts, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Sum(ts, []*Counts{counts})
		if err != nil {
			t.Fatal(err)
		}
		compareRows(t, fmt.Sprint("dimension ", tt.by), got[0], tt.want)
	}
	x := &index{ctx: context.Background(), segment: earlier, rows: 3}
	if got := x.byCategory(poststore.CategoryFilter{Sentiments: 1 << earshot.Positive}, nil); !got.Matches.IsEmpty() || x.err != nil {
		t.Errorf("positive posts: got %v, %v, want none", got.Matches, x.err)
	}
	if _, err := earlier.Uints(colLikes); err == nil {
		t.Error("a required column may be missing")
	}
}

// TestSegmentsWithoutPictures reads a segment written before segments recorded which posts have
// images.
func TestSegmentsWithoutPictures(t *testing.T) {
	posts := []earshot.Post{{GUID: "1"}, {GUID: "2", Images: []earshot.Image{{URL: "u"}}}, {GUID: "3"}}
	f, err := colfile.Build("earlier", colfile.Options{Rows: len(posts)}, func(w *colfile.Writer) error {
		return w.Blobs(blobPosts, func(yield func([]byte, error) bool) {
			for i := range posts {
				if !yield(journal.AppendPost(nil, &posts[i]), nil) {
					return
				}
			}
		})
	})
	check(t, err)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.ByPicture}}}
	counts, err := (&Segment{File: f}).Count(t.Context(), nil, ts, nil, nil)
	check(t, err)
	got, err := Sum(ts, []*Counts{counts})
	check(t, err)
	compareRows(t, "posts with images", got[0], []poststore.Row{{Key: []string{"yes"}, Posts: 1, Sums: []int64{}}})
}

// TestSegmentsWithoutCells reads a segment written before segments contained cells of scores.
func TestSegmentsWithoutCells(t *testing.T) {
	posts := []earshot.Post{{GUID: "1", Sentiment: earshot.Sentiment{100, 0, 0}}, {GUID: "2"}, {GUID: "3", Sentiment: earshot.Sentiment{0, 1, 99}, Emotion: earshot.Emotion{earshot.Fear: 100}}}
	f, err := colfile.Build("earlier", colfile.Options{Rows: len(posts)}, func(w *colfile.Writer) error {
		return w.Blobs(blobPosts, func(yield func([]byte, error) bool) {
			for i := range posts {
				if !yield(journal.AppendPost(nil, &posts[i]), nil) {
					return
				}
			}
		})
	})
	check(t, err)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.BySentimentCell}}, {By: []poststore.Dim{poststore.ByEmotionCell}}}
	counts, err := (&Segment{File: f}).Count(t.Context(), nil, ts, nil, nil)
	check(t, err)
	got, err := Sum(ts, []*Counts{counts})
	check(t, err)
	compareRows(t, "cells of sentiments", got[0], []poststore.Row{{Key: []string{"1"}, Posts: 1, Sums: []int64{}}, {Key: []string{"11"}, Posts: 1, Sums: []int64{}}})
	compareRows(t, "cells of emotions", got[1], []poststore.Row{{Key: []string{"7"}, Posts: 1, Sums: []int64{}}})
}

// TestSegmentsWithoutCashtags reads a segment written before segments contained lists of cashtags.
func TestSegmentsWithoutCashtags(t *testing.T) {
	posts := []earshot.Post{{GUID: "1", Cashtags: []string{"nvda", "acme"}}, {GUID: "2"}, {GUID: "3", Cashtags: []string{"acme", "acme"}}}
	f, err := colfile.Build("earlier", colfile.Options{Rows: len(posts)}, func(w *colfile.Writer) error {
		w.Sets(setFlags, func(yield func(uint64, []uint32) bool) {})
		return w.Blobs(blobPosts, func(yield func([]byte, error) bool) {
			for i := range posts {
				if !yield(journal.AppendPost(nil, &posts[i]), nil) {
					return
				}
			}
		})
	})
	check(t, err)
	ts := []poststore.Tally{{By: []poststore.Dim{poststore.ByCashtag}}}
	counts, err := (&Segment{File: f}).Count(t.Context(), nil, ts, nil, nil)
	check(t, err)
	got, err := Sum(ts, []*Counts{counts})
	check(t, err)
	compareRows(t, "posts with cashtags", got[0], []poststore.Row{{Key: []string{"acme"}, Posts: 2, Sums: []int64{}}, {Key: []string{"nvda"}, Posts: 1, Sums: []int64{}}})
}
