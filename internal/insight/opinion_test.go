package insight_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/state/catalog"
)

// A trainedWorld has an opinion monitor with a model, which tests may replace.
type trainedWorld struct {
	*insight.Service
	store     *memory.Store
	monitor   *earshot.Monitor
	model     *opinion.Model
	used      earshot.Model
	requested func() // called before InUse returns
	lost      int    // number of calls to InUse that fail to find the model
	posts     int
}

const (
	taste    = earshot.CategoryID(101)
	price    = earshot.CategoryID(102)
	offTopic = earshot.CategoryID(103)
)

var texts = map[earshot.CategoryID]string{
	taste:    "smooth flavour and rich aroma",
	price:    "expensive and costs dollars",
	offTopic: "weather with rain tomorrow",
}

func newTrainedWorld(t *testing.T) *trainedWorld {
	t.Helper()
	w := &trainedWorld{store: memory.New(), monitor: &earshot.Monitor{
		ID: theMonitor, Type: earshot.Opinion, Timezone: "UTC", Start: date(1), Enabled: true,
		Categories: []earshot.Category{
			{ID: taste, Name: "Taste", TrainingDocs: 12}, {ID: price, Name: "Price", TrainingDocs: 12}, {ID: offTopic, Name: "Off-topic", TrainingDocs: 12, Hidden: true}},
	}}
	w.Service = &insight.Service{Store: w.store, Opinions: w, Now: func() time.Time { return time.Date(2026, time.March, 20, 12, 0, 0, 0, time.UTC) }}
	var docs []opinion.Document
	for category, text := range texts {
		for i := range 12 {
			docs = append(docs, opinion.Document{Post: earshot.Post{URL: fmt.Sprint(category, i), Contents: fmt.Sprintf("%s number %d", text, i)}, Category: category})
		}
	}
	var err error
	if w.model, err = opinion.Train(t.Context(), []earshot.CategoryID{taste, price, offTopic}, docs); err != nil {
		t.Fatal(err)
	}
	w.used = earshot.Model{Record: 1, Buffer: 1, Time: time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)}
	return w
}

// InUse implements [insight.Opinions].
func (w *trainedWorld) InUse(context.Context, earshot.MonitorID) (earshot.Model, *opinion.Model, error) {
	if w.requested != nil {
		w.requested()
	}
	if w.lost > 0 {
		w.lost--
		return earshot.Model{}, nil, fmt.Errorf("read model: %w", catalog.ErrNotFound)
	}
	if w.used.Record == 0 {
		return earshot.Model{}, nil, nil
	}
	return w.used, w.model, nil
}

// bring stores a number of posts of each category on a day.
func (w *trainedWorld) bring(t *testing.T, day int, ofTaste, ofPrice, ofOther int) {
	t.Helper()
	var matched []poststore.MatchedPost
	for category, n := range map[earshot.CategoryID]int{taste: ofTaste, price: ofPrice, offTopic: ofOther} {
		for range n {
			w.posts++
			p := post(fmt.Sprint("p", w.posts), fmt.Sprintf("2026-03-%02dT12:00:00Z", day), texts[category])
			assigned, levels := w.model.Categorize(&p, nil)
			sets := poststore.AppendCategorySets([]poststore.SetID{poststore.MonitorSet(theMonitor)}, w.model.Categories, w.used.Buffer, assigned, levels)
			matched = append(matched, poststore.MatchedPost{Post: p, Sets: sets})
		}
	}
	if err := w.store.Append(t.Context(), earshot.Position(w.posts), matched); err != nil {
		t.Fatal(err)
	}
}

// volumes returns a line per day with the number of posts, of relevant posts, and of posts per
// category.
func (w *trainedWorld) volumes(t *testing.T, days earshot.Days, visible bool) (list []string) {
	t.Helper()
	results, err := w.Results(t.Context(), w.monitor, days, visible)
	if err != nil {
		return []string{err.Error()}
	}
	for _, r := range results {
		text := fmt.Sprintf("%d/%d", r.Posts, r.Relevant)
		for _, c := range r.Categories {
			text += fmt.Sprintf(" %d %.2f", c.Posts, c.Proportion)
		}
		list = append(list, text)
	}
	return list
}

