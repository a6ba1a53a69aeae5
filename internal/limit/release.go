package limit

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// The Go runtime keeps memory that it no longer needs, and does not even collect garbage for two
// minutes if nothing is allocated. An idle process therefore keeps the memory of its busiest moment.
const (
	releaseInterval = 10 * time.Second
	releasableBytes = 64 << 20 // less is not worth a garbage collection
	idleBytes       = 16 << 20 // allocated in an interval; more means that the process is busy
)

// Release returns unused memory to the operating system whenever the process is idle, until ctx is
// done.
func Release(ctx context.Context) {
	tick := time.NewTicker(releaseInterval)
	defer tick.Stop()
	before := readUsage()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := readUsage()
		if now.allocated-before.allocated < idleBytes && now.unused > releasableBytes {
			debug.FreeOSMemory()
		}
		before = now
	}
}

// A usage describes the heap.
type usage struct {
	allocated uint64 // bytes since the process started
	unused    uint64 // bytes of garbage and free memory that the system could have
}

func readUsage() usage {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/live:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	value := func(i int) uint64 { return samples[i].Value.Uint64() }
	return usage{value(0), value(2) - min(value(1), value(2)) + value(3) + value(4)}
}
