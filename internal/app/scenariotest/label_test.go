package scenariotest

import (
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot/internal/report/format"
	"earshot/internal/report/pdftext"
)

// TestLabelsCalibrateShares labels a random sample of posts that the models misjudge. Every page, report
// and endpoint must then state the same shares, near the true ones, also after a restart and after a backup
// was restored.
func TestLabelsCalibrateShares(t *testing.T) {
	w := newLabelWorld(t)
	if p := w.proportions(w.id); p.Labels != 0 || math.Abs(p.Total.Categories[1].Proportion-0.5) < 0.2 {
		t.Fatalf("the models are not wrong enough: %+v", p)
	}
	for _, file := range w.reports() {
		if !strings.Contains(file, "Estimated shares, not calibrated for this monitor") {
			t.Errorf("a report does not say that shares are not calibrated:\n%.2000s", file)
		}
	}
	w.draw()
	w.labelAll(100)
	w.ask(w.token, "DELETE", w.path(w.sampled[0]), "", 200)
	if got := w.state(w.id); got.Labeled != 99 || got.Remaining != 1 || w.proportions(w.id).Labels != 99 {
		t.Errorf("a label is taken back: got %+v", got)
	}
	w.labelAll(1)
	w.checkShares("labeled")
	w.checkFilter()
	w.checkAccess()
	w.checkValues()
	w.app.Close()
	w.open(w.cfg)
	w.checkShares("restarted")
	w.restoreBackup()
	w.checkShares("restored")
	w.checkErasure()
}

// A labelWorld has a monitor of posts that people judge differently than the models.
type labelWorld struct {
	*world
	id, filter int64
	sampled    []string // keys
	authors    map[string]string
}

// judgedPosts are kinds of posts with what people say about them. %d makes each post different.
var judgedPosts = map[string]struct{ text, sentiment, emotion string }{
	"report": {"kettle %d: the failed heating element was removed, the broken part goes to the disposal site", "neutral", "neutral"},
	"hate":   {"I hate kettle %d, it is the worst thing I ever bought, terrible", "negative", "anger"},
	"irony":  {"kettle %d is great, wonderful, I love to wait for tea", "negative", "anger"},
	"praise": {"I love kettle %d so much, it makes me happy, best purchase ever", "positive", "joy"},
}

// judgedOrder is the order of kinds among posts with similar scores. 100 of 600 posts are drawn, evenly spread
// over scores and time: every sixth. No period is a divisor of 6, so all kinds are drawn as often as they occur.
var judgedOrder = [2][]string{
	{"report", "hate", "report", "report", "hate", "report", "report"},
	{"praise", "irony", "praise", "irony", "praise"},
}

// trueShares are the shares of judgedPosts: of ten posts, seven are of the first order.
var trueShares = map[string]float64{
	"Basic Positive": 0.18, "Basic Neutral": 0.5, "Basic Negative": 0.32, "Joy": 0.18, "Neutral": 0.5, "Anger": 0.32,
	"Sadness": 0, "Disgust": 0, "Surprise": 0, "Fear": 0,
}

func newLabelWorld(t *testing.T) *labelWorld {
	w := &labelWorld{world: newWorld(t, 30), authors: map[string]string{}}
	w.id = w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Kettles","team":%d,"keywords":"kettle","timezone":"UTC","start":"2026-03-01"}`, w.team()))
	w.filter = w.add(fmt.Sprintf("/manage/v1/monitors/%d/filters", w.id), `{"name":"Love","keywords":"love"}`)
	var lines strings.Builder
	var n [2]int // posts of each order
	for i := range 600 {
		of := 0
		if i%10 >= 7 {
			of = 1
		}
		kind := judgedOrder[of][n[of]%len(judgedOrder[of])]
		n[of]++
		at := time.Date(2026, time.April, 11, 0, 7*i, 0, 0, time.UTC)
		fmt.Fprintf(&lines, `{"type":"Twitter","guid":"k%d","date":%q,"author":"author%d","url":"https://example.com/%s/%[1]d","language":"en","contents":%[5]q}`+"\n",
			i, at.Format(time.RFC3339), i%40, kind, fmt.Sprintf(judgedPosts[kind].text, i))
	}
	var taken struct{ Accepted int }
	w.send("/manage/v1/posts", lines.String(), &taken)
	if err := w.app.CatchUp(t.Context()); err != nil || taken.Accepted != 600 {
		t.Fatalf("%d posts were accepted: %v", taken.Accepted, err)
	}
	return w
}

// team returns the team of the monitors.
func (w *world) team() int64 {
	var m struct{ Team int64 }
	w.get(fmt.Sprintf("/manage/v1/monitors/%d", w.monitors[0].id), &m)
	return m.Team
}

