package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"earshot/internal/parallel"
)

const (
	// pageSize is the number of posts that a reader requests.
	pageSize = 100

	// pollEvery is how long a reader waits after a page that is not full, as programs do.
	pollEvery = 600 * time.Millisecond

	// patience is how long a reader waits for missing posts after all uploads.
	patience = 30 * time.Second

	// firstCursor is the cursor before the first post.
	firstCursor = "0-0"
)

// A reader reads one stream and checks that its posts are delivered once and in order.
type reader struct {
	cursor string        // where to continue; "" reads from the queue
	every  time.Duration // how long to wait after a page that is not full

	bench    *streamBench
	transfer *transfer
	k        int // index of the stream

	seen     []uint8 // how often each of its posts was delivered
	left     int     // number of posts not delivered yet
	order    []int   // requests in the order in which their posts arrived
	begun    []bool  // whether a post of each request has arrived
	times    Times   // from the response to the upload of a post to its delivery
	last     time.Duration
	requests int

	twice, disordered int
	post              int // the post that arrived last, numbered within the workload
	body              bytes.Buffer
}

// newReaders returns a reader for each stream, with the settings of like.
func newReaders(b *streamBench, f *transfer, like reader) []*reader {
	readers := make([]*reader, len(b.streams))
	for k := range readers {
		r := like
		r.bench, r.transfer, r.k, r.post = b, f, k, -1
		r.left = max((f.posts-k+streamCount-1)/streamCount, 0)
		r.seen, r.times, r.begun = make([]uint8, r.left), make(Times, 0, r.left), make([]bool, len(f.requests))
		readers[k] = &r
	}
	return readers
}

// readAll runs all readers concurrently.
func readAll(ctx context.Context, readers []*reader) error {
	return parallel.For(ctx, len(readers), len(readers), func(ctx context.Context, i int) error { return readers[i].run(ctx) })
}

// run reads until all posts of the stream have arrived, or no more arrive.
func (r *reader) run(ctx context.Context) error {
	// Readers do not all start at once.
	begin := time.Now().Add(r.every * time.Duration(r.k) / streamCount)
	if err := sleepUntil(ctx, begin); err != nil {
		return err
	}
	for idle := time.Now(); r.left > 0; {
		n, err := r.read(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("read stream: %w", err)
		case n > 0 || !r.transfer.arrived.Load():
			idle = time.Now()
		case time.Since(idle) > patience:
			return nil
		}
		if n < pageSize && r.left > 0 {
			if err := sleepUntil(ctx, time.Now().Add(max(r.every, time.Millisecond))); err != nil {
				return err
			}
		}
	}
	return nil
}

// read sends one request and returns the number of posts in the response.
func (r *reader) read(ctx context.Context) (int, error) {
	address := fmt.Sprintf("%s/api/stream/%d/posts?count=%d", r.bench.client.Server, r.bench.streams[r.k], pageSize)
	if r.cursor != "" {
		address += "&cursor=" + r.cursor
	}
	req, err := http.NewRequestWithContext(ctx, "GET", address, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Authorization", "Bearer "+r.bench.client.Token)
	resp, err := r.bench.reading.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	r.body.Reset()
	if _, err := r.body.ReadFrom(resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %s", resp.Status, r.body.Bytes())
	}
	if r.cursor != "" {
		r.cursor = resp.Header.Get("X-Stream-Cursor")
	}
	r.requests++
	return r.parse(r.body.Bytes(), time.Since(r.transfer.begin))
}

var guidKey = []byte(`"guid":"` + guidPrefix)

// parse finds the posts of a response that arrived at a time. It searches only for their guids,
// because parsing JSON would dominate the measurement.
func (r *reader) parse(response []byte, at time.Duration) (int, error) {
	n := 0
	for {
		_, after, found := bytes.Cut(response, guidKey)
		if !found {
			return n, nil
		}
		number, rest, _ := bytes.Cut(after, []byte{'"'})
		guid, err := strconv.Atoi(string(number))
		if err != nil {
			return n, fmt.Errorf("stream %d has a post with an unknown guid: %w", r.k, err)
		}
		if err := r.record(guid-r.transfer.first, at); err != nil {
			return n, err
		}
		response = rest
		n++
	}
}

var errStray = errors.New("a stream has a post of another stream")

// record records the arrival of a post of the workload.
func (r *reader) record(post int, at time.Duration) error {
	if post < 0 || post >= r.transfer.posts || post%streamCount != r.k {
		return errStray
	}
	request := post / batchSize
	switch {
	case !r.begun[request]:
		r.order, r.begun[request] = append(r.order, request), true
	case request != r.order[len(r.order)-1] || post <= r.post:
		r.disordered++
	}
	r.post, r.last = post, at
	if r.seen[post/streamCount]++; r.seen[post/streamCount] > 1 {
		r.twice++
		return nil
	}
	r.left--
	uploaded := time.Duration(r.transfer.uploaded[request].Load())
	if uploaded == 0 || uploaded > at { // it arrived before the response to the upload
		uploaded = at
	}
	r.times = append(r.times, at-uploaded)
	return nil
}

// newDelivery combines the observations of readers. All streams must have the requests in the same
// order.
func newDelivery(f *transfer, readers []*reader) (d Delivery) {
	for _, r := range readers {
		d.Requests += r.requests
		d.Missing += r.left
		d.Twice += r.twice
		d.Disordered += r.disordered
		for i := range min(len(r.order), len(readers[0].order)) {
			if r.order[i] != readers[0].order[i] {
				d.Disordered++
			}
		}
	}
	d.Posts = f.posts - d.Missing
	return d
}
