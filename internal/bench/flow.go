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
)

// A flow is a load on its way into streams.
type flow struct {
	*load
	begin    time.Time
	answered []atomic.Int64 // when the upload of each parcel was, after begin; 0: not yet
	behind   atomic.Int64   // how much later than planned one was begun, at most
	arrived  atomic.Bool    // all are
}

func newFlow(l load) *flow {
	return &flow{load: &l, begin: time.Now(), answered: make([]atomic.Int64, len(l.parcels))}
}

// due returns when a parcel is to be uploaded, after begin.
func (f *flow) due(parcel int) time.Duration {
	return time.Duration(parcel) * batchSize * time.Second / streamPace
}

func (f *flow) lastAnswered() (last time.Duration) {
	for i := range f.answered {
		last = max(last, time.Duration(f.answered[i].Load()))
	}
	return last
}

func (f *flow) lastDelivered(readers []*reader) (last time.Duration) {
	for _, r := range readers {
		last = max(last, r.last)
	}
	return last
}

// flow uploads while readers read, and returns when they have everything.
func (b *streamBench) flow(ctx context.Context, f *flow, readers []*reader) (UploadFigures, error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var reading sync.WaitGroup
	reading.Go(func() {
		if err := readAll(ctx, readers); err != nil {
			stop(err)
		}
	})
	figures, err := b.upload(ctx, f)
	if err != nil {
		stop(err)
	}
	reading.Wait()
	return figures, context.Cause(ctx)
}

// upload uploads a load at its pace, or as fast as it gets where that is slower.
func (b *streamBench) upload(ctx context.Context, f *flow) (UploadFigures, error) {
	err := together(ctx, clients, len(f.parcels), func(ctx context.Context, i int) error { return b.uploadParcel(ctx, f, i) })
	f.arrived.Store(true)
	behind := time.Duration(f.behind.Load())
	return UploadFigures{
		Posts:         f.posts,
		PacePerSecond: streamPace,
		InPerSecond:   perSecond(f.posts, f.lastAnswered()),
		BehindSeconds: behind.Seconds(),
		PaceKept:      behind < time.Second,
	}, err
}

// uploadParcel waits until a parcel is due and uploads it.
func (b *streamBench) uploadParcel(ctx context.Context, f *flow, i int) error {
	due := f.begin.Add(f.due(i))
	if err := pauseUntil(ctx, due); err != nil {
		return err
	}
	atLeast(&f.behind, int64(time.Since(due)))
	var taken client.ImportResult
	if err := b.send(ctx, f, i, &taken); err != nil {
		return fmt.Errorf("upload posts: %w", err)
	}
	if taken.Accepted != int64(f.parcels[i].posts) {
		return fmt.Errorf("upload posts: %d of %d were accepted: %v", taken.Accepted, f.parcels[i].posts, taken.Errors)
	}
	f.answered[i].Store(int64(time.Since(f.begin)))
	return nil
}

func (b *streamBench) send(ctx context.Context, f *flow, i int, taken *client.ImportResult) error {
	req, err := http.NewRequestWithContext(ctx, "POST", b.client.Server+"/manage/v1/posts", f.open(i))
	if err != nil {
		return err
	}
	req.ContentLength = f.parcels[i].size
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

// atLeast raises a number to n.
func atLeast(to *atomic.Int64, n int64) {
	for old := to.Load(); n > old && !to.CompareAndSwap(old, n); old = to.Load() {
	}
}

func pauseUntil(ctx context.Context, at time.Time) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(time.Until(at)):
		return nil
	}
}
