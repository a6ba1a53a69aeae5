package clustertest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// The first and last day of documents, and one day after, as parameters.
const (
	firstDay = 2
	lastDay  = 6
	allDays  = "start=2024-03-01&end=2024-03-08"
)

// How many documents a load uploads at most, and how many of them before the contract is used up. A
// list of posts has at most 10,000.
const (
	maxDocuments       = 9500
	maxWithoutContract = 8000
)

// A load is clients that use all nodes at the same time. Each client sends one request after the
// other, to a random node, and remembers what it was told.
type load struct {
	c *cluster

	team, source     int64
	all, third       int64 // monitors of the stream
	edited           *editor
	trainer          *trainer
	analyst          *analyst
	uploaders        []*uploader
	cursor           *cursorReader
	events           *eventReader
	queue            *queueReader
	documents        atomic.Int64 // in batches that were sent
	limit            atomic.Int64 // clients send no more documents
	acknowledged     atomic.Int64 // batches
	positions        atomic.Int64 // reads of a client's own uploads on another node
	behind           atomic.Int64 // such reads that got 503
	refusals         atomic.Int64 // uploads that the contract did not allow
	failed, answered atomic.Int64 // requests

	history history
	stop    context.CancelFunc
	running sync.WaitGroup
}

// newLoad creates what the clients use.
func newLoad(c *cluster, seed uint64) *load {
	c.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	l := &load{c: c, stop: func() {}}
	l.limit.Store(maxWithoutContract)
	n := c.nodes[0]
	var made struct{ ID int64 }
	c.must(n, "POST", "/manage/v1/teams", `{"name":"Cluster"}`, &made)
	l.team = made.ID
	monitor := func(name, keywords string) int64 {
		c.must(n, "POST", monitorsPath, fmt.Sprintf(`{"name":%q,"team":%d,"keywords":%q,"start":"2024-03-01"}`, name, l.team, keywords), &made)
		return made.ID
	}
	l.all, l.third = monitor("All", "survivor"), monitor("Third", "third")
	l.edited = &editor{client: l.client("editor", r), monitor: monitor("Edited", keywords[0].query)}
	var source struct{ ContentSource struct{ ID int64 } }
	c.must(n, "POST", "/api/content/sources", fmt.Sprintf(`{"name":%q,"teamid":"%d"}`, sourceName, l.team), &source)
	l.source = source.ContentSource.ID
	l.trainer = newTrainer(l, r)
	var stream struct{ ID int64 }
	c.must(n, "POST", "/manage/v1/streams", fmt.Sprintf(`{"name":"Survivors","team":%d}`, l.team), &stream)
	for _, id := range []int64{l.all, l.third} {
		c.must(n, "PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream.ID, id), "", &struct{}{})
	}
	l.cursor = &cursorReader{client: l.client("cursor", r), stream: stream.ID, cursor: "0-0"}
	l.events = &eventReader{client: l.client("events", r), stream: stream.ID}
	l.queue = &queueReader{client: l.client("queue", r), stream: stream.ID}
	l.analyst = &analyst{client: l.client("analyst", r), answers: map[int64]string{}}
	for i := range 3 {
		l.uploaders = append(l.uploaders, newUploader(l.client(fmt.Sprintf("u%d", i), r)))
	}
	return l
}

const (
	monitorsPath = "/manage/v1/monitors"
	sourceName   = "Common"
)

// run starts all clients. They run until halt.
func (l *load) run() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	for _, u := range l.uploaders {
		l.running.Go(func() { u.run(ctx) })
	}
	for _, run := range []func(context.Context){l.edited.run, l.trainer.run, l.analyst.run, l.cursor.run, l.events.run, l.queue.run} {
		l.running.Go(func() { run(ctx) })
	}
	l.c.Cleanup(func() {
		l.halt()
		l.history.save(l.c)
	})
}

// halt ends all clients. Requests in flight are completed.
func (l *load) halt() {
	l.stop()
	l.running.Wait()
}

// progress waits until n more batches are acknowledged.
func (l *load) progress(n int64) {
	l.c.Helper()
	want := l.acknowledged.Load() + n
	l.c.await(fmt.Sprintf("%d more uploads are acknowledged", n), func() error {
		if got := l.acknowledged.Load(); got < want && l.documents.Load() < l.limit.Load() {
			return fmt.Errorf("%d of %d", got, want)
		}
		return nil
	})
}

// A client sends requests, one after the other.
type client struct {
	*load
	*rand.Rand
	name string
}

func (l *load) client(name string, r *rand.Rand) client {
	return client{l, rand.New(rand.NewPCG(r.Uint64(), r.Uint64())), name}
}

// node returns a random node.
func (c client) node() *node { return c.c.nodes[c.IntN(len(c.c.nodes))] }

// other returns a random node other than n, or n if it is the only one.
func (c client) other(n *node) *node {
	if len(c.c.nodes) == 1 {
		return n
	}
	return c.c.nodes[(n.index+1+c.IntN(len(c.c.nodes)-1))%len(c.c.nodes)]
}

// send sends a request to a node and records it.
func (c client) send(n *node, method, path, body string, header ...string) (*answer, error) {
	began := time.Now()
	a, err := c.c.call(n, method, path, body, header...)
	result := ""
	if err != nil {
		c.failed.Add(1)
		result = err.Error()
	} else {
		c.answered.Add(1)
		result = fmt.Sprint(a.status)
		if a.status >= 300 {
			result += " " + string(a.body)
		}
	}
	c.history.add(began, c.name, n.name, method+" "+path, result)
	return a, err
}

// pause waits a moment before the next request. It returns false when the load ends.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Pauses between the requests of a client, after an answer and after a failure.
const (
	afterAnswer  = 20 * time.Millisecond
	afterFailure = 100 * time.Millisecond
)

// afterUpload returns the pause after an upload. While a cluster waits for a takeover or a replica,
// uploads at full speed would occupy the machine and prove nothing more. Long campaigns use full speed.
func afterUpload() time.Duration {
	if testenv.Long() {
		return afterAnswer
	}
	return 4 * afterAnswer
}

// A history is the requests of all clients with their results.
type history struct {
	mu    sync.Mutex
	lines []string // guarded by mu
}

func (h *history) add(began time.Time, client, node, request, result string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf("%s +%v %s -> %s: %s: %s",
		began.Format("15:04:05.000"), time.Since(began).Round(time.Millisecond), client, node, request, result))
}

// save writes the history to a file if the test has failed.
func (h *history) save(t testing.TB) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.Failed() {
		writeArtifact(t, "history.txt", strings.Join(h.lines, "\n"))
	}
}

// A keyword is a query and the batches that it selects.
type keyword struct {
	query   string
	selects func(batch int) bool
}

var keywords = []keyword{
	{"survivor", func(int) bool { return true }},
	{"even", func(n int) bool { return n%2 == 0 }},
	{"survivor AND NOT even", func(n int) bool { return n%2 != 0 }},
	{"odd OR third", func(n int) bool { return n%2 != 0 || n%3 == 0 }},
}

// words returns the text of the documents of a batch.
func words(batch int) string {
	text := "survivor even"
	if batch%2 != 0 {
		text = "survivor odd"
	}
	if batch%3 == 0 {
		text += " third"
	}
	return text
}
