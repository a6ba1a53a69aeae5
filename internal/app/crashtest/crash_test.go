// Package crashtest tests the real program from outside: it kills and attacks the program, fills its
// disk, and reads its streams across restarts. What damage to its files does is tested in app.
package crashtest

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"earshot/internal/test/testenv"
)

// The monitor that selects all documents.
const allMonitor = "All"

// TestKills kills the real binary during uploads, replacements, deletions, flushes, merges,
// rematching and starts, and compares everything after each start. Acknowledged requests must have
// taken effect exactly once; requests in flight completely or not at all. Readers of a stream miss
// no posts, and results of analyses do not change. With -long it kills 500 times.
func TestKills(t *testing.T) {
	testenv.SkipUnderRace(t)
	if testing.Short() {
		t.Skip("builds and kills the real binary")
	}
	rounds, startKills := 4, 2
	if testenv.Long() {
		rounds, startKills = 288, 3 // 504 kills
	}
	c := newCrashes(t, rand.New(rand.NewPCG(7, uint64(rounds))))
	for n := range rounds {
		c.load(t, moments[n%len(moments)])
		if n%4 == 3 {
			c.killStarts(t, startKills)
		}
		c.start(t)
		c.compare(t)
		if n%50 == 49 {
			t.Logf("%d kills", c.kills)
		}
	}
	c.process.Stop(t)
	c.start(t)
	c.compare(t)
	c.process.kill(t)
	c.loseFiles(t)
	c.start(t) // rebuilds from the journal, which has everything
	c.compare(t)
	c.process.kill(t)
	t.Logf("%d kills, %d of them while starting; %d requests were acknowledged, %d were in flight at a kill; %d files were merged",
		c.kills, c.killsStarting, c.acknowledged.Load(), c.cut, c.files.merged)
	t.Logf("the stream had %d posts, runs were repeated %d times; %d analyses, %d of them found after a kill",
		len(c.stream.places.got.list), c.stream.places.got.repeats, len(c.analyst.answers), c.analyst.found)
	if testenv.Long() && c.kills < 500 {
		t.Errorf("the service was killed %d times, want 500", c.kills)
	}
	if testenv.Long() && c.files.merged == 0 {
		t.Error("no files were merged, so merging was not tested")
	}
}

// crashes is a service that is killed repeatedly, and its clients.
type crashes struct {
	*rand.Rand
	binary, data string
	process      *process
	token        string
	team, all    int64 // IDs of the team and of allMonitor

	writers []*writer
	manager *manager
	teacher *trainer
	reader  *reader
	stream  *crashStream
	analyst *analyst
	files   fileWatch

	acknowledged  atomic.Int64
	kills, cut    int
	killsStarting int
	starting      time.Duration // duration of the last start
}

func newCrashes(t *testing.T, r *rand.Rand) *crashes {
	t.Helper()
	c := &crashes{Rand: r, binary: buildBinary(t), data: t.TempDir()}
	c.start(t)
	p := c.process
	p.signIn(t)
	c.token = p.token
	var made struct{ ID int64 }
	p.must(t, "POST", "/manage/v1/teams", `{"name":"Crash"}`, &made)
	c.team = made.ID
	p.must(t, "POST", monitorsPath, fmt.Sprintf(`{"name":%q,"team":%d,"keywords":"survivor","start":"2024-03-01"}`, allMonitor, c.team), &made)
	c.all = made.ID
	var source struct{ ContentSource struct{ ID int64 } }
	p.must(t, "POST", "/api/content/sources", fmt.Sprintf(`{"name":%q,"teamid":"%d"}`, commonSource, c.team), &source)
	for i := range 4 {
		c.writers = append(c.writers, &writer{
			Rand: c.random(), name: fmt.Sprintf("w%d", i), team: c.team, big: testenv.Long() && i == 0,
			ids:          map[string]int64{commonSource: source.ContentSource.ID},
			known:        holdings{map[string]bool{}, map[groupKey]group{}},
			deleted:      map[string]int{},
			acknowledged: &c.acknowledged,
		})
	}
	c.manager = &manager{Rand: c.random(), team: c.team, ids: map[string]int64{}, known: map[string]int{}, acknowledged: &c.acknowledged}
	c.teacher = newTeacher(t, c)
	c.stream = newCrashStream(t, c)
	c.analyst = &analyst{Rand: c.random(), acknowledged: &c.acknowledged, answers: map[int64]string{}}
	c.reader = &reader{Rand: c.random(), monitor: c.all, latest: map[groupKey]int{}}
	return c
}

func (c *crashes) random() *rand.Rand { return rand.New(rand.NewPCG(c.Uint64(), c.Uint64())) }

func (c *crashes) start(t *testing.T) {
	t.Helper()
	began := time.Now()
	c.process = start(t, c.binary, c.data)
	c.starting = time.Since(began)
	c.process.token = c.token
}

