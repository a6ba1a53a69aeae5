package crashtest

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"earshot"
	"earshot/internal/app"
	"earshot/internal/app/processtest"
	"earshot/internal/config"
	"earshot/internal/connector"
	"earshot/internal/fetch"
	"earshot/internal/model/enrich"
	"earshot/internal/test/testenv"
)

// TestKillsOfALiveSource kills the process at random times while a source delivers posts, edits and
// deletions. After each start it continues where the journal ends: in the end, every post is there
// once, in its last version, and no deleted one, and the counters have counted each event once. With -long it kills 50 times.
func TestKillsOfALiveSource(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("kills processes")
	}
	kills := 6
	if testenv.Long() {
		kills = 50
	}
	r := rand.New(rand.NewPCG(23, uint64(kills)))
	n := &numbered{want: map[string]string{}}
	server := httptest.NewServer(n)
	defer server.Close()
	data := t.TempDir()
	p := startSourceProcess(t, data)
	p.signIn(t)
	token := p.token
	monitor, source := n.configure(t, p, server.URL)
	for range kills {
		n.change(r, time.Duration(r.Float64()*float64(time.Second)))
		if r.IntN(3) == 0 { // otherwise it is killed while the source is behind
			n.await(t, p, source)
		}
		p.kill(t)
		n.started()
		p = startSourceProcess(t, data)
		p.token = token
	}
	n.change(r, 200*time.Millisecond)
	n.await(t, p, source)
	n.compare(t, p, monitor)
	starts, again := n.cursors()
	if starts < kills/2 {
		t.Errorf("after %d kills, the source was started only %d times", kills, starts)
	}
	if again > 20*starts { // a response has 20 events
		t.Errorf("%d events were read again after %d starts; the cursor is too far behind", again, starts)
	}
	for _, line := range p.Log.Errors() {
		t.Errorf("the service logged: %s", line)
	}
	p.kill(t)
	t.Logf("%d kills, %d starts of the source, %d events, %d of them read again, %d posts", kills, starts, len(n.events), again, len(n.want))
}

// sourceProcess is set for processes that TestSourceProcess runs: their data directory.
const sourceProcess = "EARSHOT_TEST_SOURCE_PROCESS"

func startSourceProcess(t *testing.T, data string) *process {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestSourceProcess$", "-test.timeout=0")
	cmd.Env = append(os.Environ(), sourceProcess+"="+data)
	return launchCommand(t, cmd).awaitReady(t)
}

// TestSourceProcess is the process that TestKillsOfALiveSource kills: the whole service, with one
// more kind of source.
func TestSourceProcess(t *testing.T) {
	data := os.Getenv(sourceProcess)
	if data == "" {
		testenv.SkipHelper(t, "TestKillsOfALiveSource")
	}
	cfg := config.New()
	cfg.Data, cfg.Listen, cfg.AllowPrivateAddresses = data, "127.0.0.1:0", true
	err := app.Run(t.Context(), cfg, app.Options{
		Version: "test", AdminPassword: processtest.AdminPassword, Enrich: enrich.Facts(),
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)), SourceKinds: []connector.Kind{numberedKind()},
	}, app.Hooks{})
	if err != nil {
		t.Error(err)
	}
}

// A sourceEvent is a new version of a post, or a deletion.
type sourceEvent struct {
	GUID    string
	Text    string
	Deleted bool
}

// numbered is a network whose events are numbered from 1.
type numbered struct {
	mu     sync.Mutex
	events []sourceEvent
	want   map[string]string // text by guid
	starts []*startReads
}

// startReads is what a process has read since its start.
type startReads struct {
	first int // cursor of the first request; -1: none yet
	last  int
}

// ServeHTTP answers GET /?after=17 with the following events, at most 20.
func (n *numbered) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	after, err := strconv.Atoi(r.FormValue("after"))
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil || after > len(n.events) {
		http.Error(w, "no such event", http.StatusBadRequest)
		return
	}
	if len(n.starts) == 0 {
		n.starts = append(n.starts, &startReads{first: -1})
	}
	s := n.starts[len(n.starts)-1]
	if s.first < 0 {
		s.first = after
	}
	events := n.events[after:min(after+20, len(n.events))]
	s.last = max(s.last, after+len(events))
	_ = json.NewEncoder(w).Encode(events)
}

// started tells the network that the process starts again.
func (n *numbered) started() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.starts = append(n.starts, &startReads{first: -1})
}

// cursors returns the number of starts after which the source read events again, and the number of
// those events. A process may be killed before its source has started.
func (n *numbered) cursors() (starts, again int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	last := n.starts[0].last
	for _, s := range n.starts[1:] {
		if s.first < 0 {
			continue
		}
		starts++
		again += max(0, last-s.first)
		last = s.last
	}
	return starts, again
}

// configure adds a monitor and the source.
func (n *numbered) configure(t *testing.T, p *process, url string) (monitor, source int64) {
	t.Helper()
	var made struct{ ID int64 }
	p.must(t, "POST", "/manage/v1/teams", `{"name":"Live"}`, &made)
	team := made.ID
	p.must(t, "POST", "/manage/v1/monitors", fmt.Sprintf(`{"name":"All","team":%d,"keywords":"survivor","start":"2026-01-01"}`, team), &made)
	monitor = made.ID
	n.add(sourceEvent{GUID: "first", Text: "survivor 0"})
	p.must(t, "POST", "/manage/v1/sources", fmt.Sprintf(`{"name":"Numbers","team":%d,"kind":"numbered","keep":"matched","settings":{"url":%q}}`, team, url), &made)
	n.await(t, p, made.ID)
	return monitor, made.ID
}

