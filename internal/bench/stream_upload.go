package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"earshot/internal/http/client"
	"earshot/internal/parallel"
)

// A transfer is a workload on its way into streams.
type transfer struct {
	*workload
	begin    time.Time
	uploaded []atomic.Int64 // when each request was acknowledged, relative to begin; 0 if not yet
	behind   atomic.Int64   // maximum delay of a request relative to its plan
	arrived  atomic.Bool    // all requests have been acknowledged
}

func newTransfer(l workload) *transfer {
	return &transfer{workload: &l, begin: time.Now(), uploaded: make([]atomic.Int64, len(l.requests))}
}

// due returns when a request is planned, relative to begin.
func (f *transfer) due(parcel int) time.Duration {
	return time.Duration(parcel) * batchSize * time.Second / streamPace
}

func (f *transfer) lastUploaded() (last time.Duration) {
	for i := range f.uploaded {
		last = max(last, time.Duration(f.uploaded[i].Load()))
	}
	return last
}

func (f *transfer) lastDelivered(readers []*reader) (last time.Duration) {
	for _, r := range readers {
		last = max(last, r.last)
	}
	return last
}

// transfer uploads while readers read, and returns when they have received everything.
func (b *streamBench) transfer(ctx context.Context, f *transfer, readers []*reader) (UploadResult, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var reading sync.WaitGroup
	reading.Go(func() {
		if err := readAll(ctx, readers); err != nil {
			stop(err)
		}
	})
	result, err := b.upload(ctx, f)
	if err != nil {
		stop(err)
	}
	reading.Wait()
	return result, context.Cause(ctx)
}

// upload uploads a workload at its pace, or as fast as possible if that is slower.
func (b *streamBench) upload(ctx context.Context, f *transfer) (UploadResult, error) {
	err := parallel.For(ctx, len(f.requests), clients, func(ctx context.Context, i int) error { return b.uploadOne(ctx, f, i) })
	f.arrived.Store(true)
	behind := time.Duration(f.behind.Load())
	return UploadResult{
		Posts:         f.posts,
		PacePerSecond: streamPace,
		InPerSecond:   perSecond(f.posts, f.lastUploaded()),
		BehindSeconds: behind.Seconds(),
		PaceKept:      behind < time.Second,
	}, err
}

// uploadOne waits until a request is due and uploads it.
func (b *streamBench) uploadOne(ctx context.Context, f *transfer, i int) error {
	due := f.begin.Add(f.due(i))
	if err := sleepUntil(ctx, due); err != nil {
		return err
	}
	raise(&f.behind, int64(time.Since(due)))
	var taken client.ImportResult
	if err := b.send(ctx, f, i, &taken); err != nil {
		return fmt.Errorf("upload posts: %w", err)
	}
	if taken.Accepted != int64(f.requests[i].posts) {
		return fmt.Errorf("upload posts: %d of %d were accepted: %v", taken.Accepted, f.requests[i].posts, taken.Errors)
	}
	f.uploaded[i].Store(int64(time.Since(f.begin)))
	return nil
}

func (b *streamBench) send(ctx context.Context, f *transfer, i int, taken *client.ImportResult) error {
	req, err := http.NewRequestWithContext(ctx, "POST", b.client.Server+"/manage/v1/posts", f.open(i))
	if err != nil {
		return err
	}
	req.ContentLength = f.requests[i].size
	req.Header.Set("Content-Type", "application/x-ndjson")
	req.Header.Set("Authorization", "Bearer "+b.client.Token)
	resp, err := b.client.HTTP.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return json.NewDecoder(resp.Body).Decode(taken)
}

// raise sets *to to n if n is larger.
func raise(to *atomic.Int64, n int64) {
	for old := to.Load(); n > old && !to.CompareAndSwap(old, n); old = to.Load() {
	}
}

func sleepUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}
