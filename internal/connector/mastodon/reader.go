package mastodon

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	// queuedEvents is how many stream events can wait. With the largest events, they take 4 MB.
	queuedEvents = 16

	linger   = 300 * time.Millisecond // a delivery waits for further events
	maxBatch = 200                    // events of a delivery

	checkServerEvery = time.Hour
	moveCursorEvery  = time.Minute
	pollEvery        = 15 * time.Second // without a stream
	pollPerStream    = 3 * time.Second
)

// A cursor is the position of a reader. It is stored as JSON.
type cursor struct {
	IDs  map[string]string `json:"ids"`  // by stream: the highest id that was read
	Seen int64             `json:"seen"` // changes and deletions were read until then, in Unix seconds
}

func parseCursor(s string) (c cursor, err error) {
	if s != "" {
		if err := json.Unmarshal([]byte(s), &c); err != nil {
			return c, fmt.Errorf("the cursor %q cannot be decoded", earshot.Clip(s, 60))
		}
	}
	if c.IDs == nil {
		c.IDs = map[string]string{}
	}
	return c, nil
}

// A reader is one run of a source.
type reader struct {
	*client
	server *server
	sink   connector.Sink
	index  *index
	tasks  sync.WaitGroup // goroutines of the run

	cursor    cursor
	live      map[*stream]bool // open and caught up
	recheck   []string         // ids of stored posts to read again
	missing   int              // how many of the first in recheck were missing in a list
	gone      []string         // ids of stored posts that the server does not have, until it returns another
	suspended string           // why rechecks are suspended; empty: they are not
	rechecked time.Time        // when recheck was filled
	single    bool             // the server returns posts only one by one

	nextServerCheck, nextMove, nextRecheck time.Time
}

