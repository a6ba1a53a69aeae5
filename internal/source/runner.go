package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/secret/vault"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
	"earshot/internal/state/lease"
)

const (
	minBackoff = time.Second
	maxBackoff = 5 * time.Minute

	// healthyAfter is how long a source must have been live for the next failure to count as the
	// first.
	healthyAfter = time.Minute

	// maxRetryAfter bounds how long a network can make a source wait.
	maxRetryAfter = 24 * time.Hour

	// stopTimeout is how long a connector may take to stop. After that, it is abandoned and can no
	// longer deliver anything.
	stopTimeout = 10 * time.Second
)

// A runner runs one source in this process and tracks its state.
type runner struct {
	service *Service
	id      earshot.LiveSourceID

	delivering sync.Mutex // held while a batch or a checkpoint is written

	mu      sync.Mutex // guards the fields below
	src     *earshot.LiveSource
	state   State
	loaded  bool                // progress is up to date with the journal; false while another process may hold the lease
	held    context.Context     // carries the fence while this process has the lease; nil: it has not
	live    time.Time           // when the current attempt became live; zero: not yet
	current connector.Connector // while it runs
	stop    context.CancelFunc  // ends the loop; nil: not running
	restart context.CancelFunc  // ends the current attempt
	done    chan struct{}       // closed when the loop has ended
	progress
}

// start runs the source until stop. It must not be running.
func (r *runner) start(ctx context.Context) {
	ctx, stop := context.WithCancel(ctx)
	done := make(chan struct{})
	r.mu.Lock()
	r.stop, r.done = stop, done
	r.mu.Unlock()
	go func() {
		defer close(done)
		r.loop(ctx)
	}()
}

// halt stops the source and waits for it.
func (r *runner) halt() {
	r.mu.Lock()
	stop, done := r.stop, r.done
	r.stop = nil
	r.mu.Unlock()
	if stop != nil {
		stop()
		<-done
	}
}

func (r *runner) isRunning() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stop != nil
}

// replace changes the source, and ends the current attempt.
func (r *runner) replace(src *earshot.LiveSource) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.src = src
	if r.restart != nil {
		r.restart()
	}
}

// loop waits for the lease, runs the source while it holds the lease, and starts over if it loses it.
func (r *runner) loop(ctx context.Context) {
	waiting := func(string) {
		r.setState(connector.State{Phase: connector.Starting, Reason: "Another process is running the source"})
	}
	for ctx.Err() == nil {
		r.unload() // a pause has loaded it
		r.setState(connector.State{Phase: connector.Starting})
		r.service.Roles.Do(ctx, role(r.id), waiting, r.hold)
	}
}

// hold runs the source while this process has the lease. held carries the fence of the source.
func (r *runner) hold(held context.Context) {
	r.changeHeld(func() { r.held = held })
	defer r.changeHeld(func() { r.held = nil })
	if err := r.load(held); err == nil {
		r.attempts(held)
	} else if held.Err() == nil {
		r.service.Log.Error("finding the cursor of a live source failed; will retry", "source", r.id, "error", err)
		r.setState(connector.State{Phase: connector.BackingOff, Reason: "The journal cannot be read", Until: r.service.now().Add(minBackoff)})
		sleep.For(held, minBackoff)
	}
	if errors.Is(context.Cause(held), lease.ErrLost) {
		r.unload()
	} else {
		r.saveFinally(held)
	}
}

func (r *runner) changeHeld(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// fenced returns ctx with the fence of the source, if this process has the lease.
func (r *runner) fenced(ctx context.Context) context.Context {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held == nil {
		return ctx
	}
	return withValues(ctx, r.held)
}

// saveFinally writes a checkpoint when the source stops.
func (r *runner) saveFinally(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := r.save(ctx, 0); err != nil {
		r.service.Log.Warn("writing the checkpoint of a live source failed; it may read and count some events again", "source", r.id, "error", err)
	}
}

// load restores the checkpoint, and the cursor and the counters if the journal has newer ones.
func (r *runner) load(ctx context.Context) error {
	cp, ok := r.service.Catalog.Checkpoints.Find(r.id)
	if !ok {
		cp = &catalog.Checkpoint{}
	}
	newest, err := r.service.newest(ctx, r.id, cp)
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.restore(cp)
	r.cursor, r.loaded = cmp.Or(newest.Cursor, r.cursor), true
	var counted storedCounters
	if newest.Counters != "" && json.Unmarshal([]byte(newest.Counters), &counted) == nil {
		r.counters, r.dirty = connector.Counters(counted), true
	}
	return nil
}

// unload marks the progress as out of date, because another process may hold the lease. When it
// returns, no checkpoint is being written.
func (r *runner) unload() {
	r.delivering.Lock()
	defer r.delivering.Unlock()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.loaded = false
}

// attempts runs the connector repeatedly until ctx ends. A change to the source immediately starts a
// new attempt.
func (r *runner) attempts(ctx context.Context) {
	for failing := (time.Time{}); ctx.Err() == nil; {
		attempt, restart := context.WithCancel(ctx)
		r.mu.Lock()
		src, cursor := r.src, r.cursor
		r.restart, r.live = restart, time.Time{}
		r.mu.Unlock()
		err := r.run(attempt, src, cursor)
		if attempt.Err() == nil {
			failing = r.fail(attempt, src, err, failing)
		} else {
			failing = time.Time{}
		}
		restart()
	}
}

// fail waits after a failed attempt. since is the time of the first of consecutive failures, or
// zero. It returns the new value.
func (r *runner) fail(ctx context.Context, src *earshot.LiveSource, err error, since time.Time) time.Time {
	s := r.service
	log := s.Log.With("source", r.id, "kind", src.Kind)
	reason := explain(err)
	if errors.Is(err, connector.ErrAttention) {
		log.Warn("a live source needs attention", "reason", reason)
		r.setState(connector.State{Phase: connector.Attention, Reason: reason})
		<-ctx.Done()
		return time.Time{}
	}
	if since.IsZero() || r.wasHealthy() {
		since = time.Now()
	}
	pause := backoff(time.Since(since))
	var retry *connector.RetryError
	if errors.As(err, &retry) {
		pause = min(max(retry.After, 0), maxRetryAfter)
		pause += rand.N(pause/10 + time.Second)
	}
	log.Warn("a live source failed; will retry", "wait", pause.Round(time.Millisecond), "error", reason)
	r.setState(connector.State{Phase: connector.BackingOff, Until: s.now().Add(pause), Reason: reason})
	sleep.For(ctx, pause)
	return since
}

// backoff returns how long to wait after a time of failures: a random duration up to half of it, so
// that a short outage does not cause a long wait.
func backoff(failing time.Duration) time.Duration {
	limit := min(max(failing/2, minBackoff), maxBackoff)
	return max(limit-rand.N(limit/2), minBackoff)
}

// wasHealthy reports whether the last attempt was live for some time.
func (r *runner) wasHealthy() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.live.IsZero() && time.Since(r.live) >= healthyAfter
}

