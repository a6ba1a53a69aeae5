package api_test

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"earshot"
	"earshot/internal/analysis"
	"earshot/internal/http/api"
	"earshot/internal/http/rest"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
	"earshot/internal/state/ledger"
)

// brokenStore fails until mended is set.
type brokenStore struct {
	analysis.Store
	mended atomic.Bool
}

func (s *brokenStore) Tallies(_ context.Context, _ poststore.Selection, ts []poststore.Tally) ([][]poststore.Row, error) {
	if !s.mended.Load() {
		return nil, errors.New("broken")
	}
	return make([][]poststore.Row, len(ts)), nil
}

// analysisServer serves analyses of a store, with a worker that runs until the test ends.
func analysisServer(t *testing.T, store analysis.Store) http.Handler {
	c, err := catalog.Open(t.Context(), kv.NewMemory(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	s := analysis.New(analysis.Options{Ledger: ledger.New(kv.NewMemory()), Store: store, Catalog: c})
	ctx, stop := context.WithCancel(t.Context())
	t.Cleanup(stop)
	go s.Run(ctx)
	return rest.New(rest.Options{Authenticate: func(context.Context, string) (*earshot.Caller, error) {
		return earshot.NewCaller(&earshot.User{ID: 1}), nil
	}}, (&api.API{Analysis: s}).Routes())
}

const volumeRequest = `{"analysis":["volume"],"keywords":"coffee","sources":["TWITTER"],"startDate":"2026-03-10T00:00:00","endDate":"2026-03-11T00:00:00","timezone":"UTC","requestUsage":true}`

// newRequester returns a function that sends a request and checks the status and body of the
// response.
func newRequester(t *testing.T, h http.Handler) func(method, target, body string, status int, want string) {
	return func(method, target, body string, status int, want string) {
		t.Helper()
		request := httptest.NewRequest(method, target, strings.NewReader(body))
		request.Header.Set("Authorization", "Bearer token")
		request.Header.Set("X-Forwarded-Host", "elsewhere.example")
		request.Header.Set("X-Forwarded-Proto", "https")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, request)
		if got := w.Body.String(); w.Code != status || got != want {
			t.Errorf("%s %s\ngot  %d %s\nwant %d %s", method, target, w.Code, got, status, want)
		}
	}
}

// TestAnalysisStates sends a request at each step of the retry schedule. Virtual time starts in the
// year 2000.
func TestAnalysisStates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ask := newRequester(t, analysisServer(t, &brokenStore{}))
		waiting := func(at, millis string) string {
			return `{"status":"WAITING","resultId":2147483649,"retrieveAt":"` + at + `","retrieveAtMillis":` + millis +
				`,"resultsUri":"http://earshot.example:8080/api/results/2147483649","request":` + volumeRequest + `}`
		}
		const post, get = "http://earshot.example:8080/api/results", "http://earshot.example:8080/api/results/2147483649"
		ask("POST", post, volumeRequest, 202, waiting("2000-01-01T00:01:00+0000", "946684860000"))
		ask("GET", get, "", 200, waiting("2000-01-01T00:01:00+0000", "946684860000"))
		for _, step := range []struct {
			minutes    time.Duration
			at, millis string
		}{
			{1, "2000-01-01T00:04:00+0000", "946685040000"},
			{3, "2000-01-01T00:09:00+0000", "946685340000"},
			{5, "2000-01-01T00:19:00+0000", "946685940000"},
			{10, "2000-01-01T00:39:00+0000", "946687140000"},
		} {
			time.Sleep(step.minutes * time.Minute)
			synctest.Wait()
			ask("GET", get, "", 200, waiting(step.at, step.millis))
		}
		time.Sleep(20*time.Minute - time.Millisecond)
		ask("GET", get, "", 200, waiting("2000-01-01T00:39:01+0000", "946687141000")) // one second from now
		time.Sleep(time.Millisecond)
		synctest.Wait()
		ask("GET", get, "", 200, `{"resultId":2147483649,"status":"SKIPPED","message":"The analysis failed 6 times and was abandoned; submit a new request","request":`+volumeRequest+`}`)
	})
}

func TestAnalysisDoneLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &brokenStore{}
		ask := newRequester(t, analysisServer(t, store))
		ask("POST", "https://earshot.example/api/results", volumeRequest, 202,
			`{"status":"WAITING","resultId":2147483649,"retrieveAt":"2000-01-01T00:01:00+0000","retrieveAtMillis":946684860000,"resultsUri":"https://earshot.example/api/results/2147483649","request":`+volumeRequest+`}`)
		store.mended.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		ask("GET", "/api/results/2147483649", "", 200,
			`{"resultId":2147483649,"status":"DONE","analysis":{"volume":{"TWITTER":0}},"contractInfo":{"queriesUsed":1,"queriesContracted":2147483647,"periodStart":"2000-01-01T00:00:00","periodEnd":"2001-01-01T00:00:00"},"request":`+volumeRequest+`}`)
	})
}
