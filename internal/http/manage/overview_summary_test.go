package manage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
)

// A brokenStore cannot count the posts of some monitors.
type brokenStore struct {
	insight.Store
	broken map[poststore.SetID]error
}

func (s brokenStore) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	if err := s.broken[of.Set]; err != nil {
		return nil, err
	}
	return s.Store.Days(ctx, of, starts, ts)
}

func TestSummaryShowsOthersWhenOneMonitorFails(t *testing.T) {
	w := newTrainingWorld(t)
	w.do("ann", "POST", "", `{"name":"damaged","team":1,"keywords":"a"}`)
	w.do("ann", "POST", "", `{"name":"whole","team":1,"keywords":"a"}`)
	list := w.api.Monitors.List(w.callers["ann"], 0)
	w.api.Insight.Store = brokenStore{memory.New(), map[poststore.SetID]error{
		poststore.MonitorSet(list[0].ID): earshot.Errorf(earshot.TooLarge, "Too much"), poststore.MonitorSet(list[1].ID): errors.New("file 7 is damaged"),
	}}
	var log bytes.Buffer
	w.api.Log = slog.New(slog.NewTextHandler(&log, nil))
	response, err := w.api.showSummary(t.Context(), w.callers["ann"], summaryParams{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, item := range response.Items {
		got = append(got, fmt.Sprintf("%s: %d days, %d categories, error %q", item.Name, len(item.Spark), len(item.Categories), item.Error))
	}
	want := `damaged: 0 days, 0 categories, error "Internal error"; M: 0 days, 0 categories, error "Too much"; whole: 30 days, 3 categories, error ""`
	if strings.Join(got, "; ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, "; "), want)
	}
	if text := log.String(); strings.Count(text, "\n") != 1 || !strings.Contains(text, "file 7 is damaged") {
		t.Errorf("got log %s", text)
	}
	gone, stop := context.WithCancel(t.Context())
	stop()
	if _, err := w.api.showSummary(gone, w.callers["ann"], summaryParams{}); !errors.Is(err, context.Canceled) {
		t.Errorf("for a disconnected client: got %v", err)
	}
}
