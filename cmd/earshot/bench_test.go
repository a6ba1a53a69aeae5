package main

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"earshot/internal/bench"
	"earshot/internal/test/testenv"
)

func TestBenchPrintsOneObject(t *testing.T) {
	testenv.SkipUnderRace(t)
	t.Setenv("TMPDIR", t.TempDir())
	got := world{}.run(context.Background(), offline, "bench", "analysis", "--count", "500")
	if got.code != exitOK {
		t.Fatalf("exit %d with %q", got.code, got.err)
	}
	var report struct {
		Bench   string
		Posts   int
		CPUs    int
		Figures bench.AnalysisResult
	}
	if err := json.Unmarshal([]byte(got.out), &report); err != nil {
		t.Fatalf("%v in %q", err, got.out)
	}
	if report.Bench != "analysis" || report.Posts != 500 || report.CPUs != 1 || report.Figures.Stored != 500 || len(report.Figures.Queries) != 7 {
		t.Errorf("got %+v", report)
	}
	if http := report.Figures.HTTP; http == nil || http.Requests == 0 || http.Done != http.Requests {
		t.Errorf("got %+v of a server", http)
	}
	if !strings.HasPrefix(got.err, "appending 500 posts\n") {
		t.Errorf("told %q", got.err)
	}
}

func TestBenchMeasuresACompleteServer(t *testing.T) {
	server, err := openServer(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for range 200 { // exceeds the default limit per minute
		w := httptest.NewRecorder()
		server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/team/list", nil))
		if w.Code != http.StatusUnauthorized {
			t.Fatalf("got %d %s without a token", w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	server.Handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/authenticate?username=admin&password="+bench.AdminPassword, nil))
	if w.Code != http.StatusOK {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestBenchRejectsInvalidFlags(t *testing.T) {
	for _, args := range []string{"bench", "bench speed", "bench ingest --count 0", "bench match --cpus -1", "bench match more"} {
		got := world{}.run(context.Background(), offline, strings.Fields(args)...)
		if got.code != exitUsage {
			t.Errorf("earshot %s: exit %d with %q, want %d", args, got.code, got.err, exitUsage)
		}
	}
	got := world{}.run(context.Background(), offline, "bench", "match", "--posts", "no-such-file")
	if got.code != exitFailed || !strings.Contains(got.err, "no-such-file") {
		t.Errorf("exit %d with %q", got.code, got.err)
	}
}
