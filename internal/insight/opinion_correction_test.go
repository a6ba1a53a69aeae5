package insight_test

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// correctedPosts is a store with corrections of a monitor's posts.
type correctedPosts struct {
	*memory.Store
	corrections *poststore.Corrections
}

func (s *correctedPosts) For(earshot.MonitorID) *poststore.Corrections { return s.corrections }

func (s *correctedPosts) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	of.Corrections = s.corrections
	return s.Store.Days(ctx, of, starts, ts)
}

// correct sets the corrections: the posts with numbers in [from, to) are in a category.
func (w *trainedWorld) correct(category earshot.CategoryID, from, to int) {
	all := map[earshot.PostKey]poststore.Correction{}
	for n := from; n < to; n++ {
		p := post(fmt.Sprint("p", n), "2026-03-10T12:00:00Z", "")
		all[p.Key()] = poststore.Correction{Category: category}
	}
	store := &correctedPosts{w.store, poststore.NewCorrections(all)}
	w.Uncorrected, w.Store, w.Corrections = w.Store, store, store
}

// TestCorrectedCategoriesCountExactly corrects posts of an opinion monitor. The shares of the others
// are estimated, and corrected posts are added as they are.
func TestCorrectedCategoriesCountExactly(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 60, 0, 0) // posts 1 to 60
	w.bring(t, 10, 0, 30, 0) // 61 to 90
	w.bring(t, 10, 0, 0, 10) // 91 to 100
	w.bring(t, 12, 0, 0, 200)
	want := func(lines ...string) {
		t.Helper()
		if got := w.volumes(t, between(10, 13), false); !reflect.DeepEqual(got, lines) {
			t.Errorf("got %q, want %q", got, lines)
		}
	}
	none, other := "0/0 0 0.00 0 0.00 0 0.00", "200/0 0 0.00 0 0.00 200 1.00"
	want("100/90 60 0.60 30 0.30 10 0.10", none, other)
	w.correct(price, 1, 21)
	want("100/90 40 0.40 50 0.50 10 0.10", none, other)
	w.correct(taste, 1, 21) // as the model says
	want("100/90 60 0.60 30 0.30 10 0.10", none, other)
	w.correct(taste, 1, 101)
	want("100/100 100 1.00 0 0.00 0 0.00", none, other)
	w.correct(price, 1, 21)
	list, err := w.Proportions(t.Context(), w.monitor, between(10, 11))
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range list.Days[0].Categories {
		share, low := []float64{0.4, 0.5, 0.1}[i], []float64{0, 0.2, 0}[i] // 20 of 100 posts are certainly about the price
		if math.Abs(c.Share-share) > 0.01 || c.Low > c.Share || c.High < c.Share || c.Low < low || c.High > 0.8+low {
			t.Errorf("got %+v, want a share of about %v in an interval from %v to %v", c, share, low, 0.8+low)
		}
	}

	// A category that the model was not trained on has only corrected posts.
	w.monitor.Categories = append(w.monitor.Categories, earshot.Category{ID: 104, Name: "New", TrainingDocs: 12})
	w.correct(104, 1, 21)
	want("100/90 40 0.40 30 0.30 10 0.10 20 0.20", none+" 0 0.00", other+" 0 0.00")
	w.correct(104, 1, 1)
	want("100/90 60 0.60 30 0.30 10 0.10 0 0.00", none+" 0 0.00", other+" 0 0.00")
}
