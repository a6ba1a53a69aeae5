package crashtest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// An analyst submits analysis requests and polls known results. Once a result was returned, it must
// exist from then on and never change. Each result counts as one query, even if a kill prevented
// the analyst from receiving it.
type analyst struct {
	*rand.Rand
	ids     []int64          // of the analyses, ascending
	answers map[int64]string // result by ID; "" while the analysis is waiting
	flying  bool             // a request is in flight
	found   int              // number of analyses whose response was lost in a kill

	compared int // number of IDs at the last complete comparison

	acknowledged *atomic.Int64
}

const resultsPath = "/api/results"

// someResults is the number of older results that are polled after each start.
const someResults = 50

// A result is the response to an analysis request.
type result struct {
	ResultID     int64
	Status       string
	Analysis     json.RawMessage
	ContractInfo struct{ QueriesUsed int }
}

// run submits requests and polls results until the process is killed.
func (a *analyst) run(t *testing.T, p *process) {
	for {
		err := a.submit(p, analysisBody([]string{commonSource}, 2+a.IntN(crashDays)))
		if err == nil {
			err = a.poll(p, a.ids[a.IntN(len(a.ids))])
		}
		if err != nil {
			if !p.Dying.Load() {
				t.Error(err)
			}
			return
		}
	}
}

// analysisBody returns a request for all documents of a day.
func analysisBody(sources []string, day int) string {
	for i, name := range sources {
		sources[i] = "CUSTOM:" + name
	}
	body, err := json.Marshal(map[string]any{
		"analysis": []string{"volume", "sentiment", "location", "source"}, "keywords": "survivor", "sources": sources, "requestUsage": true,
		"timezone": "UTC", "startDate": fmt.Sprintf("2024-03-%02dT00:00:00", day), "endDate": fmt.Sprintf("2024-03-%02dT00:00:00", day+1),
	})
	if err != nil {
		panic(err)
	}
	return string(body)
}

func (a *analyst) submit(p *process, body string) error {
	a.flying = true
	status, answer, err := p.call("POST", resultsPath, body)
	if err != nil {
		return err
	}
	var r result
	if err := json.Unmarshal(answer, &r); err != nil || status != 200 && status != 202 {
		return fmt.Errorf("POST %s: %d %s: %v", resultsPath, status, answer, err)
	}
	a.flying = false
	a.ids = append(a.ids, r.ResultID)
	a.acknowledged.Add(1)
	return a.record(r)
}

// poll requests a known result.
func (a *analyst) poll(p *process, id int64) error {
	r, err := a.find(p, id)
	if err != nil {
		return err
	}
	return a.record(r)
}

func (a *analyst) find(p *process, id int64) (r result, err error) {
	status, answer, err := p.call("GET", fmt.Sprintf("%s/%d", resultsPath, id), "")
	if err != nil {
		return r, err
	}
	if status != 200 {
		return r, fmt.Errorf("result %d: %d %s", id, status, answer)
	}
	return r, json.Unmarshal(answer, &r)
}

// record stores a result, and returns an error if it differs from an earlier one.
func (a *analyst) record(r result) error {
	before := a.answers[r.ResultID]
	switch {
	case r.Status == "WAITING" && before == "":
		a.answers[r.ResultID] = ""
	case r.Status == "DONE" && (before == "" || before == string(r.Analysis)):
		a.answers[r.ResultID] = string(r.Analysis)
	default:
		return fmt.Errorf("result %d is %s with %s, it was %q", r.ResultID, r.Status, r.Analysis, before)
	}
	return nil
}

// compare polls recent results and some older ones. It also checks that a new analysis agrees with
// the stored posts, and that each result is counted as one query.
func (a *analyst) compare(t *testing.T, p *process, s *storedPosts) {
	t.Helper()
	for i, id := range a.ids {
		if i < a.compared && a.IntN(a.compared) >= someResults {
			continue
		}
		if err := a.poll(p, id); err != nil {
			t.Fatal(err)
		}
	}
	cut := a.flying
	day := 2 + a.IntN(crashDays)
	if err := a.submit(p, analysisBody(slices.Sorted(maps.Keys(s.sources)), day)); err != nil {
		t.Fatal(err)
	}
	if cut {
		a.adopt(t, p)
	}
	a.awaitUsage(t, p)
	a.compared = len(a.ids)
	a.wantVolume(t, a.answers[a.ids[len(a.ids)-1]], s.days[fmt.Sprintf("2024-03-%02d", day)])
}

// adopt finds the analysis whose response was lost: its ID is between the last two.
func (a *analyst) adopt(t *testing.T, p *process) {
	t.Helper()
	last, found := len(a.ids)-1, 0
	from := a.ids[last] - 1000
	if last > 0 {
		from = a.ids[last-1]
	}
	for id := from + 1; id < a.ids[last]; id++ {
		r, err := a.find(p, id)
		if err != nil && strings.Contains(err.Error(), fmt.Sprintf("Result %d does not exist", id)) {
			continue
		}
		if err == nil {
			err = a.record(r)
		}
		if err != nil {
			t.Fatal(err)
		}
		a.ids = slices.Insert(a.ids, len(a.ids)-1, id)
		found++
	}
	if a.found += found; found > 1 {
		t.Fatalf("one request was interrupted, but %d unknown results exist", found)
	}
}

// awaitUsage waits until the number of counted queries equals the number of results.
func (a *analyst) awaitUsage(t *testing.T, p *process) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; <-time.After(10 * time.Millisecond) {
		done := a.countDone(t, p)
		last, err := a.find(p, a.ids[len(a.ids)-1])
		if err != nil {
			t.Fatal(err)
		}
		used := last.ContractInfo.QueriesUsed
		if used == done && last.Status == "DONE" {
			return
		}
		if used > len(a.ids) || time.Now().After(deadline) {
			t.Fatalf("%d queries are counted; of %d results %d are done\n%s", used, len(a.ids), done, p.Log)
		}
	}
}

// countDone polls the analyses without a result, and returns the number of analyses that have one.
func (a *analyst) countDone(t *testing.T, p *process) (done int) {
	t.Helper()
	for _, id := range a.ids {
		if a.answers[id] == "" {
			if err := a.poll(p, id); err != nil {
				t.Fatal(err)
			}
		}
		if a.answers[id] != "" {
			done++
		}
	}
	return done
}

// wantVolume checks that an analysis includes all documents of a day.
func (a *analyst) wantVolume(t *testing.T, analysis string, want int) {
	t.Helper()
	var got struct{ Volume map[string]int }
	if err := json.Unmarshal([]byte(analysis), &got); err != nil {
		t.Fatal(err)
	}
	sum := 0
	for _, n := range got.Volume {
		sum += n
	}
	if sum != want {
		t.Fatalf("the analysis of a day has %d documents in %v, the day has %d", sum, got.Volume, want)
	}
}