// load runs the clients and kills the service at a given time.
func (c *crashes) load(t *testing.T, when killTime) {
	t.Helper()
	p := c.process
	var wait sync.WaitGroup
	for _, w := range c.writers {
		wait.Go(func() { w.run(t, p) })
	}
	wait.Go(func() { c.manager.run(t, p) })
	wait.Go(func() { c.teacher.run(t, p) })
	wait.Go(func() { c.reader.run(t, p) })
	wait.Go(func() { keepReading(t, p, c.stream.places.read) })
	wait.Go(func() { c.stream.events.run(t, p) })
	wait.Go(func() { keepReading(t, p, c.stream.queue.take) })
	wait.Go(func() { c.analyst.run(t, p) })
	when(c)
	p.kill(t)
	wait.Wait()
	c.kills++
	for _, w := range c.writers {
		if w.flying != nil {
			c.cut++
		}
	}
	if c.manager.flying != nil {
		c.cut++
	}
	if c.teacher.flying != nil {
		c.cut++
	}
	if c.analyst.flying {
		c.cut++
	}
	c.wantNoErrors(t)
}

// killStarts kills the service several times before or about when it is ready.
func (c *crashes) killStarts(t *testing.T, times int) {
	t.Helper()
	for range times {
		c.process = launch(t, c.binary, c.data)
		<-time.After(time.Duration(c.Float64() * 1.2 * float64(c.starting)))
		c.process.kill(t)
		c.wantNoErrors(t)
		c.kills++
		c.killsStarting++
	}
}

// loseFiles removes the segment files.
func (c *crashes) loseFiles(t *testing.T) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(c.data, "posts")); err != nil {
		t.Fatal(err)
	}
	c.files = fileWatch{merged: c.files.merged}
}

// compare compares the data of the service with the allowed states.
func (c *crashes) compare(t *testing.T) {
	t.Helper()
	s := newStored(t, c.process, c.team, c.all)
	all, documents := map[groupKey]group{}, map[string]int64{}
	for _, w := range c.writers {
		w.adopt(t, s)
		maps.Copy(w.ids, s.sources)
		maps.Copy(all, w.known.groups)
	}
	for key := range all {
		documents[key.source] += int64(size(key.name))
	}
	maps.DeleteFunc(s.documents, func(_ string, n int64) bool { return n == 0 })
	if !maps.Equal(s.documents, documents) {
		t.Fatalf("content sources have %v documents, want %v", s.documents, documents)
	}
	c.manager.adopt(t, c.process)
	c.manager.compare(t, c.process, all)
	c.teacher.compare(t, c.process)
	c.reader.compare(t, all)
	c.stream.compare(t, c.process, c.writers, c.kills)
	c.analyst.compare(t, c.process, s)
	c.files.poll(t, filepath.Join(c.data, "posts", "segments"))
	c.wantHealth(t)
	c.wantNoErrors(t)
}

// wantHealth checks the status for errors.
func (c *crashes) wantHealth(t *testing.T) {
	t.Helper()
	var status struct {
		DeadLetters struct{ Count int }
		Store       struct{ Quarantined []any }
	}
	c.process.must(t, "GET", "/manage/v1/status", "", &status)
	if status.DeadLetters.Count != 0 || len(status.Store.Quarantined) != 0 {
		t.Fatalf("after a kill there are dead letters or quarantined segments: %+v\n%s", status, c.process.Log)
	}
}

func (c *crashes) wantNoErrors(t *testing.T) {
	t.Helper()
	for _, line := range c.process.Log.Errors() {
		t.Errorf("the service logged: %s", line)
	}
}

// A killTime returns when the service is to be killed.
type killTime func(c *crashes)

var moments = []killTime{
	func(c *crashes) { <-time.After(time.Duration(c.Float64() * float64(2*time.Second))) },
	(*crashes).aboutAFlush,
	(*crashes).afterAFlush,
	func(c *crashes) { <-time.After(time.Duration(c.Float64() * float64(time.Second))) },
}

// aboutAFlush waits until posts have been waiting for about as long as a flush takes to start.
func (c *crashes) aboutAFlush() {
	for before := c.acknowledged.Load(); c.acknowledged.Load() == before; {
		<-time.After(time.Millisecond)
	}
	<-time.After(time.Second + time.Duration(c.IntN(100))*time.Millisecond)
}

// afterAFlush waits until a file is added or removed: a flush or a merge has ended, and the next
// merge may start.
func (c *crashes) afterAFlush() {
	dir := filepath.Join(c.data, "posts", "segments")
	files := func() int {
		entries, _ := os.ReadDir(dir)
		return len(entries)
	}
	before, deadline := files(), time.Now().Add(5*time.Second)
	for files() == before && time.Now().Before(deadline) {
		<-time.After(time.Millisecond)
	}
	<-time.After(time.Duration(c.IntN(30)) * time.Millisecond)
}
