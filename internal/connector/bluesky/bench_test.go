package bluesky

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/klauspost/compress/zstd"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/connector/bluesky/blueskytest"
	"earshot/internal/connector/bluesky/zdict"
	"earshot/internal/model/enrich"
	"earshot/internal/query"
	"earshot/internal/query/watchlist"
	"earshot/internal/state/kv"
)

// A matchingSink selects posts as the service does: it infers attributes and matches monitors.
type matchingSink struct {
	*sink
	enricher *enrich.Enricher
	list     *watchlist.List
	document query.Document
	posts    int
	selected int
}

// newMatchingSink returns a sink with n monitors. Their words are from the recorded posts, so that
// some of them match.
func newMatchingSink(b *testing.B, n int) *matchingSink {
	var words []string
	for _, line := range recorded(b, "expected_v1.jsonl") {
		if e, ok := parseFirst(line); ok && e.kind == postEvent {
			if d := interpret(&e); d.post != nil {
				for word := range strings.FieldsFuncSeq(d.post.Contents, func(r rune) bool { return !unicode.IsLetter(r) }) {
					if len(word) > 7 {
						words = append(words, word)
					}
				}
			}
		}
	}
	word := func(i int) string { return words[i*7919%len(words)] }
	var monitors []*earshot.Monitor
	for i := range n {
		keywords := fmt.Sprintf(`("%s" OR "%s %s") AND ("%s" OR "brand%d") -"%s"`, word(5*i), word(5*i+1), word(5*i+2), word(5*i+3), i, word(5*i+4))
		monitors = append(monitors, &earshot.Monitor{ID: earshot.FirstID + earshot.MonitorID(i), Enabled: true, Criteria: earshot.Criteria{Keywords: keywords}})
	}
	list, errs := watchlist.New(monitors, 0)
	if len(errs) > 0 {
		b.Fatal(errs)
	}
	return &matchingSink{sink: newTestSink(), enricher: enrich.New(), list: list}
}

func (s *matchingSink) Select(_ context.Context, posts []earshot.Post) (selected []earshot.Post) {
	for _, p := range posts {
		s.posts++
		q := p
		s.enricher.Post(&q)
		s.document.Reset(&q)
		if len(s.list.Match(&s.document, nil)) > 0 {
			selected = append(selected, p)
		}
	}
	s.selected += len(selected)
	return selected
}

// Deliver drops what it gets, so that a benchmark measures the connector.
func (s *matchingSink) Deliver(_ context.Context, b connector.Batch) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cursor = b.Cursor
	return nil
}

// compressed returns the recorded events as a server sends them.
func compressed(b *testing.B) (messages [][]byte, size int) {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderDict(zdict.Dictionary), zstd.WithWindowSize(1<<17))
	if err != nil {
		b.Fatal(err)
	}
	for _, line := range recorded(b, "expected_v1.jsonl") {
		message := e.EncodeAll(line, nil)
		size += len(message)
		messages = append(messages, message)
	}
	return messages, size
}

// BenchmarkEvents decompresses, decodes and filters the recorded mix of events, of which a ninth are
// posts, with 100 monitors. It uses one core.
func BenchmarkEvents(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	messages, size := compressed(b)
	sink := newMatchingSink(b, 100)
	s := stream{}
	if err := s.useDictionary(zdict.Dictionary); err != nil {
		b.Fatal(err)
	}
	defer s.decoder.Close()
	d, r := newDirectory(&appView{now: time.Now}), newRecent()
	var unzipped []byte
	collected := newBatch(seen)
	b.SetBytes(int64(size / len(messages)))
	b.ReportAllocs()
	events, before := 0, cpuTime(b)
	for b.Loop() {
		var err error
		if unzipped, err = s.decoder.DecodeAll(messages[events%len(messages)], unzipped[:0]); err != nil {
			b.Fatal(err)
		}
		e, ok := parseFirst(unzipped)
		if !ok {
			b.Fatal("cannot be parsed")
		}
		switch decoded := interpret(&e); {
		case decoded.post != nil:
			decoded.post.GUID += fmt.Sprint(events) // the same post would replace itself
			collected.add(decoded.post, decoded.seen)
		case decoded.kind == deleteEvent:
			collected.remove(r.remove(decoded.guid)...)
		}
		if events++; collected.full() {
			collected.choose(b.Context(), sink, d, r)
			collected = newBatch(seen)
		}
	}
	b.ReportMetric(float64(events)/(cpuTime(b)-before).Seconds(), "events/cpu-s")
	b.ReportMetric(100*float64(sink.selected)/float64(max(1, sink.posts)), "%selected")
}