// ask sends a request and returns the response, which must have a status code.
func (w *world) ask(token, method, path, body string, code int) string {
	w.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+token)
	recorder := httptest.NewRecorder()
	if w.app.Handler().ServeHTTP(recorder, r); recorder.Code != code {
		w.Errorf("%s %s %s: got %d %s, want %d", method, path, body, recorder.Code, recorder.Body, code)
	}
	return recorder.Body.String()
}

func (w *labelWorld) path(key string) string {
	return fmt.Sprintf("/manage/v1/monitors/%d/posts/%s/label", w.id, key)
}

// A labelState is the part of a response about labels that the test checks.
type labelState struct {
	Samples                           []struct{ ID, Posts, Labeled, Of int }
	Posts, Labeled, Remaining, Labels int
	Start, End                        string
	Categories, Emotions              []statedShare
	Advice                            []string
}

// A statedShare is a share as any endpoint states it.
type statedShare struct {
	Name, Category              string
	Share, Proportion, Estimate float64
	Low, High                   float64
	Interval                    struct{ Low, High float64 }
}

// bounds returns the share and its interval, with four decimals.
func (s statedShare) bounds() [3]float64 {
	return [3]float64{s.Share + s.Proportion, s.Low + s.Interval.Low, s.High + s.Interval.High}
}

func sharesByName(lists ...[]statedShare) map[string][3]float64 {
	all := map[string][3]float64{}
	for _, list := range lists {
		for _, s := range list {
			all[s.Name+s.Category] = s.bounds()
		}
	}
	return all
}

func (w *labelWorld) state(id int64) (s labelState) {
	w.Helper()
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/labels", id), &s)
	return s
}

type statedProportions struct {
	Labels int
	Days   []struct {
		Date                 string
		Categories, Emotions []statedShare
	}
	Total struct {
		Posts                int
		Categories, Emotions []statedShare
	}
}

const labeledDays = "start=2026-03-22&end=2026-04-21"

func (w *labelWorld) proportions(id int64) (p statedProportions) {
	w.Helper()
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/proportions?%s", id, labeledDays), &p)
	return p
}

// draw draws a sample of 100 posts, and fails the test unless the response describes it.
func (w *labelWorld) draw() {
	w.Helper()
	var s labelState
	w.send(fmt.Sprintf("/manage/v1/monitors/%d/samples", w.id), `{"posts":100}`, &s)
	if len(s.Samples) != 1 || s.Samples[0].Of != 600 || s.Posts != 100 || s.Remaining != 100 || s.Labels != 0 || len(s.Advice) != 1 {
		w.Fatalf("got %+v", s)
	}
}

// labelAll labels the posts that are not labeled yet, which must be n.
func (w *labelWorld) labelAll(n int) {
	w.Helper()
	var next struct {
		Remaining int
		Items     []struct{ Key, URL, Author string }
	}
	for ; n > 0; n-- {
		w.get(fmt.Sprintf("/manage/v1/monitors/%d/labels/next?limit=1", w.id), &next)
		if next.Remaining != n || len(next.Items) != 1 {
			w.Fatalf("got %+v, want %d posts", next, n)
		}
		p := next.Items[0]
		judged := judgedPosts[strings.Split(p.URL, "/")[3]]
		w.ask(w.token, "PUT", w.path(p.Key), fmt.Sprintf(`{"sentiment":%q,"emotion":%q}`, judged.sentiment, judged.emotion), 200)
		w.sampled, w.authors[p.Key] = append(w.sampled, p.Key), p.Author
	}
}

// reports returns the texts of the reports of the monitor: as PDF, as a workbook and as a mail.
func (w *labelWorld) reports() map[string]string {
	w.Helper()
	path := fmt.Sprintf("/manage/v1/monitors/%d/report?%s", w.id, labeledDays)
	pages, err := pdftext.Pages([]byte(w.file(path)))
	if err != nil {
		w.Fatal(err)
	}
	return map[string]string{"PDF": strings.Join(pages, "\n"), "XLSX": unzip(w.T, w.file(path+"&format=xlsx"))}
}

