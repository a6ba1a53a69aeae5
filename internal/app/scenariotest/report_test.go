package scenariotest

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/config"
	"earshot/internal/report/format"
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
	want := []string{format.Number(o.Posts), format.Number(o.Authors.Count)}
	for _, list := range [][]countedItem{o.Categories, o.Emotions, o.Sources, o.Languages, o.Places.Countries} {
		for _, item := range list[:min(len(list), 10)] {
			want = append(want, format.Number(item.Posts))
		}
	}
	for _, list := range [][]countedItem{o.Sources, o.Languages, o.Authors.Top} {
		for _, item := range list[:min(len(list), 10)] {
			want = append(want, item.Name)
		}
	}
	for _, c := range o.Sources[:min(len(o.Sources), 10)] {
		want = append(want, format.Percent(float64(c.Posts)/float64(o.Posts)))
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

// TestADashboardReportMatchesItsCards reads the numbers of the report of a dashboard back.
func TestADashboardReportMatchesItsCards(t *testing.T) {
	w := newWorld(t, 13)
	w.change()
	id := w.monitors[0].id
	var monitor struct{ Team int64 }
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", id), &monitor)
	const days = `"start":"2026-03-05","end":"2026-04-07"`
	board := w.add("/manage/v1/dashboards", fmt.Sprintf(`{"team":%d,"name":"Weekly","cards":[{"kind":"figures","monitor":%[2]d,%[3]s},{"kind":"sources","monitor":%[2]d,"filter":"gender:F",%[3]s},`+
		`{"kind":"comparison","rows":[{"monitor":%[2]d},{"monitor":%[4]d}],%[3]s},{"kind":"text","title":"To do","text":"Call them"},{"kind":"posts","monitor":%[2]d,"sort":"newest",%[3]s}]}`, monitor.Team, id, days, w.monitors[1].id))
	pages, err := pdftext.Pages([]byte(w.file(fmt.Sprintf("/manage/v1/dashboards/%d/report", board))))
	if err != nil {
		t.Fatal(err)
	}
	text := "\n" + strings.Join(pages, "\n") + "\n"
	var all, female, other overview
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?start=2026-03-05&end=2026-04-07", id), &all)
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?start=2026-03-05&end=2026-04-07&filter=gender:F", id), &female)
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?start=2026-03-05&end=2026-04-07", w.monitors[1].id), &other)
	for _, want := range []string{
		"Weekly", format.Number(all.Posts), format.Number(female.Sources[0].Posts), format.Percent(float64(female.Sources[0].Posts) / float64(female.Posts)),
		format.Number(other.Posts), "To do", "Call them", "Share of voice",
	} {
		if !strings.Contains(text, "\n"+want+"\n") {
			t.Errorf("%q is not in the report:\n%s", want, text)
		}
	}
	if !strings.Contains(text, "Filter: gender:F") {
		t.Errorf("the report does not name the filter:\n%s", text)
	}
	if file := w.file(fmt.Sprintf("/manage/v1/dashboards/%d/report?format=xlsx", board)); !strings.HasPrefix(file, "PK") {
		t.Errorf("got %.20q, want a workbook", file)
	}
}

// TestReportsHideRestrictedTexts draws posts of a restricted source in every format.
func TestReportsHideRestrictedTexts(t *testing.T) {
	cfg := config.New()
	cfg.Data = t.TempDir()
	now := time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC)
	w := &world{T: t, app: openApp(t, cfg, app.Options{Now: func() time.Time { return now }})}
	var signedIn struct{ Auth string }
	w.get("/api/authenticate?username=admin&password=correct+horse+battery", &signedIn)
	w.token = signedIn.Auth
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	id := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Coffee","team":%d,"keywords":"coffee","start":"2026-03-01"}`, team))
	w.send("/manage/v1/posts", `{"type":"Twitter","guid":"t1","date":"2026-04-11T10:00:00Z","contents":"coffee zymurgy","author":"ann (Ann)","url":"http://twitter.com/a/status/1"}
{"type":"News","guid":"n1","date":"2026-04-11T10:00:00Z","title":"Headline","contents":"coffee ferment","author":"Ada","url":"https://www.example.com/1"}
`, &struct{}{})
	if err := w.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	board := w.add("/manage/v1/dashboards", fmt.Sprintf(`{"team":%d,"name":"Weekly","cards":[{"kind":"posts","monitor":%d,"sort":"newest"},{"kind":"topics","monitor":%[2]d}]}`, team, id))
	for _, path := range []string{fmt.Sprintf("monitors/%d", id), fmt.Sprintf("dashboards/%d", board)} {
		pages, err := pdftext.Pages([]byte(w.file("/manage/v1/" + path + "/report?start=2026-04-01&end=2026-04-20")))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(pages, "\n")
		if !strings.Contains(text, "coffee ferment") || !strings.Contains(text, "Text not shown") {
			t.Errorf("%s: the report lacks a text, or that another one is not shown:\n%s", path, text)
		}
		if strings.Contains(text, "zymurgy") {
			t.Errorf("%s: the report contains a restricted text:\n%s", path, text)
		}
		for _, file := range []string{"/report?format=xlsx", "/export?format=xlsx"} {
			if strings.HasPrefix(path, "dashboards") && file == "/export?format=xlsx" {
				continue
			}
			text := unzip(t, w.file("/manage/v1/"+path+file+"&start=2026-04-01&end=2026-04-20"))
			if !strings.Contains(text, "coffee ferment") || strings.Contains(text, "zymurgy") {
				t.Errorf("%s%s lacks a text, or contains a restricted one:\n%s", path, file, text)
			}
		}
	}
}

// unzip returns all files of an archive, one after the other.
func unzip(t *testing.T, archive string) string {
	t.Helper()
	z, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(&all, r); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}
