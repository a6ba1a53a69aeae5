package bench

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"earshot"
)

// checkStreams checks the results of streams. They are empty without a server.
func checkStreams(t *testing.T, f *StreamsResult, count int) {
	t.Helper()
	if f.Read == nil {
		return
	}
	if d := f.Read.Delivery; d.Posts != count || d.Missing+d.Twice+d.Disordered != 0 || d.Requests < streamCount {
		t.Errorf("read: got %+v", d)
	}
	if f.Read.Posts != count || f.Read.InPerSecond <= 0 || f.Read.OutPerSecond <= 0 || f.Read.QueueBytes <= 0 || f.Read.P50 > f.Read.Max {
		t.Errorf("got %+v", f.Read)
	}
	if d := f.Unread.Delivery; d.Posts != count/unreadPart || d.Missing+d.Twice+d.Disordered != 0 || f.Unread.TakenPerSecond <= 0 {
		t.Errorf("unread: got %+v", d)
	}
	if f.Many.Streams != 3 || f.Many.Posts != count/manyPart || f.Many.With.HeapMB <= 0 {
		t.Errorf("many: got %+v", f.Many)
	}
}

// newTestReader returns the reader of a stream in a workload of 2,500 posts. All uploads except the
// last have been acknowledged after a second.
func newTestReader(k int) *reader {
	f := newTransfer(workload{first: 7000, posts: 2500, requests: make([]uploadRequest, 3)})
	f.uploaded[0].Store(int64(time.Second))
	f.uploaded[1].Store(int64(time.Second))
	b := &streamBench{streams: make([]earshot.StreamID, streamCount)}
	return newReaders(b, f, reader{})[k]
}

func responseWith(posts ...int) []byte {
	var b strings.Builder
	for _, n := range posts {
		fmt.Fprintf(&b, `{"contents":"\"guid\":\"sp-1\"","guid":"sp-%d","parentGuid":"sp-9"},`, n)
	}
	return []byte(b.String())
}

func TestReaderDetectsErrors(t *testing.T) {
	first := func(n int) []int { // posts of stream 5, in order
		var posts []int
		for i := range n {
			posts = append(posts, 7005+i*streamCount)
		}
		return posts
	}
	all := first(25)
	tests := []struct {
		name                       string
		posts                      []int
		missing, twice, disordered int
	}{
		{name: "all in order", posts: all},
		{name: "requests in another order", posts: append(append([]int{}, all[10:]...), all[:10]...)},
		{name: "some missing", posts: all[:20], missing: 5},
		{name: "the last one twice", posts: append(append([]int{}, all...), all[24]), twice: 1, disordered: 1},
		{name: "one post of a request is late", posts: append(append([]int{}, all[1:]...), all[0]), disordered: 1},
		{name: "two posts of a request are swapped", posts: append([]int{all[1], all[0]}, all[2:]...), disordered: 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := newTestReader(5)
			n, err := r.parse(responseWith(tt.posts...), 3*time.Second)
			if err != nil || n != len(tt.posts) {
				t.Fatalf("got %d posts, %v", n, err)
			}
			if r.left != tt.missing || r.twice != tt.twice || r.disordered != tt.disordered {
				t.Errorf("got %d missing, %d duplicate and %d out of order; want %d, %d and %d",
					r.left, r.twice, r.disordered, tt.missing, tt.twice, tt.disordered)
			}
		})
	}
	for _, stray := range []int{6905, 7006, 9505} {
		if _, err := newTestReader(5).parse(responseWith(stray), 0); !errors.Is(err, errStray) {
			t.Errorf("%d: got %v", stray, err)
		}
	}
}

func TestLatencyStartsAtResponse(t *testing.T) {
	r := newTestReader(5)
	// The last upload has not been acknowledged yet.
	for i, want := range []time.Duration{2 * time.Second, 2 * time.Second, 0} {
		if _, err := r.parse(responseWith(7005+i*batchSize), 3*time.Second); err != nil || r.times[i] != want {
			t.Errorf("request %d: got %v, %v; want %v", i, r.times, err, want)
		}
	}
	if _, err := r.parse(responseWith(7105), time.Second/2); err != nil || r.times[3] != 0 {
		t.Errorf("a post that arrived before the response: got %v, %v", r.times, err)
	}
}

func TestDifferentOrderIsDetected(t *testing.T) {
	one, other := newTestReader(5), newTestReader(6)
	one.order, other.order = []int{0, 1, 2}, []int{1, 0, 2}
	if got := newDelivery(one.transfer, []*reader{one, other}).Disordered; got != 2 {
		t.Errorf("got %d, want 2", got)
	}
}

func TestRejectedUploadStopsReaders(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/tokens"):
			_, _ = w.Write([]byte(`{"auth":"t"}`))
		case r.Method == "POST":
			http.Error(w, "", http.StatusTeapot)
		default:
			_, _ = w.Write([]byte(`{"posts":[]}`))
		}
	})
	s := &session{sample: smallGenerator(t, 1).Sample, dir: t.TempDir(), serve: func(context.Context, string) (*Server, error) {
		return &Server{Handler: h, Close: func() {}}, nil
	}}
	packed, err := s.writeWorkloads(t.Context(), 1500)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.close()
	v, err := s.listen(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer v.close()
	b := &streamBench{runningServer: v, uploads: packed, streams: make([]earshot.StreamID, streamCount), reading: newHTTP(streamCount)}
	f := newTransfer(packed.workloads[0])
	_, err = b.transfer(t.Context(), f, newReaders(b, f, reader{cursor: firstCursor}))
	if err == nil || err.Error() != "upload posts: 418 I'm a teapot" {
		t.Errorf("got %v", err)
	}
}

func TestWorkloadsAreNumberedSeparately(t *testing.T) {
	s := &session{sample: smallGenerator(t, 1).Sample, dir: t.TempDir()}
	packed, err := s.writeWorkloads(t.Context(), 1500, 10)
	if err != nil {
		t.Fatal(err)
	}
	defer packed.close()
	for i, want := range []struct{ first, posts, requests int }{{0, 1500, 2}, {2000, 10, 1}} {
		l := packed.workloads[i]
		if l.first != want.first || l.posts != want.posts || len(l.requests) != want.requests {
			t.Errorf("workload %d: got %d posts in %d requests from %d, want %+v", i, l.posts, len(l.requests), l.first, want)
		}
	}
	text := make([]byte, packed.workloads[1].requests[0].size)
	if _, err := packed.workloads[1].open(0).Read(text); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	if len(lines) != 10 || !strings.Contains(lines[7], `"guid":"sp-2007"`) || !strings.Contains(lines[7], ` stream07"`) {
		t.Errorf("got %d lines, %s", len(lines), lines[7])
	}
}