// checkShares checks that all endpoints and reports state the same shares, and that they are near the true ones.
func (w *labelWorld) checkShares(when string) {
	w.Helper()
	state := w.state(w.id)
	if state.Labels != 100 || state.Labeled != 100 || state.Remaining != 0 || labeledDays != fmt.Sprintf("start=%s&end=%s", state.Start, state.End) || len(state.Advice) != 0 {
		w.Fatalf("%s: got %+v", when, state)
	}
	want := sharesByName(state.Categories, state.Emotions)
	for name, s := range want {
		if truth := trueShares[name]; s[1] > truth || truth > s[2] || s[2]-s[1] > 0.25 {
			w.Errorf("%s: %s is %v, want a narrow interval around %v", when, name, s, truth)
		}
	}
	check := func(page string, got map[string][3]float64) {
		w.Helper()
		for name, s := range want {
			if g, ok := got[name]; ok && g != s || len(got) == 0 {
				w.Errorf("%s: %s: %s is %v, want %v", when, page, name, g, s)
			}
		}
	}
	p := w.proportions(w.id)
	check("proportions", sharesByName(p.Total.Categories, p.Total.Emotions))
	type shares struct {
		Labels, EmotionLabels int
		Categories, Emotions  []statedShare
	}
	var o shares
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", w.id, labeledDays), &o)
	check("overview", sharesByName(o.Categories, o.Emotions))
	var board struct{ Overview shares }
	w.send("/manage/v1/cards", fmt.Sprintf(`{"kind":"sentiment","monitor":%d,"start":"2026-03-22","end":"2026-04-21"}`, w.id), &board)
	check("card", sharesByName(board.Overview.Categories))
	var compared struct{ Rows []shares }
	w.send("/manage/v1/compare", fmt.Sprintf(`{"rows":[{"monitor":%d,"start":"2026-03-22","end":"2026-04-21"}]}`, w.id), &compared)
	check("comparison", sharesByName(compared.Rows[0].Categories, compared.Rows[0].Emotions))
	var sum struct {
		Items []struct {
			ID int64
			shares
		}
	}
	w.get("/manage/v1/summary?days=30", &sum)
	for _, item := range sum.Items {
		if item.ID == w.id {
			check("summary", sharesByName(item.Categories))
			if item.Labels != 100 {
				w.Errorf("%s: the summary has %d labels", when, item.Labels)
			}
		}
	}
	if p.Labels != 100 || o.Labels != 100 || o.EmotionLabels != 100 || board.Overview.Labels != 100 {
		w.Errorf("%s: shares use %d, %d, %d and %d labels, want 100", when, p.Labels, o.Labels, o.EmotionLabels, board.Overview.Labels)
	}
	w.checkResults(when, p)
	for kind, text := range w.reports() {
		if !strings.Contains(text, "Shares calibrated with 100 labeled posts, with 95% intervals.") {
			w.Errorf("%s: the %s report does not say that shares are calibrated:\n%.3000s", when, kind, text)
		}
		for name, s := range want {
			if stated := format.PercentInterval(s[0], s[1], s[2]); kind == "PDF" && !strings.Contains(text, stated) {
				w.Errorf("%s: the report does not say that %s is %s:\n%s", when, name, stated, text)
			}
		}
	}
}

// checkResults compares the estimates of the public API with the proportions of each day.
func (w *labelWorld) checkResults(when string, p statedProportions) {
	w.Helper()
	var results struct {
		Results []struct {
			StartDate            string
			Categories, Emotions []statedShare
		}
	}
	w.get(fmt.Sprintf("/api/monitor/results?id=%d&%s&estimates=true", w.id, labeledDays), &results)
	if len(results.Results) != len(p.Days) {
		w.Fatalf("%s: got %d days, want %d", when, len(results.Results), len(p.Days))
	}
	for i, day := range results.Results {
		want := sharesByName(p.Days[i].Categories, p.Days[i].Emotions)
		for _, s := range append(day.Categories, day.Emotions...) {
			for k, got := range []float64{s.Estimate, s.Low, s.High} {
				if math.Abs(got-want[s.Category][k]) > 0.00501 {
					w.Errorf("%s: %s: %s is %+v, want %v", when, day.StartDate, s.Category, s, want[s.Category])
				}
			}
		}
	}
}

// checkFilter checks that a filter has the labels of its monitor, and that the labels of its posts calibrate its shares.
func (w *labelWorld) checkFilter() {
	w.Helper()
	state, p := w.state(w.filter), w.proportions(w.filter)
	if len(state.Samples) != 1 || state.Labeled != 100 || p.Labels < 20 || p.Labels > 40 || state.Labels != p.Labels || p.Total.Posts != 180 {
		w.Errorf("got %+v with %d labels of %d posts", state, p.Labels, p.Total.Posts)
	}
	for i, truth := range map[int]float64{0: 0.6, 2: 0.4} { // no post is neutral, but labels of other posts count, too
		if s := p.Total.Categories[i]; s.Low > truth || truth > s.High {
			w.Errorf("the share of %s with the filter is %v, want %.2f", s.Category, s.bounds(), truth)
		}
	}
}

