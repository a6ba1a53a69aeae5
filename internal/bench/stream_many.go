package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"time"

	"earshot"
	"earshot/internal/http/client"
)

// An IdleResult is the cost of an idle server.
type IdleResult struct {
	ResidentMB float64 `json:"residentMb"` // after a garbage collection
	HeapMB     float64 `json:"heapMb"`     // in use after a garbage collection
	CPUPercent float64 `json:"cpuPercent"` // of one core, in the quietest of several intervals
}

// How often and how long an idle server is observed, per run of a query.
const (
	restWatches = 3
	restWatch   = 60 * time.Millisecond
)

// manyMonitors is the number of monitors per stream when there are many streams.
const manyMonitors = 100

// atRest waits until all entries are processed and then observes the idle server.
func (b *streamBench) atRest(ctx context.Context) (IdleResult, error) {
	if err := b.server.CatchUp(ctx); err != nil {
		return IdleResult{}, err
	}
	p := memoryPoint(0)
	f := IdleResult{ResidentMB: p.ResidentMB, HeapMB: p.HeapMB, CPUPercent: 100 * float64(runtime.NumCPU())}
	for range restWatches {
		start, cpu := time.Now(), processorTime()
		if err := sleepUntil(ctx, start.Add(restWatch*time.Duration(b.runs))); err != nil {
			return f, err
		}
		percent := 100 * (processorTime() - cpu).Seconds() / time.Since(start).Seconds()
		f.CPUPercent = min(f.CPUPercent, math.Round(10*percent)/10)
	}
	return f, nil
}

// measureUnread uploads posts without readers and then reads them from the queues.
func (b *streamBench) measureUnread(ctx context.Context) (*UnreadResult, error) {
	flow, err := b.beginUnread(ctx)
	if err != nil {
		return nil, err
	}
	f := &UnreadResult{}
	if f.Before, err = b.atRest(ctx); err != nil {
		return nil, err
	}
	before, err := queueBytes(b.serverDir())
	if err != nil {
		return nil, err
	}
	if f.UploadResult, f.CPU, err = b.uploadUnread(ctx, flow); err != nil {
		return nil, err
	}
	if f.Waiting, err = b.atRest(ctx); err != nil {
		return nil, err
	}
	after, err := queueBytes(b.serverDir())
	if err != nil {
		return nil, err
	}
	f.QueueMB = megabytes(after - before)
	return f, b.takeAll(ctx, flow, f)
}

// beginUnread clears the streams and returns the next workload.
func (b *streamBench) beginUnread(ctx context.Context) (*transfer, error) {
	for _, id := range b.streams {
		r := client.Request{Method: "DELETE", Path: fmt.Sprintf("/api/stream/%d/posts", id)}
		if _, err := b.client.Call(ctx, r); err != nil {
			return nil, err
		}
	}
	f := newTransfer(b.uploads.workloads[1])
	b.logf("uploading %d posts without readers", f.posts)
	return f, nil
}

// uploadUnread uploads a workload and returns the CPU time per post in microseconds until the post
// is in its stream.
func (b *streamBench) uploadUnread(ctx context.Context, f *transfer) (UploadResult, float64, error) {
	cpu := processorTime()
	f.begin = time.Now()
	upload, err := b.upload(ctx, f)
	if err == nil {
		err = b.server.CatchUp(ctx)
	}
	return upload, microseconds(processorTime()-cpu, f.posts), err
}

// takeAll reads all posts from the queues, all streams concurrently.
func (b *streamBench) takeAll(ctx context.Context, of *transfer, f *UnreadResult) error {
	b.logf("reading them")
	readers := newReaders(b, of, reader{})
	start := time.Now()
	if err := readAll(ctx, readers); err != nil {
		return err
	}
	f.Delivery = newDelivery(of, readers)
	f.TakenPerSecond = perSecond(f.Delivery.Posts, time.Since(start))
	return nil
}

// measureMany creates many streams that receive no posts.
func (b *streamBench) measureMany(ctx context.Context) (*ManyResult, error) {
	b.logf("creating %d streams with %d monitors each", b.many, manyMonitors)
	start := time.Now()
	words := make([]string, max(b.many, manyMonitors))
	for i := range words {
		words[i] = fmt.Sprintf("quiet%04d", i)
	}
	monitors, err := b.addMonitors(ctx, b.team, words)
	if err != nil {
		return nil, err
	}
	f := &ManyResult{Streams: b.many, Monitors: manyMonitors, SetupSeconds: time.Since(start).Seconds()}
	if f.Without, err = b.atRest(ctx); err != nil {
		return nil, err
	}
	start = time.Now()
	if _, err := b.addStreamsOf(ctx, b.team, b.many, func(k int) []earshot.MonitorID { return around(monitors, k) }); err != nil {
		return nil, err
	}
	f.SetupSeconds += time.Since(start).Seconds()
	if f.With, err = b.atRest(ctx); err != nil {
		return nil, err
	}
	f.UploadResult, f.CPU, err = b.uploadUnread(ctx, newTransfer(b.uploads.workloads[2]))
	return f, err
}

// around returns manyMonitors entries of a list, starting at index k and wrapping around at the
// end.
func around(list []earshot.MonitorID, k int) []earshot.MonitorID {
	some := make([]earshot.MonitorID, manyMonitors)
	for i := range some {
		some[i] = list[(k+i)%len(list)]
	}
	return some
}
