// Package scenariotest tests the assembled service through its HTTP handler: scenarios with exact
// responses, and endpoints, reports, mails and exports that must agree with each other. Kills are in
// crashtest, clusters in clustertest.
package scenariotest

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/app"
	"earshot/internal/app/processtest"
	"earshot/internal/config"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore/clickhouse/chtest"
	"earshot/internal/secret/password"
	"earshot/internal/test/testenv"
)

// A scenario is a text file with requests and their exact responses. They run in order through the
// real app on an empty data directory, at a fixed time.
//
//	set rate_limit 5                    settings, before the first step
//	-- a sentence that describes the step
//	POST /manage/v1/teams               method and path
//	Authorization: Bearer <<admin>>     headers
//
//	{"name":"Acme"}                     body
//	=> 201                              status
//	Content-Type: application/json      required headers
//	{"id":<<acme>>,"name":"Acme"}       exact body, except for empty lines at its end
//
// <<name>> stands for a value. Its first occurrence in a response sets the value; later ones must be
// the same. If images.fetch is true, <<pictures>> is the URL of a server with pictures, and what they
// show is known before each step. "let name value", before the first step, sets a value. Everything in the journal is
// counted, and rematching is done, before each step. "at 2026-03-16T08:00:00Z" sets the clock; before the first step it is
// also the time when the app opens. "restart" stops the app once its store has no background work
// left, and opens it again.
//
// go test -update rewrites the responses; review the diff.
var update = flag.Bool("update", false, "rewrite the responses of the scenarios")

const adminPassword = processtest.AdminPassword

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		if testenv.Race && !slices.Contains(raceScenarios, name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newPlay(t, file, t.TempDir()).run(t)
		})
	}
}

// TestScenariosInClickHouse runs the scenarios that store posts with posts in ClickHouse: with -long all
// of them, otherwise every fourth one, from one that depends on the seed.
func TestScenariosInClickHouse(t *testing.T) {
	files, err := filepath.Glob("testdata/scenarios/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scenarios: %v", err)
	}
	turn := testenv.Seed()
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !storesPosts.Match(text) {
			continue
		}
		if turn++; turn%4 != 0 && !testenv.Long() {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			server := chtest.Open(t)
			newPlay(t, file, t.TempDir(), func(cfg *config.Config) {
				cfg.Store = "clickhouse://default@" + strings.TrimPrefix(server.URL, "http://") + "/" + server.Database
			}).run(t)
		})
	}
}

// storesPosts matches scenarios with posts.
var storesPosts = regexp.MustCompile(`(?m)^POST (/manage/v1/posts|/api/content/upload)`)

// A step is one request and its expected response.
type step struct {
	title   string
	line    int
	method  string
	address string
	header  []string
	body    string
	status  string
	answer  []string // response headers
	want    string
	clock   time.Time
	restart bool
}

type scenario struct {
	settings [][2]string
	values   [][2]string // set with let
	preamble string
	steps    []step
}

// A play is a running scenario on a data directory.
type play struct {
	*scenario
	file  string
	cfg   config.Config
	app   *app.App
	known map[string]string // values by name
	now   atomic.Pointer[time.Time]
}

// newPlay reads a scenario and opens the app on a data directory.
func newPlay(t *testing.T, file, data string, change ...func(*config.Config)) *play {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	s := parseScenario(t, string(text))
	p := &play{scenario: s, file: file, cfg: s.config(t, data), known: map[string]string{}}
	for _, f := range change {
		f(&p.cfg)
	}
	for _, let := range s.values {
		p.known[let[0]] = let[1]
	}
	start := time.Date(2026, 3, 15, 12, 0, 0, 0, time.UTC)
	if len(s.steps) > 0 && !s.steps[0].clock.IsZero() {
		start = s.steps[0].clock
	}
	p.now.Store(&start)
	if p.cfg.FetchImages {
		p.known["pictures"] = pictureServer(t)
	}
	p.open(t)
	return p
}

func (p *play) open(t *testing.T) {
	t.Helper()
	p.app = openApp(t, p.cfg, app.Options{Now: func() time.Time { return *p.now.Load() }, Enrich: p.enricher(), ImageModel: colorModel()})
}