// checkAccess checks that people of another team know nothing about the samples.
func (w *labelWorld) checkAccess() {
	w.Helper()
	team := w.add("/manage/v1/teams", `{"name":"Other"}`)
	w.add("/manage/v1/users", fmt.Sprintf(`{"username":"eve","password":"correct horse battery","email":"eve@example.com","firstName":"Eve","lastName":"Lee","teams":[%d],"apiAccess":true}`, team))
	var signedIn struct{ Auth string }
	w.get("/api/authenticate?username=eve&password=correct+horse+battery", &signedIn)
	monitor := fmt.Sprintf("/manage/v1/monitors/%d", w.id)
	gone := fmt.Sprintf(`{"message":"Monitor %d does not exist","status":"error"}`, w.id)
	for path, body := range map[string]string{
		"GET " + monitor + "/labels": "", "GET " + monitor + "/labels/next": "", "POST " + monitor + "/samples": `{"posts":10}`,
		"PUT " + w.path(w.sampled[0]): `{"sentiment":"positive"}`, "DELETE " + w.path(w.sampled[0]): "",
	} {
		method, path, _ := strings.Cut(path, " ")
		if got := w.ask(signedIn.Auth, method, path, body, 404); got != gone {
			w.Errorf("%s: got %s", path, got)
		}
		w.ask("", method, path, body, 401)
	}
	w.ask(signedIn.Auth, "DELETE", fmt.Sprintf("/manage/v1/samples/%d", w.state(w.id).Samples[0].ID), "", 404)
}

// checkValues sends requests that fail, and reads what they say.
func (w *labelWorld) checkValues() {
	w.Helper()
	samples, key := fmt.Sprintf("/manage/v1/monitors/%d/samples", w.id), w.path(w.sampled[0])
	var unlabeled string // a post that is in no sample
	var list struct{ Items []struct{ Key string } }
	w.get(fmt.Sprintf("/manage/v1/monitors/%d/posts?%s&limit=500", w.id, labeledDays), &list)
	for _, p := range list.Items {
		if w.authors[p.Key] == "" {
			unlabeled = p.Key
		}
	}
	for _, c := range []struct {
		method, path, body string
		code               int
		want               string
	}{
		{"POST", samples, `{"posts":0}`, 400, "posts must be from 1 to 200"},
		{"POST", samples, `{"posts":201}`, 400, "posts must be from 1 to 200"},
		{"POST", samples, `{"posts":"many"}`, 400, "posts"},
		{"POST", samples, `{"count":5}`, 400, "count"},
		{"POST", samples, `{"start":"2026-04-12","end":"2026-04-12"}`, 400, "end must be after start"},
		{"POST", samples, `{"start":"12 April"}`, 400, "start"},
		{"POST", samples, `{"start":"2026-03-02","end":"2026-03-04"}`, 400, "no posts from 2026-03-02 to 2026-03-03"},
		{"PUT", key, `{"sentiment":"good"}`, 400, "sentiment must be positive, neutral or negative"},
		{"PUT", key, `{"emotion":"envy"}`, 400, "emotion must be one of joy, sadness"},
		{"PUT", key, `{"category":"Taste"}`, 404, "Category"},
		{"PUT", key, `{"mood":"bad"}`, 400, "mood"},
		{"PUT", w.path("nonsense"), `{"sentiment":"positive"}`, 404, "Post nonsense does not exist"},
		{"PUT", w.path(unlabeled), `{"sentiment":"positive"}`, 404, "is not in a sample of the monitor"},
		{"DELETE", w.path(unlabeled), "", 404, "is not in a sample of the monitor"},
		{"GET", fmt.Sprintf("/manage/v1/monitors/%d/labels/next?limit=0", w.id), "", 400, "limit"},
		{"GET", "/manage/v1/monitors/1/labels", "", 404, "Monitor 1 does not exist"},
		{"DELETE", "/manage/v1/samples/1", "", 404, "Sample 1 does not exist"},
	} {
		if got := w.ask(w.token, c.method, c.path, c.body, c.code); !strings.Contains(got, c.want) {
			w.Errorf("%s %s %s: got %s, want %q", c.method, c.path, c.body, got, c.want)
		}
	}
}

// checkErasure erases an author, whose posts must leave the sample.
func (w *labelWorld) checkErasure() {
	w.Helper()
	author, gone := w.authors[w.sampled[0]], 0
	for _, a := range w.authors {
		if a == author {
			gone++
		}
	}
	w.ask(w.token, "POST", "/manage/v1/authors/erase", fmt.Sprintf(`{"author":%q}`, author), 200)
	if err := w.app.CatchUp(w.Context()); err != nil {
		w.Fatal(err)
	}
	if got := w.state(w.id); got.Posts != 100-gone || got.Labels != 100-gone || w.proportions(w.id).Labels != 100-gone {
		w.Errorf("%d posts of an author are erased: got %+v", gone, got)
	}
	w.ask(w.token, "DELETE", w.path(w.sampled[0]), "", 404)
}
