package clustertest

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
)

// An editor changes the keywords of a monitor.
type editor struct {
	client
	monitor int64
	known   int   // index in keywords of the last acknowledged change
	unsure  []int // changes since then, and earlier ones that may be applied late
}

func (e *editor) run(ctx context.Context) {
	for pause(ctx, 25*afterAnswer) {
		chosen := e.IntN(len(keywords))
		a, err := e.send(e.node(), "PATCH", fmt.Sprintf("%s/%d", monitorsPath, e.monitor), fmt.Sprintf(`{"keywords":%q}`, keywords[chosen].query))
		switch {
		case err != nil || a.status >= 500:
			e.unsure = append(e.unsure, chosen)
		case a.status == http.StatusOK:
			e.known = chosen
		case a.status == http.StatusConflict: // was changed concurrently, by a request that timed out
		default:
			e.c.Errorf("edit: %d %s", a.status, a.body)
		}
	}
}

// A trainer trains an opinion monitor. It repeats a request until it is acknowledged.
type trainer struct {
	client
	monitor    int64
	categories [2]int64
	known      map[string]int64 // category by URL of the training post
	unsure     map[string]int64 // those of a request without an answer
}

func newTrainer(l *load, r *rand.Rand) *trainer {
	l.c.Helper()
	var made struct {
		ID         int64
		Categories []struct{ ID int64 }
	}
	l.c.must(l.c.nodes[0], "POST", monitorsPath, fmt.Sprintf(
		`{"name":"Trained","team":%d,"type":"OPINION","keywords":"survivor","start":"2024-03-01","categories":[{"name":"Even"},{"name":"Odd"}]}`, l.team), &made)
	return &trainer{
		client: l.client("trainer", r), monitor: made.ID, categories: [2]int64{made.Categories[0].ID, made.Categories[1].ID},
		known: map[string]int64{}, unsure: map[string]int64{},
	}
}

// lessons is how many training posts there are at most. Few posts are fitted fast.
const lessons = 60

func (w *trainer) run(ctx context.Context) {
	for n := 0; n < lessons && pause(ctx, 50*afterAnswer); n += 10 {
		posts, body := w.choose(n)
		maps.Copy(w.unsure, posts)
		for {
			a, err := w.send(w.node(), "POST", "/api/monitor/train", body)
			if err == nil && a.status == http.StatusOK {
				maps.Copy(w.known, posts)
				break
			}
			if err == nil && a.status < 500 && a.status != http.StatusConflict {
				w.c.Errorf("train: %d %s", a.status, a.body)
				return
			}
			if !pause(ctx, afterFailure) {
				return
			}
		}
	}
}

// choose returns ten training posts of one category, starting with post n.
func (w *trainer) choose(n int) (posts map[string]int64, body string) {
	which := n / 10 % 2
	posts = map[string]int64{}
	var docs []map[string]string
	for i := range 10 {
		url := fmt.Sprintf("https://example.com/lesson/%d", n+i)
		posts[url] = w.categories[which]
		text := []string{"a survivor that is even", "a survivor that is odd"}[which]
		docs = append(docs, map[string]string{"title": "", "author": "", "url": url, "language": "en", "date": "2024-03-01T00:00:00Z", "contents": fmt.Sprint(text, " ", n+i)})
	}
	text, err := json.Marshal(map[string]any{"id": w.monitor, "categoryid": w.categories[which], "documents": docs})
	if err != nil {
		panic(err)
	}
	return posts, string(text)
}

const resultsPath = "/api/results"

// An analyst requests analyses, and polls their results on any node.
type analyst struct {
	client
	ids     []int64
	answers map[int64]string // result by ID; empty: none yet
	unsure  int              // requests without an answer
}

// A result is the response to an analysis request.
type result struct {
	ResultID     int64
	Status       string
	Analysis     json.RawMessage
	ContractInfo struct{ QueriesUsed int }
}

func (a *analyst) run(ctx context.Context) {
	for pause(ctx, 20*afterAnswer) {
		a.submit()
		if len(a.ids) > 0 {
			a.poll(a.node(), a.ids[a.IntN(len(a.ids))])
		}
	}
}

func (a *analyst) submit() {
	day := firstDay + a.IntN(lastDay-firstDay+1)
	body := fmt.Sprintf(`{"analysis":["volume","sentiment"],"keywords":"survivor","sources":["CUSTOM:%s"],"requestUsage":true,
		"timezone":"UTC","startDate":"2024-03-%02dT00:00:00","endDate":"2024-03-%02dT00:00:00"}`, sourceName, day, day+1)
	answer, err := a.send(a.node(), "POST", resultsPath, body)
	if err != nil || answer.status >= 500 {
		a.unsure++
		return
	}
	var r result
	if err := json.Unmarshal(answer.body, &r); err != nil || answer.status != http.StatusOK && answer.status != http.StatusAccepted {
		a.c.Errorf("analysis: %d %s", answer.status, answer.body)
		return
	}
	a.ids = append(a.ids, r.ResultID)
	a.record(r)
}

// poll requests a known result from a node, and returns it if there was an answer.
func (a *analyst) poll(n *node, id int64) (r result, ok bool) {
	answer, err := a.send(n, "GET", fmt.Sprintf("%s/%d", resultsPath, id), "")
	if err != nil || answer.status >= 500 {
		return r, false
	}
	if err := json.Unmarshal(answer.body, &r); err != nil || answer.status != http.StatusOK {
		a.c.Errorf("result %d on node %s: %d %s", id, n.name, answer.status, answer.body)
		return r, false
	}
	a.record(r)
	return r, true
}

// record fails the test if a result differs from what the client was told before.
func (a *analyst) record(r result) {
	before := a.answers[r.ResultID]
	switch {
	case r.Status == "WAITING" && before == "":
		a.answers[r.ResultID] = ""
	case r.Status == "DONE" && (before == "" || before == string(r.Analysis)):
		a.answers[r.ResultID] = string(r.Analysis)
	default:
		a.c.Errorf("result %d is %s with %s, it was %q", r.ResultID, r.Status, r.Analysis, before)
	}
}
