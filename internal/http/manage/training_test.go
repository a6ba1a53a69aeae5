package manage

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"earshot"
	"earshot/internal/http/rest"
	"earshot/internal/ingest/rematch"
	"earshot/internal/insight"
	"earshot/internal/model/training"
	"earshot/internal/monitor"
	"earshot/internal/notify/signal"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/workspace/card"
	"earshot/internal/workspace/postview"
)

// A stubTrainer trains immediately and uses the newest model.
type stubTrainer struct {
	training *training.Service
	idle     bool // do not train
}

func (l *stubTrainer) Rematch(id earshot.MonitorID) <-chan struct{} {
	done := make(chan struct{})
	close(done)
	if !l.idle {
		l.training.Train(context.Background(), id, l.InUse(id)) // fails until there are enough training posts
	}
	return done
}

func (l *stubTrainer) InUse(id earshot.MonitorID) int64 {
	if m, ok := l.training.Catalog.Monitors.Find(id); ok && !l.idle {
		return m.Training.Model.Record
	}
	return 0
}

func (l *stubTrainer) Progress(earshot.MonitorID) rematch.Progress {
	return rematch.Progress{State: rematch.Running, Done: 7}
}

func (l *stubTrainer) Reinfer(context.Context, bool) error { return nil }

func (l *stubTrainer) ReinferProgress() rematch.Progress { return rematch.Progress{} }

type trainingWorld struct {
	t       *testing.T
	api     *API
	learner *stubTrainer
	callers map[string]*earshot.Caller
	monitor *earshot.Monitor // an OPINION monitor with the categories Like, Dislike and Off-topic
}