// Run implements [connector.Connector].
func (m *mastodon) Run(ctx context.Context, text string, sink connector.Sink) error {
	sink.Report(connector.State{Phase: connector.Starting})
	r, err := m.open(ctx, text, sink)
	if err != nil {
		return err
	}
	for _, s := range r.streams {
		if err := r.start(ctx, s); err != nil {
			return err
		}
	}
	if r.Secret == "" {
		return r.poll(ctx)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer r.tasks.Wait()
	defer cancel()
	return r.stream(ctx)
}

// open reads the server's description and the state of the source.
func (m *mastodon) open(ctx context.Context, text string, sink connector.Sink) (*reader, error) {
	cfg, err := parseSettings(m.Settings)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	r := &reader{client: newClient(m.Env, cfg, sink.Count), sink: sink, live: map[*stream]bool{}}
	if r.cursor, err = parseCursor(text); err != nil {
		return nil, err
	}
	if err := r.checkServer(ctx); err != nil {
		return nil, err
	}
	if r.index, err = openIndex(ctx, m.Store); err != nil {
		return nil, err
	}
	if r.cursor.Seen == 0 {
		r.cursor.Seen = r.Now().Unix()
	}
	return r, nil
}

// checkServer checks whether the server may still be read.
func (r *reader) checkServer(ctx context.Context) error {
	s, err := r.readServer(ctx)
	if err != nil {
		return err
	}
	if err := s.check(r.config, r.Secret != ""); err != nil {
		return err
	}
	r.server = s
	r.nextServerCheck = r.Now().Add(checkServerEvery)
	return nil
}

func (r *reader) stream(ctx context.Context) error {
	events := make(chan event, queuedEvents)
	address := r.server.streaming
	for _, s := range r.streams {
		r.tasks.Go(func() { r.follow(ctx, s, address, events) })
	}
	for {
		next, err := r.work(ctx)
		if err != nil {
			return err
		}
		timer, stop := r.after(ctx, next)
		select {
		case e := <-events:
			err = r.handle(ctx, e, events)
		case <-timer:
		case <-ctx.Done():
			err = ctx.Err()
		}
		stop()
		if err != nil {
			return err
		}
	}
}

// handle handles an event, and further events within a short time.
func (r *reader) handle(ctx context.Context, e event, events <-chan event) error {
	var batch []change
	var size int64
	timer, stop := r.after(ctx, linger)
	defer stop()
	for e.kind == received {
		size += e.bytes
		batch = append(batch, r.change(e))
		if len(batch) == maxBatch || size > 1<<20 {
			break
		}
		select {
		case e = <-events:
			continue
		case <-timer:
		case <-ctx.Done():
		}
		break
	}
	if len(batch) > 0 {
		r.sink.Count(connector.Counters{Events: int64(len(batch)), Bytes: size})
		if err := r.store(ctx, batch); err != nil {
			return err
		}
	}
	switch e.kind {
	case opened:
		return r.opened(ctx, e.stream)
	case closed:
		r.lost(e)
	case failed:
		return e.err
	}
	return nil
}

// opened fills the gap between the cursor and the events of a stream, which wait in the meantime.
func (r *reader) opened(ctx context.Context, s *stream) error {
	if err := r.catchUp(ctx, s, true); err != nil {
		return err
	}
	r.live[s] = true
	if len(r.live) < len(r.streams) {
		return nil
	}
	r.reportLive()
	return r.startRecheck(ctx, maxRecheck)
}

func (r *reader) reportLive() {
	r.sink.Report(connector.State{Phase: connector.Live, Reason: r.suspended})
}

// lost records that a stream is closed.
func (r *reader) lost(e event) {
	delete(r.live, e.stream)
	r.sink.Count(connector.Counters{Reconnects: 1})
	r.sink.Report(connector.State{
		Phase: connector.BackingOff, Until: r.Now().Add(e.after),
		Reason: "The connection to " + r.server.domain + " was lost",
	})
	r.Log.Info("stream closed", "stream", e.stream.name, "error", e.err)
}

// work does one thing that is due, if any, and returns the time until the next.
func (r *reader) work(ctx context.Context) (time.Duration, error) {
	now := r.Now()
	switch {
	case !now.Before(r.nextServerCheck):
		return 0, r.checkServer(ctx)
	case r.rechecking() && r.limit.spare(now) == 0:
		return 0, r.recheckSome(ctx)
	case r.suspended != "" && !r.rechecking() && !now.Before(r.nextRecheck):
		r.nextRecheck = now.Add(recheckEvery)
		return 0, r.startRecheck(ctx, maxRecheck)
	case !now.Before(r.nextMove):
		r.nextMove = now.Add(moveCursorEvery)
		if err := r.index.write(ctx); err != nil {
			return 0, err
		}
		return 0, r.deliver(ctx, connector.Batch{})
	}
	next := min(r.nextServerCheck.Sub(now), r.nextMove.Sub(now))
	if r.rechecking() {
		next = min(next, r.limit.spare(now))
	}
	return next, nil
}

// poll reads the timelines periodically.
func (r *reader) poll(ctx context.Context) error {
	for limit := maxRecheck; ; limit = maxPollRecheck {
		if now := r.Now(); !now.Before(r.nextRecheck) && !r.rechecking() {
			r.nextRecheck = now.Add(recheckEvery)
			if err := r.startRecheck(ctx, limit); err != nil {
				return err
			}
		}
		r.reportLive()
		next := r.Now().Add(max(pollEvery, time.Duration(len(r.streams))*pollPerStream))
		for wait := time.Duration(0); wait < next.Sub(r.Now()); {
			if err := r.Wait(ctx, wait); err != nil {
				return err
			}
			var err error
			if wait, err = r.work(ctx); err != nil {
				return err
			}
		}
		if err := r.Wait(ctx, next.Sub(r.Now())); err != nil {
			return err
		}
		for _, s := range r.streams {
			if err := r.catchUp(ctx, s, false); err != nil {
				return err
			}
		}
	}
}

// after returns a channel that is closed once d has passed, unless stop is called before.
func (r *reader) after(ctx context.Context, d time.Duration) (passed <-chan struct{}, stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	r.tasks.Go(func() {
		if r.Wait(ctx, d) == nil {
			close(done)
		}
	})
	return done, cancel
}
