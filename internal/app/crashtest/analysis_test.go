package crashtest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestResultsSurviveARestart(t *testing.T) {
	data := t.TempDir()
	p, stop := serve(t, data)
	s := newCoffeeStream(t, p)
	s.upload(t, "a", "b")
	s.await(t, 2)
	const body = `{"analysis":["volume"],"keywords":"coffee","sources":["CUSTOM:Survey"],"timezone":"UTC",` +
		`"startDate":"2026-03-02T00:00:00","endDate":"2026-03-03T00:00:00","requestUsage":true}`
	var submitted struct{ ResultID int64 }
	p.must(t, "POST", resultsPath, body, &submitted)
	before := answered(t, p, submitted.ResultID)
	stop()

	p, _ = serve(t, data)
	if after := answered(t, p, submitted.ResultID); after != before {
		t.Errorf("after a restart the result is\n%s\nit was\n%s", after, before)
	}
	want := fmt.Sprintf(`{"resultId":%d,"status":"DONE","analysis":{"volume":{"CUSTOM:Survey":2}},"contractInfo":{"queriesUsed":1,`, submitted.ResultID)
	if !strings.HasPrefix(before, want) {
		t.Errorf("got %s, want it to begin with %s", before, want)
	}
}

// answered polls until the analysis is done and counted, and returns its result.
func answered(t *testing.T, p *process, id int64) string {
	t.Helper()
	for {
		status, answer, err := p.call("GET", fmt.Sprintf("%s/%d", resultsPath, id), "")
		if err != nil || status != 200 {
			t.Fatalf("result %d: %d %s: %v", id, status, answer, err)
		}
		var r result
		if err := json.Unmarshal(answer, &r); err != nil {
			t.Fatal(err)
		}
		if r.Status == "DONE" && r.ContractInfo.QueriesUsed > 0 {
			return string(answer)
		}
	}
}