// cpuTime returns the processor time that the process has used, which other programs hardly affect.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkParse decodes events without posts, the fast path.
func BenchmarkParse(b *testing.B) {
	var others [][]byte
	for _, line := range recorded(b, "expected_v1.jsonl") {
		if e, ok := parseFirst(line); ok && e.kind == otherEvent {
			others = append(others, line)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if _, ok := parseFirst(others[i%len(others)]); !ok {
			b.Fatal("cannot be parsed")
		}
	}
}

// BenchmarkPost decodes posts.
func BenchmarkPost(b *testing.B) {
	var posts [][]byte
	for _, line := range recorded(b, "expected_v1.jsonl") {
		if e, ok := parseFirst(line); ok && e.kind == postEvent {
			posts = append(posts, line)
		}
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e, _ := parseFirst(posts[i%len(posts)])
		if d := interpret(&e); d.post == nil {
			b.Fatal(d.skip)
		}
	}
}

// BenchmarkCatchUp reads events from the fake over a WebSocket, compressed, as after a long downtime:
// posts and reposts in the recorded proportion, with 100 monitors. The fake runs in the same process,
// and its share is included.
func BenchmarkCatchUp(b *testing.B) {
	const events = 50_000
	var wanted []string
	for _, line := range recorded(b, "expected_v1.jsonl") {
		if e, ok := parseFirst(line); ok && e.kind != otherEvent {
			wanted = append(wanted, string(line))
		}
	}
	clock := newClock()
	n := blueskytest.Start(blueskytest.Options{Now: clock.Now})
	defer n.Close()
	start := clock.Now().Add(-30 * time.Hour).UnixMicro()
	n.ReplayAt(start, wanted, events)
	var took, used time.Duration
	var memory uint64
	for b.Loop() {
		sink := newMatchingSink(b, 100)
		sink.cursor = cursor{micros: start, host: strings.TrimPrefix(n.URL(), "ws://")}.String()
		w := &world{clock: clock, settings: n.Settings(), store: kv.NewMemory(), sink: sink.sink}
		ctx, cancel := context.WithCancel(b.Context())
		done := make(chan error, 1)
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		base, measured := m.HeapAlloc, false
		began, before := time.Now(), cpuTime(b)
		go func() { done <- w.connector().Run(ctx, sink.at(), sink) }()
		for sink.counters().Events < events {
			if sink.counters().Events > events/2 && !measured {
				measured = true
				runtime.GC()
				runtime.ReadMemStats(&m)
				memory = max(memory, m.HeapAlloc-min(base, m.HeapAlloc))
			}
			_ = clock.Wait(ctx, 20*time.Millisecond)
		}
		took, used = took+time.Since(began), used+cpuTime(b)-before
		cancel()
		<-done
	}
	const day = 500 * 86400 // events, at 500 a second
	rate := float64(b.N) * events / took.Seconds()
	b.ReportMetric(rate, "events/s")
	b.ReportMetric(day/rate/60, "min/day")
	b.ReportMetric(float64(b.N)*events/used.Seconds(), "events/cpu-s")
	b.ReportMetric(float64(memory)/(1<<20), "MB")
}
