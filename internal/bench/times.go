package bench

import (
	"bufio"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Times are the durations of several runs.
type Times []time.Duration

// Limits on the runs of a measurement. It ends after MaxRuns, or after minRuns once maxRunTime has
// passed.
const (
	MaxRuns    = 50
	minRuns    = 5
	maxRunTime = 3 * time.Second
)

// Repeat calls run up to maxRuns times and returns how long each call took. It calls run once
// before that, to load files into memory.
func Repeat(maxRuns int, run func() error) (Times, error) {
	if err := run(); err != nil {
		return nil, err
	}
	var times Times
	for begin := time.Now(); len(times) < maxRuns && (len(times) < minRuns || time.Since(begin) < maxRunTime); {
		took, err := once(run)
		if err != nil {
			return nil, err
		}
		times = append(times, took)
	}
	return times, nil
}

func once(run func() error) (time.Duration, error) {
	start := time.Now()
	err := run()
	return time.Since(start), err
}

// Quantile returns the duration that a share of the runs did not exceed.
func (t Times) Quantile(share float64) time.Duration {
	sorted := slices.Sorted(slices.Values(t))
	return sorted[min(int(share*float64(len(sorted))), len(sorted)-1)]
}

// Milliseconds returns d in milliseconds, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// perSecond returns n per second, or 0 if took is 0.
func perSecond(n int, took time.Duration) float64 {
	if took <= 0 {
		return 0
	}
	return float64(int(float64(n) / took.Seconds()))
}

// Resident returns the resident memory of the process in bytes without mapped files, or 0 if
// unknown.
func Resident() int64 {
	f, err := os.Open("/proc/self/status")
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if len(fields) < 2 || fields[0] != "RssAnon:" {
			continue
		}
		kilobytes, err := strconv.ParseInt(fields[1], 10, 64)
		if err != nil {
			return 0
		}
		return kilobytes << 10
	}
	return 0
}

// megabytes returns n in megabytes, to one decimal place.
func megabytes(n int64) float64 { return float64(n*10>>20) / 10 }

// microseconds returns the time per item in microseconds, to one decimal place.
func microseconds(took time.Duration, n int) float64 {
	return math.Round(float64(took.Nanoseconds())/float64(n)/100) / 10
}

// A memoryWatch samples the memory of the process.
type memoryWatch struct {
	peak    int64
	done    chan struct{}
	watcher sync.WaitGroup
}

// memoryInterval is short enough to see peaks and long enough not to affect the measurement.
const memoryInterval = 100 * time.Millisecond

func watchMemory() *memoryWatch {
	w := &memoryWatch{peak: Resident(), done: make(chan struct{})}
	w.watcher.Go(func() {
		tick := time.NewTicker(memoryInterval)
		defer tick.Stop()
		for {
			select {
			case <-w.done:
				return
			case <-tick.C:
				w.peak = max(w.peak, Resident())
			}
		}
	})
	return w
}

// stop stops the watch and returns the peak.
func (w *memoryWatch) stop() int64 {
	close(w.done)
	w.watcher.Wait()
	return max(w.peak, Resident())
}