func newTrainingWorld(t *testing.T) *trainingWorld {
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	if err := c.Teams.Add(t.Context(), 1, &earshot.Team{ID: 1, Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	noon := func() time.Time { return time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC) }
	l := &stubTrainer{training: &training.Service{Catalog: c, Log: slog.New(slog.DiscardHandler), Now: noon, Enrich: func([]earshot.Post) {}}}
	l.training.Rematcher = l
	w := &trainingWorld{t: t, learner: l, callers: map[string]*earshot.Caller{
		"ann": earshot.NewCaller(&earshot.User{Username: "ann", Teams: []earshot.TeamID{1}}),
		"bo":  earshot.NewCaller(&earshot.User{Username: "bo", Teams: []earshot.TeamID{2}}),
	}}
	w.api = &API{
		Monitors: &monitor.Service{Catalog: c, Rematcher: l, Now: noon},
		Training: l.training,
		Rematch:  l,
		Signals:  &signal.Service{Catalog: c, Now: noon},
		Insight:  &insight.Service{Opinions: l.training, Now: noon},
		Now:      noon,
		Cards:    &card.Service{Monitors: &monitor.Service{Catalog: c}, Now: noon},
		Posts:    &postview.Service{Restricted: []earshot.Source{earshot.Facebook}},
	}
	w.api.Cards.Insight = w.api.Insight
	w.do("ann", "POST", "", `{"name":"M","team":1,"keywords":"a","type":"OPINION","categories":[{"name":"Like"},{"name":"Dislike"},{"name":"Off-topic"}]}`)
	w.monitor = w.api.Monitors.List(w.callers["ann"], 0)[0]
	return w
}

// do sends a request to a path below /manage/v1/monitors and returns the status and body of the
// response.
func (w *trainingWorld) do(user, method, path, body string) string {
	w.t.Helper()
	h := rest.New(rest.Options{
		Authenticate: func(_ context.Context, token string) (*earshot.Caller, error) { return w.callers[token], nil },
	}, w.api.Routes())
	r := httptest.NewRequest(method, "/manage/v1/monitors"+path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+user)
	response := httptest.NewRecorder()
	h.ServeHTTP(response, r)
	return strings.TrimSpace(fmt.Sprint(response.Code, " ", response.Body))
}

// f checks the response to a request about w's monitor. In texts, #0, #1 and so on stand for the
// IDs of its categories.
func (w *trainingWorld) f(user, request, body, want string) {
	w.t.Helper()
	method, path, _ := strings.Cut(request, " ")
	got := w.do(user, method, w.ids(fmt.Sprintf("/%d%s", w.monitor.ID, path)), w.ids(body))
	if want = w.ids(want); got != want {
		w.t.Errorf("%s %s\ngot  %s\nwant %s", request, body, got, want)
	}
}

func (w *trainingWorld) ids(text string) string {
	for i, c := range w.monitor.Categories {
		text = strings.ReplaceAll(text, fmt.Sprint("#", i), fmt.Sprint(c.ID))
	}
	return text
}

func doc(url, contents string) string {
	return fmt.Sprintf(`{"url":"%s","contents":"%s","language":"en","date":"2026-03-01T08:30:00Z"}`, url, contents)
}

// idOf returns the ID of the training post with the given URL.
func idOf(url string) string { return (&earshot.TrainingPost{URL: url}).ID() }

func TestTrainingPosts(t *testing.T) {
	w := newTrainingWorld(t)
	a, b, face := idOf("http://e.com/a"), idOf("http://e.com/b"), idOf("http://facebook.com/1")
	w.f("ann", "GET /training", "", `200 {"items":[]}`)
	w.f("ann", "POST /training", `{"category":"like","documents":[`+doc("http://e.com/a", "Nice")+`,`+doc("http://e.com/b", "Good")+`]}`,
		`201 {"added":2,"replaced":0,"categoryId":#0,"category":"Like","trainingDocs":2}`)
	w.f("ann", "POST /training", `{"categoryId":#1,"documents":`+doc("http://e.com/b", "Bad")+`}`,
		`201 {"added":0,"replaced":1,"categoryId":#1,"category":"Dislike","trainingDocs":1}`)
	w.f("ann", "POST /training", `{"category":"#2","documents":[{"url":"http://facebook.com/1","title":"T","author":"x","contents":"Else","language":"de","date":"2026-03-02"}]}`,
		`201 {"added":1,"replaced":0,"categoryId":#2,"category":"Off-topic","trainingDocs":1}`)
	first := `{"id":"` + a + `","url":"http://e.com/a","title":"","contents":"Nice","date":"2026-03-01T08:30:00Z","language":"en","categoryId":#0,"categoryName":"Like","added":"2026-03-15T12:00:00Z","addedBy":"ann"}`
	second := `{"id":"` + b + `","url":"http://e.com/b","title":"","contents":"Bad","date":"2026-03-01T08:30:00Z","language":"en","categoryId":#1,"categoryName":"Dislike","added":"2026-03-15T12:00:00Z","addedBy":"ann"}`
	third := `{"id":"` + face + `","url":"http://facebook.com/1","type":"Facebook","author":"x","date":"2026-03-02T00:00:00Z","language":"de","categoryId":#2,"categoryName":"Off-topic","added":"2026-03-15T12:00:00Z","addedBy":"ann"}`
	w.f("ann", "GET /training", "", `200 {"items":[`+first+`,`+second+`,`+third+`]}`)
	w.f("ann", "GET /training?limit=2", "", `200 {"items":[`+first+`,`+second+`],"next":"`+face+`"}`)
	w.f("ann", "GET /training?limit=2&cursor="+face, "", `200 {"items":[`+third+`]}`)
	w.f("ann", "GET /training?category=dislike", "", `200 {"items":[`+second+`]}`)
	w.f("ann", "GET /training?category=#1", "", `200 {"items":[`+second+`]}`)
	edited := `{"id":"` + a + `","url":"http://e.com/a","title":"T","contents":"Nicer","author":"y","date":"2026-03-03T00:00:00Z","language":"fr","categoryId":#1,"categoryName":"Dislike","added":"2026-03-15T12:00:00Z","addedBy":"ann"}`
	w.f("ann", "PATCH /training/"+a, `{"category":"Dislike","title":"T","contents":"Nicer","author":"y","date":"2026-03-03","language":"FR"}`, "200 "+edited)
	w.f("ann", "PATCH /training/"+a, `{}`, "200 "+edited)
	w.f("ann", "DELETE /training/"+b, "", "204")
	w.f("ann", "DELETE /training/"+b, "", `404 {"message":"Training post `+b+` does not exist","status":"error"}`)
	w.f("ann", "GET /training?category=Dislike", "", `200 {"items":[`+edited+`]}`)
}

func TestInvalidTraining(t *testing.T) {
	w := newTrainingWorld(t)
	a := idOf("http://e.com/a")
	w.f("ann", "POST /training", `{"category":"Like","documents":[`+doc("http://e.com/a", "Nice")+`]}`,
		`201 {"added":1,"replaced":0,"categoryId":#0,"category":"Like","trainingDocs":1}`)
	f := func(request, body, want string) {
		t.Helper()
		w.f("ann", request, body, want[:3]+` {"message":"`+want[4:]+`","status":"error"}`)
	}
	f("GET /training?category=none", "", "404 Category none does not exist")
	f("GET /training?category=7", "", "404 Category 7 does not exist")
	f("GET /training?limit=0", "", "400 Invalid value '0' for parameter 'limit': a whole number from 1 to 1000")
	f("GET /training?cursor=x", "", "400 Invalid value 'x' for parameter 'cursor': the value of next from an earlier response, if its training post still exists")
	f("POST /training", `{"documents":[`+doc("u", "c")+`]}`, "400 Invalid request body: category is missing")
	f("POST /training", `{"category":"None","documents":[`+doc("u", "c")+`]}`, "404 Category None does not exist")
	f("POST /training", `{"category":"Like","categoryId":#1,"documents":[`+doc("u", "c")+`]}`, "400 Invalid request body: category and categoryId are two different categories")
	f("POST /training", `{"category":"Like","documents":[]}`, "400 Invalid request body: documents is empty")
	f("POST /training", `{"category":"Like","documents":[`+doc("u", "c")+`,{"url":"v","contents":"c","date":"2026-03-01"}]}`, "400 Invalid request body: documents[1].language is missing")
	f("POST /training", `{"category":"Like","documents":[`+strings.Repeat("{},", 1000)+`{}]}`, "413 The request has 1001 documents; send at most 1000 in one request")
	f("PATCH /training/"+a, `{"category":"None"}`, "404 Category None does not exist")
	f("PATCH /training/"+a, `{"contents":" "}`, "400 Invalid request body: contents is empty")
	f("PATCH /training/"+a, `{"date":"soon"}`, "400 Invalid request body: date 'soon' is not a timestamp like 2026-03-01T08:30:00Z")
	f("PATCH /training/0123", `{}`, "404 Training post 0123 does not exist")
	f("DELETE /training/0123", "", "404 Training post 0123 does not exist")
	w.f("ann", "GET /training?category=Like", "", `200 {"items":[{"id":"`+a+`","url":"http://e.com/a","title":"","contents":"Nice","date":"2026-03-01T08:30:00Z","language":"en","categoryId":#0,"categoryName":"Like","added":"2026-03-15T12:00:00Z","addedBy":"ann"}]}`)
}

func TestTrainingRequiresMembershipAndOpinionMonitor(t *testing.T) {
	w := newTrainingWorld(t)
	requests := []string{"GET /training", "POST /training", "PATCH /training/x", "DELETE /training/x", "GET /model"}
	f := func(user, want string, requests ...string) {
		t.Helper()
		for _, r := range requests {
			w.f(user, r, map[bool]string{true: "", false: "{}"}[r[0] == 'G' || r[0] == 'D'], want)
		}
	}
	id := w.monitor.ID
	f("bo", fmt.Sprintf(`404 {"message":"Monitor %d does not exist","status":"error"}`, id), append(requests, "GET /proportions")...)

	name := "F"
	filter, err := w.api.Monitors.AddFilter(t.Context(), w.callers["ann"], id, monitor.FilterChanges{Name: &name})
	if err != nil {
		t.Fatal(err)
	}
	w.monitor = &earshot.Monitor{ID: filter.ID}
	f("ann", fmt.Sprintf(`404 {"message":"Monitor %d does not exist","status":"error"}`, filter.ID), requests...)
	f("ann", fmt.Sprintf(`400 {"message":"Monitor %d needs more training: every category needs at least 10 training posts, Like has 0, Dislike has 0","status":"error"}`, filter.ID), "GET /proportions")

	w.do("ann", "POST", "", `{"name":"B","team":1,"keywords":"a"}`)
	w.monitor = &earshot.Monitor{ID: w.api.Monitors.List(w.callers["ann"], 0)[1].ID}
	f("ann", `400 {"message":"Selected monitor is not an opinion monitor","status":"error"}`, requests...)
}

func TestProportionsRequireEndAfterStart(t *testing.T) {
	w := newTrainingWorld(t)
	for _, days := range []string{"?start=2026-03-02&end=2026-03-02", "?start=2026-03-03&end=2026-03-02"} {
		w.f("ann", "GET /proportions"+days, "", `400 {"message":"Invalid value '2026-03-02' for parameter 'end': a date after start","status":"error"}`)
	}
}
