package crashtest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The second monitor of the stream, which selects the documents of every third version.
const thirdMonitor = "Third"

// A crashStream is a stream with two monitors that receives the writers' uploads, and its readers,
// each of a different kind. Readers keep their state across kills.
type crashStream struct {
	monitors map[int64]func(version int) bool // versions that each monitor selects
	places   *cursorReader
	events   *eventReader
	queue    *queueReader
}

func newCrashStream(t *testing.T, c *crashes) *crashStream {
	t.Helper()
	p := c.process
	var third, stream struct{ ID int64 }
	p.must(t, "POST", monitorsPath, fmt.Sprintf(`{"name":%q,"team":%d,"keywords":"third","start":"2024-03-01"}`, thirdMonitor, c.team), &third)
	p.must(t, "POST", "/manage/v1/streams", fmt.Sprintf(`{"name":"Survivors","team":%d}`, c.team), &stream)
	s := &crashStream{
		monitors: map[int64]func(int) bool{c.all: func(int) bool { return true }, third.ID: func(v int) bool { return v%3 == 0 }},
		places:   &cursorReader{stream: stream.ID, cursor: "0-0"},
		events:   &eventReader{stream: stream.ID},
		queue:    &queueReader{stream: stream.ID},
	}
	for id := range s.monitors {
		p.must(t, "PUT", fmt.Sprintf("/manage/v1/streams/%d/monitors/%d", stream.ID, id), "", &struct{}{})
	}
	return s
}

// A delivery is a post of the stream, as a reader receives it.
type delivery struct {
	URL       string
	Title     string // the version
	MonitorID int64
}

// A lane is the posts of one writer and one monitor. Their order in the stream is known.
type lane struct {
	writer  string
	monitor int64
}

func (d delivery) lane() lane { return lane{d.writer(), d.MonitorID} }

// group returns the name of the post's group.
func (d delivery) group() string { return strings.Split(d.URL, "/")[3] }

// writer returns the name of the writer of the post. Together with the version it identifies the
// upload.
func (d delivery) writer() string { return strings.Split(d.URL, "/")[3][:len("w0")] }

// compare lets all readers catch up. A reader with a cursor must have received every uploaded
// document, in upload order, and an event reader must have received the same.
func (s *crashStream) compare(t *testing.T, p *process, writers []*writer, kills int) {
	t.Helper()
	awaitStreams(t, p)
	drain(t, p, s.places.read)
	s.wantUploads(t, writers)
	gone := deleted(writers)
	all := without(s.places.got.list, gone)
	if len(all) > 0 {
		s.events.drain(t, p, all[len(all)-1])
	}
	if got := without(s.events.got.list, gone); !slices.Equal(got, all) {
		t.Fatalf("the event reader got %s", difference(got, all))
	}
	drain(t, p, s.queue.take)
	if problem := s.queue.differs(&s.places.got, gone, kills); problem != "" {
		t.Fatal("the queue reader got ", problem)
	}
	for _, got := range []*deliveryLog{&s.places.got, &s.events.got} {
		if got.repeats > kills {
			t.Fatalf("posts of the stream were repeated %d times after %d kills", got.repeats, kills)
		}
		got.seen = len(got.list)
	}
}

// awaitStreams waits until the streams have caught up with the journal, which a ready service does
// not wait for.
func awaitStreams(t *testing.T, p *process) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		var status struct{ Streams struct{ Lag int64 } }
		p.must(t, "GET", "/manage/v1/status", "", &status)
		if status.Streams.Lag == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after a minute, streams lack %d journal entries", status.Streams.Lag)
		}
	}
}

// deleted returns a function that reports whether a post was deleted after its upload. Only readers
// that read it before have it.
func deleted(writers []*writer) func(delivery) bool {
	upTo := map[string]int{}
	for _, w := range writers {
		for name, version := range w.deleted {
			upTo[w.name+"/"+name] = version
		}
	}
	return func(d delivery) bool {
		version, _ := strconv.Atoi(d.Title)
		last, ever := upTo[d.writer()+"/"+d.group()]
		return ever && version <= last
	}
}

// without returns the deliveries that are not gone.
func without(list []delivery, gone func(delivery) bool) []delivery {
	return slices.DeleteFunc(slices.Clone(list), gone)
}

// wantUploads compares the uploads since its last call with the deliveries.
func (s *crashStream) wantUploads(t *testing.T, writers []*writer) {
	t.Helper()
	want := map[lane][]delivery{}
	for _, w := range writers {
		for _, u := range w.uploads {
			for id, selects := range s.monitors {
				if selects(u.version) {
					want[lane{w.name, id}] = append(want[lane{w.name, id}], u.deliveries(id)...)
				}
			}
		}
		w.uploads = nil
	}
	got := map[lane][]delivery{}
	gone := deleted(writers)
	for _, d := range without(s.places.got.unseen(), gone) {
		got[d.lane()] = append(got[d.lane()], d)
	}
	for _, w := range writers {
		for id := range s.monitors {
			l := lane{w.name, id}
			if want := without(want[l], gone); !slices.Equal(got[l], want) {
				t.Fatalf("uploads of %s: the stream has for monitor %d %s", l.writer, l.monitor, difference(got[l], want))
			}
		}
	}
}

// deliveries returns the documents of an upload, as delivered for a monitor.
func (u upload) deliveries(monitor int64) (list []delivery) {
	for _, name := range u.names {
		for i := range size(name) {
			list = append(list, delivery{address(name, i), strconv.Itoa(u.version), monitor})
		}
	}
	return list
}

// difference describes the first difference between two lists.
func difference(got, want []delivery) string {
	i := 0
	for i < min(len(got), len(want)) && got[i] == want[i] {
		i++
	}
	of := func(list []delivery) string {
		if i == len(list) {
			return "the end"
		}
		return fmt.Sprint(list[i])
	}
	return fmt.Sprintf("%d posts, want %d; the first that differs is %d: %s, want %s", len(got), len(want), i, of(got), of(want))
}