func TestSharesOfOpinionMonitor(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 60, 30, 10)
	w.bring(t, 12, 0, 0, 200)
	f := func(days earshot.Days, visible bool, want ...string) {
		t.Helper()
		if got := w.volumes(t, days, visible); !reflect.DeepEqual(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	f(between(10, 11), false, "100/90 60 0.60 30 0.30 10 0.10")
	f(between(10, 11), true, "100/90 60 0.67 30 0.33 10 0.00")
	f(between(9, 13), false, "0/0 0 0.00 0 0.00 0 0.00", "100/90 60 0.60 30 0.30 10 0.10", "0/0 0 0.00 0 0.00 0 0.00", "200/0 0 0.00 0 0.00 200 1.00")

	// A category that the model lacks has no posts. Posts of a removed category are in none, as long
	// as the monitor has enough training posts for another model.
	w.monitor.Categories = append(w.monitor.Categories[:2:2], earshot.Category{ID: 104, Name: "New", Hidden: true})
	f(between(10, 11), false, "100/100 60 0.67 30 0.33 0 0.00")
	w.monitor.Categories[2].Hidden = false
	f(between(10, 11), false, "Monitor 9 needs more training: every category needs at least 10 training posts, New has 0")
}

func TestMonitorWithoutModel(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 1, 1, 1)
	w.used = earshot.Model{}
	var e *earshot.Error
	if _, err := w.Results(t.Context(), w.monitor, between(10, 11), false); !errors.As(err, &e) || e.Kind != earshot.Unavailable {
		t.Errorf("during training: got %v", err)
	}
	w.monitor.Categories[1].TrainingDocs = 3
	if _, err := w.Results(t.Context(), w.monitor, between(10, 11), false); err == nil || !strings.Contains(err.Error(), "Price has 3") {
		t.Errorf("with too few training posts: got %v", err)
	}
}

func TestComputationRepeatsIfModelChanges(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 60, 30, 10)
	times := 0
	w.requested = func() {
		if times++; times == 2 { // after the first attempt
			w.used.Record = 2
		}
	}
	requested := 0
	err := w.WithCategorization(t.Context(), w.monitor, func(by insight.Categorization) error {
		requested++
		if by.ModelID != int64(requested) {
			t.Errorf("attempt %d uses model %d", requested, by.ModelID)
		}
		return nil
	})
	if err != nil || requested != 2 {
		t.Errorf("got %d attempts, %v", requested, err)
	}
	w.lost = 3
	if err := w.WithCategorization(t.Context(), w.monitor, func(insight.Categorization) error { return nil }); err != nil {
		t.Errorf("model replaced while reading it: got %v", err)
	}
}

func TestSparseDayUsesPrecedingDays(t *testing.T) {
	w := newTrainedWorld(t)
	estimate := func(days earshot.Days) string {
		t.Helper()
		p, err := w.Proportions(t.Context(), w.monitor, days)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(p.Days[len(p.Days)-1].Categories)
	}
	w.bring(t, 10, 50, 50, 0)
	w.bring(t, 11, 1, 0, 0)
	alone := estimate(between(11, 12))
	if both := estimate(between(10, 12)); alone != both {
		t.Errorf("requested alone: %s, with other days: %s", alone, both)
	}
	w.bring(t, 12, 0, 100, 0)
	if later := estimate(between(11, 12)); later != alone {
		t.Errorf("got %s, then %s, although only a later day changed", alone, later)
	}
	w.bring(t, 10, 500, 0, 0)
	if after := estimate(between(11, 12)); after == alone {
		t.Errorf("got %s, although a preceding day has changed", after)
	}
}

func TestIntervalsContainShares(t *testing.T) {
	w := newTrainedWorld(t)
	w.bring(t, 10, 60, 30, 10)
	w.bring(t, 11, 2, 1, 0)
	list, err := w.Proportions(t.Context(), w.monitor, between(10, 13))
	if err != nil || len(list.Days) != 3 {
		t.Fatalf("got %+v, %v", list, err)
	}
	for _, day := range append(list.Days, list.Total) {
		volume := int64(0)
		for _, c := range day.Categories {
			volume += c.Posts
			if c.Low > c.Share || c.High < c.Share || c.Low < 0 || c.High > 1 {
				t.Errorf("%v: %+v", day.Day, c)
			}
			if day.Posts > 0 && c.Low == c.High {
				t.Errorf("%v: %+v has an empty interval", day.Day, c)
			}
		}
		if volume != day.Posts {
			t.Errorf("%v: the categories add up to %d of %d posts", day.Day, volume, day.Posts)
		}
	}
	if _, err := w.Proportions(t.Context(), w.monitor, earshot.Days{Start: date(1), End: date(1).AddDays(1)}); err != nil {
		t.Error(err)
	}
}