// explain converts an error to a user-facing sentence.
func explain(err error) string {
	text := strings.TrimSpace(err.Error())
	var request *url.Error // its text repeats the whole address
	if errors.As(err, &request) {
		text = strings.ReplaceAll(text, request.Error(), request.Err.Error())
	}
	mark := connector.ErrAttention.Error()
	text = strings.TrimPrefix(text, mark+": ")
	text = strings.TrimSuffix(text, ": "+mark)
	text = strings.TrimSuffix(text, ".")
	return earshot.Clip(text, maxReason)
}

// maxReason is the maximum length of a reason in characters.
const maxReason = 500

var errEnded = errors.New("the connector stopped without an error")

// run runs the connector once. The error contains no secret.
func (r *runner) run(ctx context.Context, src *earshot.LiveSource, cursor string) error {
	s := r.service
	k := s.kind(src.Kind)
	if k == nil {
		return fmt.Errorf("%w: this version of Earshot does not support the kind '%s'", connector.ErrAttention, src.Kind)
	}
	if src.Settings[DemoSetting] != "" && k.WithDefaults(nil)[DemoSetting] == "" {
		return fmt.Errorf("%w: the source belongs to the demo, which makes up its posts; remove it, and add a new one to collect posts", connector.ErrAttention)
	}
	secret, err := s.decrypt(src.ID, src.Secret)
	if err != nil {
		return fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	r.setState(connector.State{Phase: connector.Starting})
	sink := &sink{runner: r, src: src, ctx: ctx, secret: secret}
	sink.custom = k.Sources(k.WithDefaults(src.Settings)) == nil
	env := s.env(k, src, secret)
	env.Store = fencedStore{s.records(src.ID), ctx} // receivers write with the contexts of requests
	ended := make(chan error, 1)
	go func() { ended <- r.call(ctx, k, env, cursor, sink) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case err = <-ended:
		case <-time.After(stopTimeout):
			s.Log.Error("a connector did not stop; it was abandoned and can no longer deliver posts", "source", r.id, "kind", src.Kind)
		}
	}
	sink.close()
	r.clearCurrent()
	if err == nil {
		err = errEnded
	}
	return vault.RedactError(err, secret)
}

// call calls the connector and turns a panic into an error.
func (r *runner) call(ctx context.Context, k *connector.Kind, env connector.Env, cursor string, sink *sink) (err error) {
	defer func() {
		if p := recover(); p != nil {
			env.Log.Error("panic in a connector", "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errors.New("internal error; see the log for details")
		}
	}()
	c := k.New(env)
	r.setCurrent(sink, c)
	return c.Run(ctx, cursor, sink)
}

// env returns the environment of a connector, except the store.
func (s *Service) env(k *connector.Kind, src *earshot.LiveSource, secret string) connector.Env {
	return connector.Env{
		Source:   src,
		Settings: k.WithDefaults(src.Settings),
		Secret:   secret,
		HTTP:     s.Env.HTTP,
		Log:      vault.RedactLog(s.Log, secret).With("source", src.ID, "kind", k.Name),
		Now:      s.now,
		Wait: func(ctx context.Context, d time.Duration) error {
			sleep.For(ctx, d)
			return ctx.Err()
		},
	}
}

// setCurrent sets the connector that runs with a sink, unless the sink is closed.
func (r *runner) setCurrent(k *sink, c connector.Connector) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !k.closed.Load() {
		r.current = c
	}
}

func (r *runner) clearCurrent() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.current = nil
}

// receiver returns the running connector, if any, and whether it is a Receiver.
func (r *runner) receiver() (connector.Connector, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.current.(connector.Receiver)
	return r.current, ok
}

// setState changes the state. Since is when the phase last changed.
func (r *runner) setState(state connector.State) {
	now := r.service.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if isUp(r.state.Phase) {
		r.lastLive = now
	}
	if isUp(state.Phase) {
		r.lastLive = now
		if r.live.IsZero() {
			r.live = time.Now()
		}
	}
	since := r.state.Since
	if state.Phase != r.state.Phase || since.IsZero() {
		since = now
	}
	r.state = State{state, since}
}

func isUp(p connector.Phase) bool { return p == connector.Live || p == connector.CatchingUp }