func (p *play) run(t *testing.T) {
	t.Helper()
	for i := range p.steps {
		step := &p.steps[i]
		p.catchUp(t)
		if !step.clock.IsZero() { // count earlier posts before the clock changes
			p.now.Store(&step.clock)
		}
		if step.restart {
			p.stop(t)
			p.open(t)
		}
		step.run(t, p.file, p.app.Handler(), p.known)
	}
	if *update {
		if err := os.WriteFile(p.file, []byte(p.print()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// stop closes the app once all background work is done, so the files on disk do not depend on its
// speed.
func (p *play) stop(t *testing.T) {
	t.Helper()
	p.catchUp(t)
	if err := p.app.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.app.Close()
}

func (p *play) catchUp(t *testing.T) {
	t.Helper()
	if err := p.app.AwaitIdle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if p.cfg.FetchImages {
		awaitPictures(t, p.app)
	}
}

// openApp opens an app and closes it at the end of the test.
func openApp(t *testing.T, cfg config.Config, o app.Options) *app.App {
	t.Helper()
	o.Version, o.AdminPassword = "test", adminPassword
	o.StoreProbe = time.Minute // a busy machine may be slow
	cfg.AnalysisWait = 60      // enough for a busy machine
	o.Hasher = password.Hasher{Memory: 64, Passes: 1, Threads: 1}
	a, err := app.Open(context.Background(), cfg, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	if err := a.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a
}

// enricher returns an enricher without models, so responses do not depend on them, unless the
// scenario contains "set models on".
func (s *scenario) enricher() *enrich.Enricher {
	if slices.Contains(s.settings, [2]string{"models", "on"}) {
		return nil
	}
	return enrich.Facts()
}

func (s *scenario) config(t *testing.T, data string) config.Config {
	cfg := config.New()
	cfg.Data = data
	cfg.RateLimit = 0
	var environ []string
	for _, set := range s.settings {
		if set[0] == "models" {
			continue // see enricher
		}
		environ = append(environ, "EARSHOT_"+strings.ToUpper(set[0])+"="+set[1])
	}
	if len(environ) == 0 {
		return cfg
	}
	environ = append([]string{"EARSHOT_DATA=" + cfg.Data, "EARSHOT_RATE_LIMIT=0"}, environ...)
	cfg, err := config.Load(nil, "", environ)
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

func (st *step) run(t *testing.T, file string, h http.Handler, values map[string]string) {
	t.Helper()
	request := httptest.NewRequest(st.method, fill(st.address, values), strings.NewReader(fill(st.body, values)))
	for _, line := range st.header {
		name, value, _ := strings.Cut(fill(line, values), ": ")
		request.Header.Set(name, value)
	}
	recorder := httptest.NewRecorder()
	h.ServeHTTP(recorder, request)
	response := recorder.Result()
	body, _ := io.ReadAll(response.Body)
	body = bytes.TrimRight(body, "\n")
	at := fmt.Sprintf("%s:%d: %s", file, st.line, st.title)

	if *update {
		st.status = fmt.Sprint(response.StatusCode)
		for _, line := range st.answer {
			name, want, _ := strings.Cut(line, ": ")
			match(want, response.Header.Get(name), values)
		}
		match(st.want, string(body), values)
		st.want = unfill(string(body), values)
		return
	}
	if got := fmt.Sprint(response.StatusCode); got != st.status {
		t.Fatalf("%s\ngot status %s, want %s\nbody %s", at, got, st.status, body)
	}
	for _, line := range st.answer {
		name, want, _ := strings.Cut(line, ": ")
		if got := response.Header.Get(name); !match(want, got, values) {
			t.Errorf("%s\ngot header %s: %s\nwant %s", at, name, got, want)
		}
	}
	if !match(st.want, string(body), values) {
		t.Fatalf("%s\ngot  %s\nwant %s", at, body, fill(st.want, values))
	}
}

var variable = regexp.MustCompile(`<<(\w+)>>`)

// fill replaces names with known values.
func fill(text string, values map[string]string) string {
	return variable.ReplaceAllStringFunc(text, func(v string) string {
		if value, ok := values[v[2:len(v)-2]]; ok {
			return value
		}
		return v
	})
}

// unfill replaces values with their names, longest value first.
func unfill(text string, values map[string]string) string {
	names := make([]string, 0, len(values))
	for name := range values {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int { return len(values[b]) - len(values[a]) })
	for _, name := range names {
		text = strings.ReplaceAll(text, values[name], "<<"+name+">>")
	}
	return text
}

// match compares two texts, and sets values that are not known yet.
func match(want, got string, values map[string]string) bool {
	want = fill(want, values)
	var pattern strings.Builder
	var names []string
	rest := want
	for {
		i := variable.FindStringSubmatchIndex(rest)
		if i == nil {
			break
		}
		pattern.WriteString(regexp.QuoteMeta(rest[:i[0]]) + `([\w.:-]+)`)
		names = append(names, rest[i[2]:i[3]])
		rest = rest[i[1]:]
	}
	pattern.WriteString(regexp.QuoteMeta(rest))
	found := regexp.MustCompile("^" + pattern.String() + "$").FindStringSubmatch(got)
	if found == nil {
		return false
	}
	for i, name := range names {
		values[name] = found[i+1]
	}
	return true
}

func parseScenario(t *testing.T, text string) *scenario {
	t.Helper()
	s := &scenario{}
	var st *step
	part := 0 // 0 title, 1 headers, 2 body, 3 response headers, 4 response body
	var clock time.Time
	restart := false
	for i, line := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(line, "set ") && st == nil:
			name, value, _ := strings.Cut(strings.TrimPrefix(line, "set "), " ")
			s.settings = append(s.settings, [2]string{name, value})
		case strings.HasPrefix(line, "let ") && st == nil:
			name, value, _ := strings.Cut(strings.TrimPrefix(line, "let "), " ")
			s.values = append(s.values, [2]string{name, value})
		case line == "restart" && st != nil:
			restart, part = true, 5
		case strings.HasPrefix(line, "at "):
			var err error
			if clock, err = time.Parse(time.RFC3339, strings.TrimPrefix(line, "at ")); err != nil {
				t.Fatal(err)
			}
			part = 5
		case strings.HasPrefix(line, "-- "):
			s.steps = append(s.steps, step{title: line[3:], line: i + 1, clock: clock, restart: restart})
			st, part, clock, restart = &s.steps[len(s.steps)-1], 0, time.Time{}, false
		case st == nil && part == 5: // between "at" and the first step
		case st == nil:
			s.preamble += line + "\n"
		case part == 0:
			st.method, st.address, _ = strings.Cut(line, " ")
			part = 1
		case strings.HasPrefix(line, "=> "):
			st.status, part = line[3:], 3
		case part == 1 && line == "":
			part = 2
		case part == 1:
			st.header = append(st.header, line)
		case part == 2:
			st.body += line + "\n"
		case part == 3 && regexp.MustCompile(`^[A-Z][\w-]*: `).MatchString(line):
			st.answer = append(st.answer, line)
		case part == 3 || part == 4:
			st.want, part = st.want+line+"\n", 4
		}
	}
	for i := range s.steps {
		s.steps[i].body = strings.TrimSuffix(s.steps[i].body, "\n")
		s.steps[i].want = strings.TrimSpace(s.steps[i].want)
	}
	return s
}

func (s *scenario) print() string {
	var b bytes.Buffer
	for _, set := range s.settings {
		fmt.Fprintf(&b, "set %s %s\n", set[0], set[1])
	}
	for _, let := range s.values {
		fmt.Fprintf(&b, "let %s %s\n", let[0], let[1])
	}
	b.WriteString(s.preamble)
	for _, st := range s.steps {
		if !st.clock.IsZero() {
			fmt.Fprintf(&b, "at %s\n\n", st.clock.Format(time.RFC3339))
		}
		if st.restart {
			b.WriteString("restart\n\n")
		}
		fmt.Fprintf(&b, "-- %s\n%s %s\n", st.title, st.method, st.address)
		for _, h := range st.header {
			fmt.Fprintln(&b, h)
		}
		if st.body != "" {
			fmt.Fprintf(&b, "\n%s\n", st.body)
		}
		fmt.Fprintf(&b, "=> %s\n", st.status)
		for _, h := range st.answer {
			fmt.Fprintln(&b, h)
		}
		if st.want != "" {
			fmt.Fprintln(&b, st.want)
		}
		fmt.Fprintln(&b)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}
