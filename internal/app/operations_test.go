package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot"
	"earshot/internal/account"
	"earshot/internal/config"
	"earshot/internal/content"
	"earshot/internal/ingest/item"
	"earshot/internal/monitor"
	"earshot/internal/secret/password"
	"earshot/internal/state/feed"
	"earshot/internal/test/testenv"
)

const rootPassword = "correct horse battery"

func testConfig(t testing.TB) config.Config {
	cfg := config.New()
	cfg.Data, cfg.RateLimit, cfg.Listen = t.TempDir(), 0, "127.0.0.1:0"
	return cfg
}

func testOptions(log io.Writer) Options {
	return Options{
		Version:       "test",
		AdminPassword: rootPassword,
		Log:           slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Hasher:        password.Hasher{Memory: 64, Passes: 1, Threads: 1},
		StoreProbe:    time.Minute, // a busy machine may be slow
	}
}

// A sink collects a log that is written concurrently.
type sink struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.buf.String()
}

func open(t testing.TB, cfg config.Config, log io.Writer) *App {
	t.Helper()
	a, err := Open(context.Background(), cfg, testOptions(log))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func ready(t testing.TB, a *App) {
	t.Helper()
	if err := a.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func get(t testing.TB, a *App, address string) (int, string) {
	t.Helper()
	w := httptest.NewRecorder()
	a.Handler().ServeHTTP(w, httptest.NewRequest("GET", address, nil))
	return w.Code, w.Body.String()
}

func token(t testing.TB, a *App) string {
	t.Helper()
	tok, err := a.Accounts.SignIn(t.Context(), account.Credentials{Username: "admin", Password: rootPassword, Permanent: true})
	if err != nil {
		t.Fatal(err)
	}
	return tok.Text
}

// A fixture is a team with a monitor and a content source.
type fixture struct {
	caller  *earshot.Caller
	team    *earshot.Team
	monitor *earshot.Monitor
	source  *earshot.ContentSource
}

func newFixture(t testing.TB, a *App) fixture {
	t.Helper()
	ctx := t.Context()
	f := fixture{caller: earshot.NewCaller(a.Accounts.ListUsers()[0])}
	var err error
	if f.team, err = a.Accounts.AddTeam(ctx, f.caller, earshot.Team{Name: "Acme"}); err != nil {
		t.Fatal(err)
	}
	name, keywords, start := "Coffee", "coffee", earshot.Date{Year: 2026, Month: 3, Day: 1}
	f.monitor, err = a.Monitors.Add(ctx, f.caller, monitor.Changes{Name: &name, Team: &f.team.ID, Start: &start,
		Criteria: monitor.CriteriaChanges{Keywords: &keywords}})
	if err != nil {
		t.Fatal(err)
	}
	if f.source, err = a.Content.AddSource(ctx, f.caller, earshot.ContentSource{Team: f.team.ID, Name: "Survey"}); err != nil {
		t.Fatal(err)
	}
	return f
}

func (f fixture) upload(t testing.TB, a *App, guid string) {
	t.Helper()
	_, err := a.Content.Upload(t.Context(), f.caller, content.Upload{Source: f.source.ID, Items: []item.Item{
		{GUID: guid, Date: "2026-03-02T12:00:00", Contents: "coffee"},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

// volume returns the number of the monitor's documents on the day of the uploads.
func (f fixture) volume(t testing.TB, a *App) string {
	t.Helper()
	if err := a.CatchUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, body := get(t, a, fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", token(t, a), f.monitor.ID))
	_, after, _ := strings.Cut(body, `"numberOfDocuments":`)
	count, _, _ := strings.Cut(after, ",")
	return count
}

func TestAnUnreadableEntryBecomesADeadLetter(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "before")
	if err := a.node.Conn().Publish("journal", []byte("\x07garbage")); err != nil {
		t.Fatal(err)
	}
	f.upload(t, a, "after")
	if got := f.volume(t, a); got != "2" {
		t.Errorf("got %s documents, want those before and after the broken entry", got)
	}
	_, status := get(t, a, "/manage/v1/status?auth="+token(t, a))
	if !strings.Contains(status, `"deadLetters":{"count":1,"recent":[{"position":`) || !strings.Contains(status, "unknown format version 7") {
		t.Errorf("the status does not include the dead letter: %s", status)
	}
	if _, metrics := get(t, a, "/metrics"); !strings.Contains("\n"+metrics, "\nearshot_dead_letters 1\n") {
		t.Errorf("the metrics do not include the dead letter:\n%s", metrics)
	}
}

func TestAllDataSurvivesARestart(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg, io.Discard)
	ready(t, a)
	f := newFixture(t, a)
	f.upload(t, a, "1")
	f.upload(t, a, "2")
	f.upload(t, a, "2")
	before := token(t, a)
	if _, err := a.Monitors.Disable(t.Context(), f.caller, f.monitor.ID); err != nil {
		t.Fatal(err)
	}
	f.upload(t, a, "after it was disabled")
	if got := f.volume(t, a); got != "2" {
		t.Errorf("a disabled monitor has %s documents, want 2", got)
	}
	keywords, name := "coffee OR tea", "Milk"
	if _, err := a.Monitors.Edit(t.Context(), f.caller, f.monitor.ID, monitor.Changes{Criteria: monitor.CriteriaChanges{Keywords: &keywords}}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Monitors.AddFilter(t.Context(), f.caller, f.monitor.ID, monitor.FilterChanges{Name: &name}); err != nil {
		t.Fatal(err)
	}
	if got := f.volume(t, a); got != "2" {
		t.Errorf("after an edit, a disabled monitor has %s documents, want 2", got)
	}
	a.Close()

	a = open(t, cfg, io.Discard)
	defer a.Close()
	if code, body := get(t, a, "/readyz"); code != http.StatusServiceUnavailable {
		t.Errorf("before it is ready: got %d %s", code, body)
	}
	if code, body := get(t, a, "/api/team/list?auth="+before); code != http.StatusServiceUnavailable {
		t.Errorf("before it is ready: got %d %s", code, body)
	}
	ready(t, a)
	if code, body := get(t, a, "/readyz"); code != http.StatusOK {
		t.Errorf("when it is ready: got %d %s", code, body)
	}
	if code, body := get(t, a, "/api/team/list?auth="+before); code != http.StatusOK {
		t.Errorf("a token from before the restart: got %d %s", code, body)
	}
	if got := f.volume(t, a); got != "2" {
		t.Errorf("a disabled monitor has %s documents after the restart, want 2", got)
	}
}

func TestASecondProcessOnTheSameDirectoryFails(t *testing.T) {
	cfg := testConfig(t)
	a := open(t, cfg, io.Discard)
	defer a.Close()
	if b, err := Open(t.Context(), cfg, testOptions(io.Discard)); err == nil {
		b.Close()
		t.Error("two apps run on one directory")
	}
}

func TestLogsContainNoSecrets(t *testing.T) {
	log := &sink{}
	a := open(t, testConfig(t), log)
	ready(t, a)
	tok := token(t, a)
	handler := a.Handler()
	for _, r := range []*http.Request{
		httptest.NewRequest("GET", "/api/authenticate?username=admin&password="+strings.ReplaceAll(rootPassword, " ", "+"), nil),
		httptest.NewRequest("GET", "/api/authenticate?username=admin&password=almost-"+strings.ReplaceAll(rootPassword, " ", "+"), nil),
		httptest.NewRequest("POST", "/manage/v1/tokens", strings.NewReader(`{"username":"admin","password":"`+rootPassword+`"`)),
		httptest.NewRequest("GET", "/api/team/list?auth="+tok, nil),
		httptest.NewRequest("GET", "/api/nothing?AUTH="+tok, nil),
		httptest.NewRequest("GET", "/api/monitor/volume?auth="+tok+"&id="+tok, nil),
		httptest.NewRequest("POST", "/manage/v1/users?auth="+tok, strings.NewReader(`{"username":"x","password":"`+rootPassword+`","teams":[9]}`)),
	} {
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	_, metrics := get(t, a, "/metrics")
	a.Close()
	for name, text := range map[string]string{"log": log.String(), "metrics": metrics} {
		for _, secret := range []string{rootPassword, strings.ReplaceAll(rootPassword, " ", "+"), tok, tok[:20]} {
			if strings.Contains(text, secret) {
				t.Errorf("the %s holds a secret", name)
			}
		}
	}
	if !strings.Contains(log.String(), "path=/api/team/list status=200") {
		t.Errorf("there is no access log:\n%s", log)
	}
}

func TestSecretsAreReadableByTheOwnerOnly(t *testing.T) {
	cfg := testConfig(t)
	cfg.Data = filepath.Join(cfg.Data, "new")
	a := open(t, cfg, io.Discard)
	defer a.Close()
	for path, want := range map[string]os.FileMode{"": 0o700, "secret.key": 0o600} {
		info, err := os.Stat(filepath.Join(cfg.Data, path))
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%q has mode %v, want %v", path, got, want)
		}
	}
}

func TestRunServesUntilStopped(t *testing.T) {
	ctx, stop := context.WithCancel(t.Context())
	address, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- Run(ctx, testConfig(t), testOptions(io.Discard), Hooks{Ready: func(a string) { address <- a }})
	}()
	var at string
	select {
	case at = <-address:
	case err := <-done:
		t.Fatal(err)
	}
	response, err := http.Get("http://" + at + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	if response.StatusCode != 200 || string(body) != `{"status":"ok"}` {
		t.Errorf("got %d %s", response.StatusCode, body)
	}
	stop()
	if err := <-done; err != nil {
		t.Errorf("got %v, want a clean end", err)
	}
	if _, err := http.Get("http://" + at + "/healthz"); err == nil {
		t.Error("it still listens")
	}
}

func TestRunReportsWhyItCannotStart(t *testing.T) {
	cfg := testConfig(t)
	file := filepath.Join(cfg.Data, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cfg.Data = file
	err := Run(t.Context(), cfg, testOptions(io.Discard), Hooks{})
	if err == nil || !strings.Contains(err.Error(), "data directory") {
		t.Errorf("got %v, want an error about the data directory", err)
	}
}

// TestAPostIsVisibleSoon checks that a post does not wait for a timer before it is counted. The benchmark
// measures the actual time; the limit is for busy machines.
func TestAPostIsVisibleSoon(t *testing.T) {
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	start := time.Now()
	f.upload(t, a, "1")
	if got := f.volume(t, a); got != "1" || time.Since(start) > 20*time.Second {
		t.Errorf("got %s documents after %v", got, time.Since(start))
	}
}

func TestLargeRequestsAreRejected(t *testing.T) {
	testenv.SkipUnderRace(t)
	a := open(t, testConfig(t), io.Discard)
	defer a.Close()
	ready(t, a)
	f := newFixture(t, a)
	address := fmt.Sprintf("/api/content/upload?auth=%s&documentType=%d", token(t, a), f.source.ID)
	item := `{"guid":"%d","date":"2026-03-02","contents":"coffee"},`
	var items strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&items, item, i)
	}
	check := func(name, body string, status int, message string) {
		t.Helper()
		w := httptest.NewRecorder()
		a.Handler().ServeHTTP(w, httptest.NewRequest("POST", address, strings.NewReader(body)))
		if w.Code != status || !strings.Contains(w.Body.String(), message) {
			t.Errorf("%s: got %d %s, want %d %s", name, w.Code, w.Body, status, message)
		}
	}
	check("1,001 documents", `{"items":[`+strings.TrimSuffix(items.String(), ",")+`]}`, 413, "The request has 1001 documents; send at most 1000 in one request")
	check("five million empty documents", `{"items":[`+strings.Repeat("{},", 5_000_000)+`{}]}`, 413, "The request has 5000001 documents")
	check("33 MB", `{"items":[{"contents":"`+strings.Repeat("a", 33<<20)+`"}]}`, 413, "The request body is larger than 32 MB")
	check("a text that is too long", `{"items":[{"guid":"1","date":"2026-03-02","contents":"`+strings.Repeat("ä", 16_385)+`"}]}`, 400,
		"items[0].contents has 16385 characters, at most 16384 are allowed")
	check("Latin-1", "{\"items\":[{\"guid\":\"1\",\"date\":\"2026-03-02\",\"contents\":\"Caf\xe9\"}]}", 400, "not valid UTF-8 at byte 58")
	if got := f.volume(t, a); got != "0" {
		t.Errorf("got %s documents, want none of all that", got)
	}
}

// A stuckFeed accepts nothing, as if the disk were full.
type stuckFeed struct {
	feed.Feed
	free atomic.Bool
}

func (f *stuckFeed) Append(ctx context.Context, upTo earshot.Position, runs []feed.Run) error {
	if !f.free.Load() {
		return errors.New("no room")
	}
	return f.Feed.Append(ctx, upTo, runs)
}

func TestStuckStreamsDoNotBlockRequests(t *testing.T) {
	cfg := testConfig(t)
	cfg.RetentionJournal = 0 // otherwise trimming queries the streams' position
	a := open(t, cfg, io.Discard)
	defer a.Close()
	stuck := &stuckFeed{Feed: a.Streams.Feed}
	defer stuck.free.Store(true)
	a.Streams.Feed = stuck
	f := newFixture(t, a)
	f.upload(t, a, "a")
	ready(t, a)
	if a.Streams.Lag() != 1 {
		t.Fatalf("streams are %d entries behind, want 1", a.Streams.Lag())
	}
	_, body := get(t, a, fmt.Sprintf("/api/monitor/volume?auth=%s&id=%d&start=2026-03-02&end=2026-03-03", token(t, a), f.monitor.ID))
	if want := `"numberOfDocuments":1,`; !strings.Contains(body, want) {
		t.Errorf("got %s, want %s", body, want)
	}
}
