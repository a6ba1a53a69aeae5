package bench

import (
	"context"
	"math"
	"runtime"
	"runtime/debug"

	"earshot/internal/http/client"
)

// A MemoryResult shows whether the memory use of a server stays constant while it responds to many
// different requests.
type MemoryResult struct {
	Requests              int           `json:"requests"`
	Points                []MemoryPoint `json:"points"`                // at the start and after each tenth
	HeapChangePercent     float64       `json:"heapChangePercent"`     // at the point that differs most from the first
	ResidentChangePercent float64       `json:"residentChangePercent"` // likewise
}

// A MemoryPoint is the memory use of the process, including the clients, at a point in time. All
// values except the heap are 0 if unknown.
type MemoryPoint struct {
	Requests   int     `json:"requests"`   // completed since the first point
	BusyMB     float64 `json:"busyMb"`     // before a garbage collection, without mapped files
	ResidentMB float64 `json:"residentMb"` // the same after a garbage collection
	HeapMB     float64 `json:"heapMb"`     // in use after a garbage collection
}

const (
	memoryRequests = 100_000 // for the default number of posts
	memoryPoints   = 10

	// slowMS is the response time above which an endpoint is slow. Slow endpoints make up
	// slowPercent of the requests, so that the others dominate.
	slowMS      = 50
	slowPercent = 3
)

// A requestMix lists the endpoints that respond successfully, by response time.
type requestMix struct{ quick, slow []endpoint }

func newRequestMix(times []RequestTimes) (m requestMix) {
	for _, e := range endpoints {
		answers, slow := true, false
		for _, t := range times {
			if t.Endpoint == e.String() {
				answers = answers && t.Requests > 0
				slow = slow || t.P50 > slowMS
			}
		}
		switch {
		case answers && slow:
			m.slow = append(m.slow, e)
		case answers:
			m.quick = append(m.quick, e)
		}
	}
	return m
}

func (m requestMix) draw(d *rng) endpoint {
	if len(m.quick) == 0 || len(m.slow) > 0 && d.chance(slowPercent) {
		return m.slow[d.below(len(m.slow))]
	}
	return m.quick[d.below(len(m.quick))]
}

// steady sends a mix of requests and measures memory.
func (v *runningServer) steady(ctx context.Context, of requestMix) (f MemoryResult, err error) {
	each := max(int(min(int64(v.count)*memoryRequests/usualYear, memoryRequests))/memoryPoints, 1)
	f.Requests = each * memoryPoints
	v.logf("requesting over HTTP: %d mixed requests", f.Requests)
	for i := -1; i <= memoryPoints; i++ { // the first round fills the caches
		if i != 0 {
			if err := v.mixed(ctx, of, i, each); err != nil {
				return f, err
			}
		}
		if i >= 0 {
			f.Points = append(f.Points, memoryPoint(i*each))
		}
	}
	first := f.Points[0]
	for _, p := range f.Points {
		f.HeapChangePercent = larger(f.HeapChangePercent, change(first.HeapMB, p.HeapMB))
		f.ResidentChangePercent = larger(f.ResidentChangePercent, change(first.ResidentMB, p.ResidentMB))
	}
	return f, nil
}

func (v *runningServer) mixed(ctx context.Context, of requestMix, round, requests int) error {
	send := v.sender(func(d *rng) client.Request {
		return v.request(of.draw(d), dateRanges[d.below(len(dateRanges))].pick(v.days, d))
	})
	_, err := v.runLoad(ctx, loadTest{round: round + 2, clients: clients, maxRequests: requests, send: send})
	return err
}

func memoryPoint(requests int) MemoryPoint {
	p := MemoryPoint{Requests: requests, BusyMB: megabytes(Resident())}
	runtime.GC() // the memory of pools is freed only by the second collection, in FreeOSMemory
	debug.FreeOSMemory()
	p.ResidentMB = megabytes(Resident())
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	p.HeapMB = megabytes(int64(stats.HeapInuse))
	return p
}

// change returns the increase from a to b in percent, to one decimal place.
func change(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	return math.Round((b/a-1)*1000) / 10
}

// larger returns the value that is farther from zero.
func larger(a, b float64) float64 {
	if math.Abs(b) > math.Abs(a) {
		return b
	}
	return a
}
