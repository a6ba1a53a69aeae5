package bench

import (
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"earshot/internal/http/client"
)

const (
	// clients is the number of concurrent clients. Each waits for a response before it sends the
	// next request.
	clients = 8

	// maxLoadTime limits each measurement of an endpoint.
	maxLoadTime = 3 * time.Second
)

// A loadTest is a sequence of requests from concurrent clients.
type loadTest struct {
	round       int // each round sends different requests
	clients     int
	maxRequests int
	maxDuration time.Duration                                    // 0 means no limit
	send        func(ctx context.Context, d *rng) (int64, error) // returns the length of the response
}

// A loadResult is the outcome of a load test.
type loadResult struct {
	times Times
	bytes int64
	cpu   time.Duration
}

const loadStream = 6 // kind for newRNG

// runLoad runs a load test. It stops at the first failed request and returns its error, which is a
// [*client.Error] if the server rejected the request.
func (v *runningServer) runLoad(ctx context.Context, st loadTest) (loadResult, error) {
	var (
		sent atomic.Int64
		mu   sync.Mutex
		all  loadResult
		errs error
		wait sync.WaitGroup
	)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	begin, cpu := time.Now(), processorTime()
	for i := range st.clients {
		wait.Go(func() {
			d := newRNG(v.seed, loadStream, st.round*clients+i)
			for sent.Add(1) <= int64(st.maxRequests) && (st.maxDuration == 0 || time.Since(begin) < st.maxDuration) {
				start := time.Now()
				n, err := st.send(ctx, &d)
				took := time.Since(start)
				mu.Lock()
				all.times, all.bytes = append(all.times, took), all.bytes+n
				if err != nil && errs == nil {
					errs = err
					stop()
				}
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	wait.Wait()
	all.cpu = processorTime() - cpu
	if errs == nil && len(all.times) == 0 {
		errs = errors.New("no requests were sent")
	}
	return all, errs
}

// sender returns a function that sends requests and discards the responses.
func (v *runningServer) sender(next func(d *rng) client.Request) func(context.Context, *rng) (int64, error) {
	return func(ctx context.Context, d *rng) (int64, error) { return v.get(ctx, next(d)) }
}

// get sends a request and returns the length of the response.
func (v *runningServer) get(ctx context.Context, r client.Request) (int64, error) {
	if r.Body != nil { // which Download does not send
		text, err := v.client.Call(ctx, r)
		return int64(len(text)), err
	}
	response, err := v.client.Download(ctx, r)
	if err != nil {
		return 0, err
	}
	defer response.Close()
	return io.Copy(io.Discard, response)
}

// processorTime returns the CPU time that this process has used on all cores, or 0 if unknown.
func processorTime() time.Duration {
	const tick = 10 * time.Millisecond // the unit of /proc/self/stat
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ") // skip the program name, which may contain anything
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}
