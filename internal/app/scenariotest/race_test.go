package scenariotest

import (
	"flag"
	"fmt"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"

	"earshot/internal/test/testenv"
)

// raceScenarios run under the race detector, too. Together they reach every service.
var raceScenarios = []string{"analysis", "monitors", "pictures", "stream_queue", "training", "corrections"}

// TestMain runs only a few tests under the race detector. The others are too slow for it, and run
// the same code one request at a time.
func TestMain(m *testing.M) {
	flag.Parse()
	if only := flag.Lookup("test.run"); testenv.Race && only.Value.String() == "" {
		only.Value.Set("^(TestEverythingAtOnce|TestScenarios)$")
	}
	os.Exit(m.Run())
}

// TestEverythingAtOnce uploads, edits, reads, analyzes, streams, exports and backs up at the same
// time. Every request succeeds, and in the end each post is counted once.
func TestEverythingAtOnce(t *testing.T) {
	w := newWorld(t, 40)
	team := w.add("/manage/v1/teams", `{"name":"Busy"}`)
	monitor := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"All","team":%d,"keywords":"espresso","start":"2026-03-01"}`, team))
	edited := w.add("/manage/v1/monitors", fmt.Sprintf(`{"name":"Edited","team":%d,"keywords":"espresso AND odd","start":"2026-03-01"}`, team))
	stream := w.add("/manage/v1/streams", fmt.Sprintf(`{"name":"Live","team":%d}`, team))
	w.call("PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream, monitor), "", &struct{}{})

	const uploaders, rounds, perRound = 3, 8, 20
	const days = "start=2026-03-01&end=2026-04-20"
	request := func(method, path, body string) {
		r := httptest.NewRequest(method, path, strings.NewReader(body))
		r.Header.Set("Authorization", "Bearer "+w.token)
		recorder := httptest.NewRecorder()
		w.app.Handler().ServeHTTP(recorder, r)
		if recorder.Code >= 300 {
			t.Errorf("%s %s: got %d %s", method, path, recorder.Code, recorder.Body)
		}
	}
	reads := []string{
		fmt.Sprintf("/api/monitor/volume?id=%d&%s", monitor, days),
		fmt.Sprintf("/api/monitor/results?id=%d&%s", edited, days),
		fmt.Sprintf("/api/monitor/posts?id=%d&%s", monitor, days),
		fmt.Sprintf("/api/monitor/wordcloud?id=%d&%s", monitor, days),
		fmt.Sprintf("/api/monitor/detail?id=%d", edited),
		fmt.Sprintf("/manage/v1/monitors/%d/overview?%s", monitor, days),
		fmt.Sprintf("/manage/v1/monitors/%d/topics?%s", monitor, days),
		fmt.Sprintf("/manage/v1/monitors/%d/report?%s", monitor, days),
		fmt.Sprintf("/manage/v1/monitors/%d/export?format=csv&%s", monitor, days),
		fmt.Sprintf("/api/stream/%d/posts", stream),
		"/manage/v1/summary", "/manage/v1/signals", "/manage/v1/status", "/metrics", "/readyz",
	}
	var running sync.WaitGroup
	for u := range uploaders {
		running.Go(func() {
			for round := range rounds {
				var lines strings.Builder
				for i := range perRound {
					n := round*perRound + i
					fmt.Fprintf(&lines, `{"type":"News","guid":"u%d-%d","url":"https://example.com/%d/%d","date":"2026-04-%02dT10:00:00Z","author":"a%d","contents":"espresso %s"}`+"\n",
						u, n, u, n, 1+n%19, n%7, []string{"even", "odd"}[n%2])
				}
				request("POST", "/manage/v1/posts", lines.String())
			}
		})
	}
	for r := range 2 {
		running.Go(func() {
			for i := range 2 * len(reads) {
				request("GET", reads[(i*7+r*3)%len(reads)], "")
			}
		})
	}
	running.Go(func() {
		for i := range rounds {
			request("PATCH", fmt.Sprintf("/manage/v1/monitors/%d", edited), fmt.Sprintf(`{"keywords":"espresso AND %s"}`, []string{"odd", "even"}[i%2]))
			request("POST", fmt.Sprintf("/manage/v1/monitors/%d/filters", edited), fmt.Sprintf(`{"name":"f%d","keywords":"even"}`, i))
		}
	})
	running.Go(func() {
		request("POST", "/manage/v1/backup", "")
	})
	running.Go(func() {
		for range rounds {
			request("POST", "/api/results", `{"analysis":["volume"],"keywords":"espresso","sources":["NEWS"],"startDate":"2026-04-10T00:00:00","endDate":"2026-04-11T00:00:00","timezone":"UTC"}`)
		}
	})
	running.Wait()
	if err := w.app.AwaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}

	const all = uploaders * rounds * perRound
	for id, want := range map[int64]int64{monitor: all, edited: all / 2} {
		var volume struct{ NumberOfDocuments int64 }
		w.get(fmt.Sprintf("/api/monitor/volume?id=%d&%s", id, days), &volume)
		if volume.NumberOfDocuments != want {
			t.Errorf("monitor %d has %d posts, want %d", id, volume.NumberOfDocuments, want)
		}
	}
	var queue struct{ TotalPostsAvailable int }
	w.get(fmt.Sprintf("/api/stream/%d/posts?cursor=0-0&count=1", stream), &queue)
	if queue.TotalPostsAvailable != all {
		t.Errorf("the stream has %d posts, want %d", queue.TotalPostsAvailable, all)
	}
}
