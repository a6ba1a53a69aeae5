package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"sync"
	"time"

	"earshot"
	"earshot/internal/http/client"
	"earshot/internal/state/ledger"
)

// A SubmissionResult is the cost of analysis requests over HTTP. Each request covers all kinds of
// analysis, all networks and the whole day of posts. Several clients send requests concurrently and
// share the cores with the server.
type SubmissionResult struct {
	Clients    int               `json:"clients"`
	CPUs       int               `json:"cpus"` // shared by server and clients
	Requests   int               `json:"requests"`
	Done       int               `json:"done"` // requests whose first response had the result
	PerSecond  float64           `json:"requestsPerSecond"`
	P50        float64           `json:"p50Ms"` // of all requests
	P95        float64           `json:"p95Ms"`
	P99        float64           `json:"p99Ms"`
	Max        float64           `json:"maxMs"`
	CPU        float64           `json:"cpuMs"`      // of this process per request; 0 if unknown
	ResidentMB float64           `json:"residentMb"` // at the end, without mapped files
	Queries    []SubmissionTimes `json:"questions"`
}

// SubmissionTimes are the response times of a query.
type SubmissionTimes struct {
	Name     string  `json:"question"`
	Posts    int64   `json:"posts"` // selected posts
	Requests int     `json:"requests"`
	P50      float64 `json:"p50Ms"`
	P99      float64 `json:"p99Ms"`
}

const (
	// submitters is the number of clients that send analyses concurrently.
	submitters = 4

	// Clients stop after maxSubmitTime, or after one request per postsPerSubmission posts.
	maxSubmitTime      = 30 * time.Second
	postsPerSubmission = 100

	minSubmissions = 100
)

// measureSubmissions submits analyses to a server with the posts of one day.
func (s *session) measureSubmissions(ctx context.Context, queries []Query) (*SubmissionResult, error) {
	v, err := s.openServer(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer v.close()
	sub := &submission{runningServer: v, stats: make([]submissionStats, len(queries))}
	for _, q := range queries {
		sub.forms = append(sub.forms, q.form(v.days))
	}
	return sub.measure(ctx, queries)
}

// form returns the query as an analysis request.
func (q *Query) form(days earshot.Days) map[string]any {
	var networks []string
	for _, n := range earshot.Networks {
		networks = append(networks, n.AnalysisName())
	}
	form := map[string]any{
		"analysis":  ledger.Kinds,
		"keywords":  q.Keywords(),
		"sources":   networks,
		"startDate": days.Start.String() + "T00:00:00",
		"endDate":   days.End.String() + "T00:00:00",
		"timezone":  "UTC",
	}
	for name, value := range map[string]string{"languages": q.Language, "locations": q.Country, "gender": string(q.Gender)} {
		if value != "" {
			form[name] = map[string]any{"type": "include", "values": []string{value}}
		}
	}
	return form
}

// A submission contains the queries that are sent to a server and statistics about the responses.
type submission struct {
	*runningServer
	forms []map[string]any
	mu    sync.Mutex
	stats []submissionStats // by query; guarded by mu
}

// submissionStats are statistics about the responses to a query.
type submissionStats struct {
	times Times
	posts int64
	done  int
}

func (s *submission) measure(ctx context.Context, queries []Query) (*SubmissionResult, error) {
	s.logf("requesting over HTTP: %d kinds of analysis", len(ledger.Kinds))
	for i := range queries { // load files into memory first
		if _, err := s.submit(ctx, i); err != nil {
			return nil, fmt.Errorf("submit %s: %w", queries[i].Name, err)
		}
	}
	s.stats = make([]submissionStats, len(queries))
	start := time.Now()
	all, err := s.runLoad(ctx, loadTest{
		clients:     submitters,
		maxRequests: max(s.count/postsPerSubmission, minSubmissions),
		maxDuration: maxSubmitTime,
		send:        func(ctx context.Context, d *rng) (int64, error) { return s.submit(ctx, d.below(len(s.forms))) },
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	f := &SubmissionResult{
		Clients:    submitters,
		CPUs:       runtime.GOMAXPROCS(0),
		Requests:   len(all.times),
		PerSecond:  perSecond(len(all.times), took),
		P50:        Milliseconds(all.times.Quantile(0.5)),
		P95:        Milliseconds(all.times.Quantile(0.95)),
		P99:        Milliseconds(all.times.Quantile(0.99)),
		Max:        Milliseconds(all.times.Quantile(1)),
		CPU:        Milliseconds(all.cpu) / float64(len(all.times)),
		ResidentMB: megabytes(Resident()),
	}
	for i, q := range queries {
		f.Done += s.stats[i].done
		f.Queries = append(f.Queries, s.stats[i].summary(q.Name))
	}
	return f, nil
}

func (a *submissionStats) summary(name string) SubmissionTimes {
	t := SubmissionTimes{Name: name, Posts: a.posts, Requests: len(a.times)}
	if len(a.times) > 0 {
		t.P50, t.P99 = Milliseconds(a.times.Quantile(0.5)), Milliseconds(a.times.Quantile(0.99))
	}
	return t
}

// submit submits query i and returns the length of the response.
func (s *submission) submit(ctx context.Context, i int) (int64, error) {
	var text json.RawMessage
	took, err := once(func() (err error) {
		text, err = s.client.Call(ctx, client.Request{Method: "POST", Path: "/api/results", Body: s.forms[i]})
		return err
	})
	if err != nil {
		return 0, err
	}
	var response struct {
		Status   ledger.State
		Analysis struct{ Volume map[string]int64 }
	}
	if err := json.Unmarshal(text, &response); err != nil {
		return 0, fmt.Errorf("parse analysis: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.stats[i]
	a.times = append(a.times, took)
	if response.Status == ledger.Done {
		a.done++
		a.posts = 0
		for _, posts := range response.Analysis.Volume {
			a.posts += posts
		}
	}
	return int64(len(text)), nil
}