// change publishes random events for a time.
func (n *numbered) change(r *rand.Rand, d time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); {
		n.mu.Lock()
		guids := slices.Sorted(maps.Keys(n.want))
		version := len(n.events)
		n.mu.Unlock()
		switch r.IntN(4) {
		case 0:
			n.add(sourceEvent{GUID: guids[r.IntN(len(guids))], Text: fmt.Sprintf("survivor edited %d", version)})
		case 1:
			if len(guids) > 1 {
				n.add(sourceEvent{GUID: guids[r.IntN(len(guids))], Deleted: true})
			}
		default:
			n.add(sourceEvent{GUID: fmt.Sprintf("p%d", version), Text: fmt.Sprintf("survivor %d", version)})
		}
		<-time.After(time.Duration(r.IntN(4)) * time.Millisecond)
	}
}

func (n *numbered) add(e sourceEvent) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events = append(n.events, e)
	if e.Deleted {
		delete(n.want, e.GUID)
	} else {
		n.want[e.GUID] = e.Text
	}
}

// await waits until the source has delivered all events and counted each once, and they are stored.
func (n *numbered) await(t *testing.T, p *process, source int64) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		n.mu.Lock()
		events := len(n.events)
		caughtUp := len(n.starts) > 0 && n.starts[len(n.starts)-1].first >= 0 && n.starts[len(n.starts)-1].last == len(n.events)
		n.mu.Unlock()
		var status struct{ Pipeline struct{ Lag int64 } }
		p.must(t, "GET", "/manage/v1/status", "", &status)
		var live struct {
			State    struct{ Phase, Reason string }
			Counters struct{ Events, Posts, Deletions int }
		}
		p.must(t, "GET", fmt.Sprintf("/manage/v1/sources/%d", source), "", &live)
		counted := live.Counters.Events == events && live.Counters.Posts+live.Counters.Deletions == events
		if caughtUp && counted && status.Pipeline.Lag == 0 && live.State.Phase == "live" {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the source has not caught up with %d events within a minute: %+v\n%s", events, live, p.Log)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// compare waits until the monitor has exactly the posts of the network.
func (n *numbered) compare(t *testing.T, p *process, monitor int64) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		got := exported(t, p, monitor)
		if maps.Equal(got, n.want) {
			return
		}
		if time.Now().After(deadline) {
			for guid, text := range n.want {
				if got[guid] != text {
					t.Errorf("post %s: got %q, want %q", guid, got[guid], text)
				}
			}
			t.Fatalf("got %d posts, want %d", len(got), len(n.want))
		}
		<-time.After(50 * time.Millisecond)
	}
}

// exported returns the posts of a monitor, and fails if one is there twice.
func exported(t *testing.T, p *process, monitor int64) map[string]string {
	t.Helper()
	today := time.Now().UTC()
	path := fmt.Sprintf("/manage/v1/monitors/%d/export?format=ndjson&start=%s&end=%s", monitor,
		today.AddDate(0, 0, -2).Format(time.DateOnly), today.AddDate(0, 0, 1).Format(time.DateOnly))
	status, body, err := p.call("GET", path, "")
	if err != nil || status != http.StatusOK {
		t.Fatalf("%s: %d %s, %v", path, status, body, err)
	}
	posts := map[string]string{}
	for line := range strings.Lines(string(body)) {
		var post struct{ GUID, Contents string }
		if err := json.Unmarshal([]byte(line), &post); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if _, twice := posts[post.GUID]; twice {
			t.Errorf("post %s is there twice", post.GUID)
		}
		posts[post.GUID] = post.Contents
	}
	return posts
}

// numberedKind reads a numbered network.
func numberedKind() connector.Kind {
	return connector.Kind{
		Name: "numbered", Title: "Numbered", Keep: earshot.KeepAll,
		Settings: []connector.Setting{{Name: "url", Required: true}},
		Sources:  func(connector.Settings) []earshot.Source { return []earshot.Source{earshot.Bluesky} },
		New:      func(e connector.Env) connector.Connector { return numberedConnector{e} },
	}
}

type numberedConnector struct{ connector.Env }

func (c numberedConnector) Sample(context.Context, int) ([]earshot.Post, error) { return nil, nil }

// Run polls the network. A batch has only posts or only deletions, in the order of the events.
func (c numberedConnector) Run(ctx context.Context, cursor string, sink connector.Sink) error {
	at, _ := strconv.Atoi(cursor)
	for {
		events, err := c.read(ctx, at)
		if err != nil {
			return err
		}
		sink.Report(connector.State{Phase: connector.Live})
		for _, e := range events {
			at++
			b := connector.Batch{Cursor: strconv.Itoa(at)}
			if e.Deleted {
				b.Deletions = []earshot.Deletion{{Source: earshot.Bluesky, GUIDs: []string{e.GUID}}}
			} else {
				b.Posts = []earshot.Post{{Source: earshot.Bluesky, GUID: e.GUID, Time: c.Now(), Contents: e.Text}}
			}
			sink.Count(connector.Counters{Events: 1})
			if err := sink.Deliver(ctx, b); err != nil {
				return err
			}
		}
		if len(events) == 0 {
			if err := c.Wait(ctx, 10*time.Millisecond); err != nil {
				return err
			}
		}
	}
}

func (c numberedConnector) read(ctx context.Context, after int) (events []sourceEvent, err error) {
	request, err := http.NewRequestWithContext(ctx, "GET", fmt.Sprintf("%s?after=%d", c.Settings["url"], after), nil)
	if err != nil {
		return nil, err
	}
	response, err := c.HTTP.Do(request)
	if err != nil {
		return nil, err
	}
	body, err := fetch.ReadAll(response, 1<<20)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", response.Status, body)
	}
	return events, json.Unmarshal(body, &events)
}
