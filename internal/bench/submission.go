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

// SubmissionFigures are how long a server takes to answer analysis requests over HTTP: all
// kinds, of all networks, over the day of the posts. Several clients ask at a time, and share
// the cores with the server.
type SubmissionFigures struct {
	Clients    int               `json:"clients"`
	CPUs       int               `json:"cpus"` // of server and clients together
	Requests   int               `json:"requests"`
	Done       int               `json:"done"` // of these with the answer at submission
	PerSecond  float64           `json:"requestsPerSecond"`
	P50        float64           `json:"p50Ms"` // of all requests
	P95        float64           `json:"p95Ms"`
	P99        float64           `json:"p99Ms"`
	Max        float64           `json:"maxMs"`
	CPU        float64           `json:"cpuMs"`      // of this process for a request; 0 where that cannot be told
	ResidentMB float64           `json:"residentMb"` // afterwards, mapped files not counted
	Questions  []SubmissionTimes `json:"questions"`
}

// SubmissionTimes are how long one question took.
type SubmissionTimes struct {
	Question string  `json:"question"`
	Posts    int64   `json:"posts"` // selected
	Requests int     `json:"requests"`
	P50      float64 `json:"p50Ms"`
	P99      float64 `json:"p99Ms"`
}

const (
	// submitters is how many clients ask for analyses at a time.
	submitters = 4

	// longestSubmitting is how long they do, and no more often than once for so many posts.
	longestSubmitting = 30 * time.Second
	postsPerSubmitted = 100

	fewestSubmitted = 100
)

// measureSubmissions asks a server whose posts are of one day.
func (s *session) measureSubmissions(ctx context.Context, questions []Question) (*SubmissionFigures, error) {
	v, err := s.openServer(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer v.close()
	sub := &submission{served: v, answers: make([]answers, len(questions))}
	for _, q := range questions {
		sub.forms = append(sub.forms, q.form(v.days))
	}
	return sub.measure(ctx, questions)
}

// form returns the question as an analysis request.
func (q *Question) form(days earshot.Days) map[string]any {
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

// A submission is questions that are asked of a server, and what came of it.
type submission struct {
	*served
	forms   []map[string]any
	mu      sync.Mutex
	answers []answers // by question
}

// answers are those to one question.
type answers struct {
	times Times
	posts int64
	done  int
}

func (s *submission) measure(ctx context.Context, questions []Question) (*SubmissionFigures, error) {
	s.say("asking over HTTP: %d kinds of analysis", len(ledger.Kinds))
	for i := range questions { // so that files are in memory
		if _, err := s.ask(ctx, i); err != nil {
			return nil, fmt.Errorf("ask for %s: %w", questions[i].Name, err)
		}
	}
	s.answers = make([]answers, len(questions))
	start := time.Now()
	all, err := s.storm(ctx, storm{
		clients: submitters,
		most:    max(s.count/postsPerSubmitted, fewestSubmitted),
		longest: longestSubmitting,
		ask:     func(ctx context.Context, d *dice) (int64, error) { return s.ask(ctx, d.below(len(s.forms))) },
	})
	if err != nil {
		return nil, err
	}
	took := time.Since(start)
	f := &SubmissionFigures{
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
	for i, q := range questions {
		f.Done += s.answers[i].done
		f.Questions = append(f.Questions, s.answers[i].figures(q.Name))
	}
	return f, nil
}

func (a *answers) figures(question string) SubmissionTimes {
	t := SubmissionTimes{Question: question, Posts: a.posts, Requests: len(a.times)}
	if len(a.times) > 0 {
		t.P50, t.P99 = Milliseconds(a.times.Quantile(0.5)), Milliseconds(a.times.Quantile(0.99))
	}
	return t
}

// ask submits the i-th question, and returns how long the answer is.
func (s *submission) ask(ctx context.Context, i int) (int64, error) {
	var text json.RawMessage
	took, err := once(func() (err error) {
		text, err = s.client.Call(ctx, client.Request{Method: "POST", Path: "/api/results", Body: s.forms[i]})
		return err
	})
	if err != nil {
		return 0, err
	}
	var answer struct {
		Status   ledger.State
		Analysis struct{ Volume map[string]int64 }
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return 0, fmt.Errorf("read an analysis: %w", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &s.answers[i]
	a.times = append(a.times, took)
	if answer.Status == ledger.Done {
		a.done++
		a.posts = 0
		for _, posts := range answer.Analysis.Volume {
			a.posts += posts
		}
	}
	return int64(len(text)), nil
}
