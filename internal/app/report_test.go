package app_test

import (
	"fmt"
	"strings"
	"testing"

	"earshot/internal/report"
	"earshot/internal/report/pdftext"
)

// TestAReportMatchesTheOverview reads the numbers of PDF reports back and compares them with the
// overview.
func TestAReportMatchesTheOverview(t *testing.T) {
	w := newWorld(t, 12)
	for range 2 {
		w.change()
	}
	for _, m := range w.monitors {
		for _, id := range []int64{m.id, m.filter} {
			for _, query := range []string{"start=2026-03-05&end=2026-04-07", "start=2026-03-05&end=2026-04-07&filter=gender:F&paper=letter"} {
				w.compareReport(id, query)
			}
		}
	}
}

func (w *world) compareReport(id int64, query string) {
	w.Helper()
	pages, err := pdftext.Pages([]byte(w.file(fmt.Sprintf("/manage/v1/monitors/%d/report?%s", id, query))))
	if err != nil {
		w.Fatal(err)
	}
	lines := map[string]bool{}
	for _, page := range pages {
		for line := range strings.Lines(page) {
			lines[strings.TrimSpace(line)] = true
		}
	}
	var o overview
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", id, query), &o)
	want := []string{report.Number(o.Posts), report.Number(o.Authors.Count)}
	for _, list := range [][]countedItem{o.Categories, o.Emotions, o.Sources, o.Languages, o.Places.Countries} {
		for _, item := range list[:min(len(list), 10)] {
			want = append(want, report.Number(item.Posts))
		}
	}
	for _, list := range [][]countedItem{o.Sources, o.Languages, o.Authors.Top} {
		for _, item := range list[:min(len(list), 10)] {
			want = append(want, item.Name)
		}
	}
	for _, c := range o.Sources[:min(len(o.Sources), 10)] {
		want = append(want, report.Percent(float64(c.Posts)/float64(o.Posts)))
	}
	for _, text := range want {
		if !lines[text] {
			w.Errorf("monitor %d, %s: %q is not in the report:\n%s", id, query, text, strings.Join(pages, "\n"))
			return
		}
	}
	if last := fmt.Sprintf("Page %d of %d", len(pages), len(pages)); !lines[last] {
		w.Errorf("monitor %d: the report does not end with %q", id, last)
	}
}
