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
	// clients is how many ask at a time, each waiting for its answer before it asks again.
	clients = 8

	// longestStorm is how long one endpoint is asked.
	longestStorm = 3 * time.Second
)

// A storm is many requests.
type storm struct {
	round   int // another one sends other requests
	clients int
	most    int                                               // requests
	longest time.Duration                                     // 0: no matter
	ask     func(ctx context.Context, d *dice) (int64, error) // one of them; returns how long the answer is
}

// An outcome is what came of a storm.
type outcome struct {
	times Times
	bytes int64
	cpu   time.Duration
}

const stormKind = 6 // of dice

// storm sends the requests of st. The first one that is not answered ends it, with a
// *client.Error where the server refused.
func (v *served) storm(ctx context.Context, st storm) (outcome, error) {
	var (
		sent atomic.Int64
		mu   sync.Mutex
		all  outcome
		errs error
		wait sync.WaitGroup
	)
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	begin, cpu := time.Now(), processorTime()
	for i := range st.clients {
		wait.Go(func() {
			d := roll(v.seed, stormKind, st.round*clients+i)
			for sent.Add(1) <= int64(st.most) && (st.longest == 0 || time.Since(begin) < st.longest) {
				start := time.Now()
				n, err := st.ask(ctx, &d)
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
		errs = errors.New("nothing was asked")
	}
	return all, errs
}

// asking sends requests of which the answers do not matter.
func (v *served) asking(next func(d *dice) client.Request) func(context.Context, *dice) (int64, error) {
	return func(ctx context.Context, d *dice) (int64, error) { return v.get(ctx, next(d)) }
}

// get sends a request and returns how long the answer is.
func (v *served) get(ctx context.Context, r client.Request) (int64, error) {
	answer, err := v.client.Download(ctx, r)
	if err != nil {
		return 0, err
	}
	defer answer.Close()
	return io.Copy(io.Discard, answer)
}

// processorTime returns how long this process has used a core, all of them together; 0
// where that cannot be told.
func processorTime() time.Duration {
	const tick = 10 * time.Millisecond // of this file
	text, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), ") ") // the name of the program, which may be anything
	fields := strings.Fields(after)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * tick
}
