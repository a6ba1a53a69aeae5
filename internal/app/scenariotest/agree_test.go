package scenariotest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/config"
)

// TestEndpointsAgree generates random posts, changes and monitors, and checks that every metric
// agrees with counts computed here from the list of posts. The time zones change their clocks
// within the queried weeks.
func TestEndpointsAgree(t *testing.T) {
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, seed)
			for range 4 {
				w.change()
				for _, m := range w.monitors {
					w.compare(m, m.id)
					w.compare(m, m.filter)
				}
			}
		})
	}
}

var agreeZones = []string{"UTC", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "Australia/Lord_Howe", "America/Santiago", "Pacific/Apia"}

type world struct {
	*testing.T
	*rand.Rand
	cfg      config.Config
	app      *app.App
	token    string
	source   int64
	monitors []monitorCase
	posts    int
}

type monitorCase struct {
	id, filter int64
	zone       *time.Location
}

func newWorld(t *testing.T, seed uint64) *world {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.RestrictedSources = t.TempDir(), 0, nil
	w := &world{T: t, Rand: rand.New(rand.NewPCG(seed, 6))}
	w.open(cfg)
	var signedIn struct{ Auth string }
	w.get("/api/authenticate?username=admin&password=correct+horse+battery", &signedIn)
	w.token = signedIn.Auth
	team := w.add("/manage/v1/teams", `{"name":"Acme"}`)
	var made struct{ ContentSource struct{ ID int64 } }
	w.send("/api/content/sources", fmt.Sprintf(`{"teamid":%d,"name":"Letters"}`, team), &made)
	w.source = made.ContentSource.ID
	for i, keywords := range []string{"coffee OR tea OR milk", "coffee", "tea NOT milk"} {
		zone := agreeZones[w.IntN(len(agreeZones))]
		loc, err := time.LoadLocation(zone)
		if err != nil {
			t.Fatal(err)
		}
		id := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"m%d","team":%d,"keywords":%q,"timezone":%q,"start":"2026-03-01"}`, i, team, keywords, zone))
		filter := w.add(fmt.Sprintf("/manage/v1/monitors/%d/filters", id), `{"name":"sweet","keywords":"sugar"}`)
		w.monitors = append(w.monitors, monitorCase{id, filter, loc})
	}
	return w
}

// open opens the app on the data of cfg.
func (w *world) open(cfg config.Config) {
	w.Helper()
	now := time.Date(2026, time.April, 20, 12, 0, 0, 0, time.UTC)
	w.cfg, w.app = cfg, openApp(w.T, cfg, app.Options{Now: func() time.Time { return now }})
}

// add creates an object and returns its ID.
func (w *world) add(path, body string) int64 {
	var made struct{ ID int64 }
	w.send(path, body, &made)
	return made.ID
}

func (w *world) get(path string, answer any)        { w.call("GET", path, "", answer) }
func (w *world) send(path, body string, answer any) { w.call("POST", path, body, answer) }

func (w *world) call(method, path, body string, answer any) {
	w.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+w.token)
	recorder := httptest.NewRecorder()
	w.app.Handler().ServeHTTP(recorder, r)
	if recorder.Code >= 300 {
		w.Fatalf("%s %s: got %d %s", method, path, recorder.Code, recorder.Body)
	}
	if err := json.Unmarshal(recorder.Body.Bytes(), answer); err != nil {
		w.Fatalf("%s %s: %v in %.300s", method, path, err, recorder.Body)
	}
}

// change ingests posts, some of which replace others, and deletes documents.
func (w *world) change() {
	var lines bytes.Buffer
	for range 150 {
		fmt.Fprintln(&lines, w.line(fmt.Sprintf(`"type":%q,`, earshot.Networks[w.IntN(len(earshot.Networks))])))
	}
	var taken struct{ Accepted int }
	w.send("/manage/v1/posts", lines.String(), &taken)
	if taken.Accepted != 150 {
		w.Fatalf("%d of 150 posts were accepted", taken.Accepted)
	}
	items := map[string]string{}
	for len(items) < 40 {
		guid := fmt.Sprint(w.IntN(100))
		items[guid] = w.line(fmt.Sprintf(`"guid":"l%s",`, guid))
	}
	var done struct{ Status string }
	w.send(fmt.Sprintf("/api/content/upload?documentType=%d", w.source), `{"items":[`+strings.Join(slices.Collect(maps.Values(items)), ",")+`]}`, &done)
	w.send(fmt.Sprintf("/api/content/delete?documentType=%d", w.source), fmt.Sprintf(`[{"guid":"l%d"},{"guid":"l%d"},{"guid":"l%d"}]`, w.IntN(100), w.IntN(100), w.IntN(100)), &done)
	if err := w.app.CatchUp(w.Context()); err != nil {
		w.Fatal(err)
	}
}

// line returns a post. Its time is often within a day of a clock change.
func (w *world) line(first string) string {
	w.posts++
	at := time.Date(2026, time.March, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(w.IntN(40*24*3600)) * time.Second)
	if w.IntN(2) == 0 {
		change := [][2]int{{3, 8}, {3, 29}, {4, 5}}[w.IntN(3)]
		at = time.Date(2026, time.Month(change[0]), change[1], 0, 0, 0, 0, time.UTC).Add(time.Duration(w.IntN(48*3600)-24*3600) * time.Second)
	}
	text := ""
	for range 1 + w.IntN(4) {
		text += []string{"coffee ", "tea ", "milk ", "sugar ", "love it ", "hate it ", "#morning "}[w.IntN(7)]
	}
	b := strings.Builder{}
	b.WriteString("{" + first)
	if !strings.Contains(first, "guid") {
		fmt.Fprintf(&b, `"guid":"p%d",`, w.IntN(800)) // some posts replace others
	}
	if w.IntN(2) == 0 {
		fmt.Fprintf(&b, `"%s":%q,`, map[bool]string{true: "gender", false: "authorGender"}[strings.Contains(first, "guid")], []string{"M", "F"}[w.IntN(2)])
	}
	if w.IntN(2) == 0 {
		fmt.Fprintf(&b, `"geolocation":{"id":%q},`, []string{"USA.CA.San Diego", "IND", "GBR.England.London", "USA.NY"}[w.IntN(4)])
	}
	if w.IntN(3) == 0 && !strings.Contains(first, "guid") {
		b.WriteString(`"images":[{"url":"https://example.com/i.jpg","objects":[{"score":0.9,"classId":42,"className":"cup"}]}],`)
	}
	fmt.Fprintf(&b, `"url":"https://site%d.example/%d","date":%q,"author":"a%d","contents":%q}`, w.IntN(5), w.posts, at.Format(time.RFC3339), w.IntN(30), text)
	return b.String()
}

// A listedPost is a post as listed by the API.
type listedPost struct {
	Date               string
	Type               string
	AuthorGender       string
	AssignedCategoryID int64
	AssignedEmotionID  int64
	Geolocation        struct{ Country string }
	ImageInfo          []struct{}
}

// dailyCounts counts posts by day and attribute.
type dailyCounts map[string]int64

func (f dailyCounts) add(day string, name any, n int64) {
	if n != 0 {
		f[fmt.Sprint(day[:10], " ", name)] += n
	}
}

// compare counts the posts of some days and compares the counts with all metrics.
func (w *world) compare(m monitorCase, id int64) {
	w.Helper()
	start := earshot.Date{Year: 2026, Month: time.March, Day: 1 + w.IntN(12)}
	end := start.AddDays(1 + w.IntN(40))
	days := fmt.Sprintf("?id=%d&start=%s&end=%s", id, start, end)
	var list struct {
		Posts               []listedPost
		TotalPostsAvailable int64
	}
	w.get("/api/monitor/posts"+days+"&extendLimit=true", &list)
	if int64(len(list.Posts)) != list.TotalPostsAvailable {
		w.Fatalf("%s: %d posts are listed, %d available", days, len(list.Posts), list.TotalPostsAvailable)
	}
	want := dailyCounts{}
	for _, p := range list.Posts {
		for _, of := range []any{"posts", "source " + p.Type, "gender " + p.AuthorGender, p.AssignedCategoryID, p.AssignedEmotionID, "hour " + p.Date[11:13]} {
			want.add(p.Date, of, 1)
		}
		if len(p.ImageInfo) > 0 {
			want.add(p.Date, "pictured", 1)
		}
		want.add("0000-00-00", "country "+p.Geolocation.Country, 1)
	}
	for name, got := range w.results(days) {
		for key, n := range got {
			if want[key] != n {
				w.Errorf("%s %s in %s: %s has %d, the posts have %d", days, key, m.zone, name, n, want[key])
			}
		}
		for key, n := range want { // a metric that contains an attribute must contain it for all days
			if _, of, _ := strings.Cut(key, " "); n > 0 && got[key] == 0 && got.has(of) {
				w.Errorf("%s %s in %s: %s leaves out %d", days, key, m.zone, name, n)
			}
		}
	}
}

// has reports whether any count has this name.
func (f dailyCounts) has(of string) bool {
	for key := range f {
		if strings.HasSuffix(key, " "+of) {
			return true
		}
	}
	return false
}

// results returns the counts of each metric.
func (w *world) results(days string) map[string]dailyCounts {
	all := map[string]dailyCounts{}
	answer := func(name, path string) (dailyCounts, map[string][]entry) {
		var lists map[string]json.RawMessage
		w.get(path, &lists)
		entries := map[string][]entry{}
		for key, raw := range lists {
			var list []entry
			if bytes.HasPrefix(raw, []byte("[")) && json.Unmarshal(raw, &list) == nil {
				entries[key] = list
			}
		}
		all[name] = dailyCounts{}
		return all[name], entries
	}
	f, got := answer("results", "/api/monitor/results"+days)
	for _, e := range got["results"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
		w.addShares(f, e.StartDate, e.Categories)
		w.addShares(f, e.StartDate, e.Emotions)
	}
	f, got = answer("volume", "/api/monitor/volume"+days)
	for _, e := range got["volume"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
	}
	f, got = answer("hourly volume", "/api/monitor/volume"+days+"&groupBy=HOURLY")
	for _, e := range got["volume"] {
		f.add(e.StartDate, "hour "+e.StartDate[11:13], e.NumberOfDocuments)
	}
	f, got = answer("dayandtime", "/api/monitor/dayandtime"+days)
	for _, e := range got["volumes"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
		for hour, n := range e.Volume {
			f.add(e.StartDate, fmt.Sprintf("hour %02s", hour), n)
		}
	}
	f, got = answer("dayandtime of authors", "/api/monitor/dayandtime"+days+"&uselocaltime=true")
	for _, e := range got["volumes"] {
		f.add(e.StartDate, "posts", sum(e.Volume))
	}
	f, got = answer("imageresults", "/api/monitor/imageresults"+days)
	for _, e := range got["results"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
		f.add(e.StartDate, "pictured", e.NumberOfImageDocuments)
	}
	f, got = answer("sources", "/api/monitor/sources"+days)
	for _, e := range got["contentSources"] {
		f.add(e.StartDate, "posts", sum(e.Sources))
		for source, n := range e.Sources {
			f.add(e.StartDate, "source "+source, n)
		}
	}
	f, got = answer("age", "/api/monitor/demographics/age"+days)
	for _, e := range got["ageCounts"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
	}
	f, got = answer("gender", "/api/monitor/demographics/gender"+days)
	for _, e := range got["genderCounts"] {
		f.add(e.StartDate, "posts", e.NumberOfDocuments)
		f.add(e.StartDate, "gender M", e.GenderCounts.MaleCount)
		f.add(e.StartDate, "gender F", e.GenderCounts.FemaleCount)
	}
	f, got = answer("countries", "/api/monitor/geography/countries"+days)
	for _, e := range got["data"] {
		f.add("0000-00-00", "country "+e.Info.Country, e.Count)
	}
	return all
}

// An entry is a list element of any of the metrics.
type entry struct {
	StartDate              string
	NumberOfDocuments      int64
	NumberOfImageDocuments int64
	Categories, Emotions   []struct {
		CategoryID int64
		Volume     int64
		Proportion float64
	}
	Volume       volumes
	Count        int64 // if volume is a number
	Sources      map[string]int64
	GenderCounts struct{ MaleCount, FemaleCount int64 }
	Info         struct{ Country string }
}

// volumes is an object of numbers. It is nil for endpoints where volume is a number.
type volumes map[string]int64

func (v *volumes) UnmarshalJSON(b []byte) error {
	if !bytes.HasPrefix(b, []byte("{")) {
		return nil
	}
	return json.Unmarshal(b, (*map[string]int64)(v))
}

func (e *entry) UnmarshalJSON(b []byte) error {
	type plain entry
	if err := json.Unmarshal(b, (*plain)(e)); err != nil {
		return err
	}
	var number struct{ Volume json.Number }
	if json.Unmarshal(b, &number) == nil {
		e.Count, _ = number.Volume.Int64()
	}
	return nil
}

func (w *world) addShares(f dailyCounts, day string, shares []struct {
	CategoryID int64
	Volume     int64
	Proportion float64
}) {
	total, volume := 0.0, int64(0)
	for _, s := range shares {
		f.add(day, s.CategoryID, s.Volume)
		total += s.Proportion
		volume += s.Volume
	}
	if volume > 0 && math.Abs(total-1) > 0.0201 {
		w.Errorf("%s: proportions add up to %v", day, total)
	}
}

func sum(of map[string]int64) (n int64) {
	for _, m := range of {
		n += m
	}
	return n
}
