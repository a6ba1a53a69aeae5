package scenariotest

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
)

// file returns a downloaded file.
func (w *world) file(path string) string {
	w.Helper()
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	recorder := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(recorder, r)
	if recorder.Code != 200 {
		w.Fatalf("%s: got %d %s", path, recorder.Code, recorder.Body)
	}
	return recorder.Body.String()
}

// rows returns the rows of a table, by column name.
func (w *world) rows(text string) (rows []map[string]string) {
	w.Helper()
	table, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		w.Fatal(err)
	}
	for _, cells := range table[1:] {
		row := map[string]string{}
		for i, cell := range cells {
			row[table[0][i]] = cell
		}
		rows = append(rows, row)
	}
	return rows
}

// TestAnExportMatchesTheList compares exported tables with the list and the volume of the public
// API.
func TestAnExportMatchesTheList(t *testing.T) {
	w := newWorld(t, 11)
	for range 3 {
		w.change()
	}
	for _, m := range w.monitors {
		for _, id := range []int64{m.id, m.filter} {
			for _, filter := range []string{"", "&filter=gender:F", "&filter=keywords:sugar"} {
				w.compareExport(id, filter)
			}
		}
	}
}

func (w *world) compareExport(id int64, filter string) {
	w.Helper()
	const days = "&start=2026-03-05&end=2026-04-07"
	rows := w.rows(w.file(fmt.Sprintf("/manage/v1/monitors/%d/export?format=csv%s%s", id, days, filter)))
	var list struct {
		Posts []struct {
			URL, Author, Contents, Type, Language, AuthorGender, Date string
			Geolocation                                               earshot.Place
			AssignedCategoryID, AssignedEmotionID                     int64
			CategoryScores                                            []struct {
				CategoryID   int64
				CategoryName string
			}
		}
	}
	w.get(fmt.Sprintf("/api/monitor/posts?id=%d&extendLimit=true&fullContents=true%s%s", id, days, filter), &list)
	if len(rows) != len(list.Posts) || len(rows) == 0 {
		w.Fatalf("monitor %d%s: got %d rows, want %d", id, filter, len(rows), len(list.Posts))
	}
	perDay := map[string]int64{}
	for i, p := range list.Posts {
		category := ""
		for _, s := range p.CategoryScores {
			if s.CategoryID == p.AssignedCategoryID {
				category = s.CategoryName
			}
		}
		want := map[string]string{
			"url": p.URL, "author": p.Author, "contents": p.Contents, "type": p.Type, "language": p.Language, "authorGender": p.AuthorGender,
			"country": p.Geolocation.Country, "state": p.Geolocation.State, "city": p.Geolocation.City, "category": category,
		}
		for column, value := range want {
			if rows[i][column] != value {
				w.Errorf("row %d of %d: got %s %q, want %q", i, id, column, rows[i][column], value)
			}
		}
		if date := rows[i]["date"]; len(date) < 19 || date[:19] != p.Date {
			w.Errorf("row %d of %d: got date %s, want %s", i, id, date, p.Date)
		}
		perDay[rows[i]["date"][:10]]++
	}
	if filter != "" {
		return
	}
	var volume struct {
		Volume []struct {
			StartDate         string
			NumberOfDocuments int64
		}
	}
	w.get(fmt.Sprintf("/api/monitor/volume?id=%d%s", id, days), &volume)
	for _, day := range volume.Volume {
		if got := perDay[day.StartDate[:10]]; got != day.NumberOfDocuments {
			w.Errorf("monitor %d on %s: got %d rows, want %d", id, day.StartDate, got, day.NumberOfDocuments)
		}
	}
}

// TestAnExportCanBeImported exports lines, imports them elsewhere and exports them again.
func TestAnExportCanBeImported(t *testing.T) {
	w := newWorld(t, 12)
	w.change()
	export := func(w *world) string {
		return w.file(fmt.Sprintf("/manage/v1/monitors/%d/export?format=ndjson&start=2026-03-01&end=2026-04-20&filter=source:Twitter,News,Instagram,Blogs", w.monitors[0].id))
	}
	want := export(w)
	lines := strings.Count(want, "\n")
	if lines < 10 {
		t.Fatalf("got %d lines", lines)
	}
	other := newWorld(t, 12)
	var taken struct{ Accepted, Rejected int }
	if other.send("/manage/v1/posts", want, &taken); taken.Accepted != lines || taken.Rejected != 0 {
		t.Fatalf("got %v, want that all %d lines are accepted", taken, lines)
	}
	if err := other.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := export(other); got != want {
		t.Errorf("got  %.2000s\nwant %.2000s", got, want)
	}
}

// A sink accepts some bytes of a response, then fails.
type sink struct {
	httptest.ResponseRecorder
	left int
}

func (s *sink) Write(p []byte) (int, error) {
	if s.left -= len(p); s.left < 0 {
		return 0, errors.New("the client has disconnected")
	}
	return s.ResponseRecorder.Write(p)
}

// TestAnExportThatIsCanceledIsLoggedOnce interrupts an export of microblog posts.
func TestAnExportThatIsCanceledIsLoggedOnce(t *testing.T) {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RestrictedSources = t.TempDir(), 0, nil
	now := time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC)
	w := &world{T: t, app: openApp(t, cfg, app.Options{Now: func() time.Time { return now }})}
	var signedIn struct{ Auth string }
	w.get("/api/authenticate?username=admin&password=correct+horse+battery", &signedIn)
	w.token = signedIn.Auth
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	id := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"m","team":%d,"keywords":"coffee","start":"2026-04-01"}`, team))
	var lines bytes.Buffer
	for i := range 3000 {
		fmt.Fprintf(&lines, `{"type":"Twitter","guid":"%d","date":"2026-04-10T00:00:%02dZ","contents":"coffee %s"}`+"\n", i, i%60, strings.Repeat("x", 100))
	}
	var taken struct{ Accepted int }
	if w.send("/manage/v1/posts", lines.String(), &taken); taken.Accepted != 3000 {
		t.Fatalf("%d posts were accepted", taken.Accepted)
	}
	if err := w.app.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	path := fmt.Sprintf("/manage/v1/monitors/%d/export", id)
	if got := w.rows(w.file(path)); len(got) != 3000 || !slices.IsSortedFunc(got, func(a, b map[string]string) int { return strings.Compare(b["date"], a["date"]) }) {
		t.Errorf("got %d rows, or in another order", len(got))
	}

	out := &sink{ResponseRecorder: *httptest.NewRecorder(), left: 200_000}
	r := httptest.NewRequest("GET", path, nil)
	r.Header.Set("Authorization", "Bearer "+w.token)
	func() {
		defer func() {
			if r := recover(); r != http.ErrAbortHandler {
				t.Errorf("got %v, want the connection to be closed", r)
			}
		}()
		w.app.Handler().ServeHTTP(out, r)
	}()
	if body, _ := io.ReadAll(out.Result().Body); len(body) == 0 {
		t.Errorf("got nothing, want a part")
	}

	var audit struct {
		AuditInfo []struct{ Event, User string }
	}
	w.get(fmt.Sprintf("/api/monitor/audit?id=%d", id), &audit)
	events := []string{}
	for _, e := range audit.AuditInfo {
		events = append(events, e.Event+" "+e.User)
	}
	if want := []string{"UI_TWITTER_EXPORT admin", "UI_TWITTER_EXPORT admin", "ENABLED admin"}; !slices.Equal(events, want) {
		t.Errorf("got %v, want %v", events, want)
	}
}
