package bluesky

import (
	"context"
	"net/url"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
)

const (
	queueLength = 1024 // events between the stream and the batches
	maxPending  = 4    // batches that are being completed
	tick        = 250 * time.Millisecond
	nearlyLive  = 30 * time.Second // a smaller lag is not reported
	atTip       = 2 * time.Second  // without events, everything has been read
)

// A run is one call of Run. All fields belong to its loop.
type run struct {
	env       *connector.Env
	sink      connector.Sink
	api       *appView
	directory *directory
	recent    *recent
	schedule  *schedule // nil if posts are not checked again

	batch   *batch   // that collects events; nil: none
	pending []*batch // that are being completed, oldest first
	working sync.WaitGroup

	state     connector.State
	connected bool
	lastEvent time.Time // time of the newest event
	lastRead  time.Time // when it was read
}

// Run implements [connector.Connector].
func (c *source) Run(ctx context.Context, from string, sink connector.Sink) error {
	at, err := parseCursor(from)
	if err != nil {
		return err
	}
	r := &run{env: &c.env, sink: sink, recent: newRecent(), api: newAppView(&c.env)}
	r.directory = newDirectory(r.api)
	if at.micros > 0 {
		r.lastEvent = at.time()
	} else {
		at = startAt(c.env.Now())
	}
	r.report(connector.State{Phase: connector.Starting})
	if c.env.Settings["engagement"] != "off" {
		if err := r.openSchedule(ctx); err != nil {
			return err
		}
	}

	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer func() {
		cancel()
		workers.Wait()
		r.working.Wait()
	}()
	items := make(chan item, queueLength)
	s, err := newStream(&c.env, items, sink.Count)
	if err != nil {
		return err
	}
	s.cursor = at
	s.worked = slices.ContainsFunc(s.hosts, func(u *url.URL) bool { return u.Host == at.host })
	ended := make(chan error, 1)
	workers.Go(func() { ended <- s.run(ctx) })
	refreshed := make(chan *refresh)
	if r.schedule != nil {
		workers.Go(func() { r.refresher(refreshed).run(ctx) })
	}
	ticks := make(chan struct{})
	workers.Go(func() {
		for c.env.Wait(ctx, tick) == nil {
			select {
			case ticks <- struct{}{}:
			case <-ctx.Done():
			}
		}
	})
	return r.loop(ctx, items, refreshed, ticks, ended)
}

func (r *run) openSchedule(ctx context.Context) (err error) {
	if r.schedule, err = openSchedule(ctx, r.env.Store, r.env.Log, usefulStages(r.env.Source)); err != nil {
		return err
	}
	known, err := r.schedule.recent(ctx, maxOriginals)
	for _, c := range known {
		r.recent.know(c.uri())
	}
	return err
}

// usefulStages returns the number of stages before the end of a post's retention.
func usefulStages(s *earshot.LiveSource) int {
	n := len(stages)
	for s != nil && s.RetentionDays > 0 && n > 0 && stages[n-1] > time.Duration(s.RetentionDays)*24*time.Hour {
		n--
	}
	return n
}

// loop collects events in batches and delivers them in order, until the stream ends. While the
// profiles of some batches are looked up, it collects the next.
func (r *run) loop(ctx context.Context, items <-chan item, refreshed <-chan *refresh, ticks <-chan struct{}, ended <-chan error) error {
	for {
		in := items
		if len(r.pending) >= maxPending {
			in = nil
		}
		var completed chan struct{}
		if len(r.pending) > 0 {
			completed = r.pending[0].completed
		}
		var err error
		select {
		case i := <-in:
			err = r.handle(ctx, &i)
		case <-completed:
			err = r.deliver(ctx)
		case f := <-refreshed:
			err = r.deliverRefresh(ctx, f)
		case <-ticks:
			if r.batch != nil && r.env.Now().Sub(r.batch.began) >= maxAge && len(r.pending) < maxPending {
				r.closeBatch(ctx)
			}
			r.reportProgress()
		case err := <-ended:
			return r.drain(ctx, items, err)
		}
		if err != nil {
			return err
		}
	}
}

// drain delivers what was read before the stream ended.
func (r *run) drain(ctx context.Context, items <-chan item, cause error) error {
	for ctx.Err() == nil {
		var err error
		select {
		case i := <-items:
			err = r.handle(ctx, &i)
		default:
			if r.batch != nil {
				r.closeBatch(ctx)
			}
			if len(r.pending) == 0 {
				return cause
			}
		}
		for err == nil && len(r.pending) > 0 {
			<-r.pending[0].completed
			err = r.deliver(ctx)
		}
		if err != nil {
			return err
		}
	}
	return cause
}

// handle adds an item to the batch.
func (r *run) handle(ctx context.Context, i *item) error {
	switch {
	case i.connected:
		r.connected = true
		r.reportConnected()
		return nil
	case i.lost:
		r.connected = false
		r.report(connector.State{Phase: connector.Starting, Reason: "The connection was lost; reconnecting"})
		return nil
	case i.gap != nil:
		return r.sink.Gap(ctx, *i.gap)
	}
	now := r.env.Now()
	if r.batch == nil {
		r.batch = newBatch(now)
	}
	b := r.batch
	b.count.Events++
	b.count.Bytes += int64(i.bytes)
	if i.cursor.micros > 0 {
		b.cursor = i.cursor
		r.lastEvent, r.lastRead = i.cursor.time(), now
	}
	if i.skip != "" {
		b.skip(i.skip, 1)
	}
	switch i.kind {
	case postEvent, repostEvent:
		if i.post != nil {
			b.add(i.post, i.seen)
		}
	case deleteEvent:
		b.remove(r.recent.remove(i.guid)...)
	case profileEvent:
		r.directory.forget(i.did)
	case departedEvent:
		r.directory.forget(i.did)
		r.recent.removeAccount(i.did)
		b.removeAccount(i.did)
	}
	if b.full() {
		r.closeBatch(ctx)
	}
	return nil
}

// closeBatch selects the posts of the batch and starts to complete them.
func (r *run) closeBatch(ctx context.Context) {
	b := r.batch
	r.batch = nil
	b.choose(ctx, r.sink, r.directory, r.recent)
	r.pending = append(r.pending, b)
	if len(b.selected)+len(b.textless) == 0 {
		close(b.completed)
		return
	}
	r.working.Go(func() { b.complete(ctx, r.api, r.directory) })
}

// deliver delivers the oldest pending batch, which is complete.
func (r *run) deliver(ctx context.Context) error {
	b := r.pending[0]
	r.pending = r.pending[1:]
	r.sink.Count(b.count)
	if r.schedule != nil {
		if err := r.schedule.add(ctx, b.checks(), r.env.Now()); err != nil && ctx.Err() == nil {
			r.env.Log.Warn("like counts will be missing for some posts", "reason", err)
		}
	}
	return r.sink.Deliver(ctx, b.result())
}

// deliverRefresh delivers posts that were checked again, except those deleted in the meantime.
func (r *run) deliverRefresh(ctx context.Context, f *refresh) error {
	defer close(f.delivered)
	f.posts = dropped(f.posts, r.recent.isGone)
	b := connector.Batch{Posts: f.posts, Deletions: deletions(f.deleted, nil), Selected: true}
	for _, guid := range f.deleted {
		r.recent.remove(guid)
	}
	if len(b.Posts)+len(b.Deletions) == 0 {
		return nil
	}
	return r.sink.Deliver(ctx, b)
}

// reportConnected reports how far behind the source is when a connection is made.
func (r *run) reportConnected() {
	if lag := r.lag(); lag > nearlyLive {
		r.lastRead = r.env.Now()
		r.report(connector.State{Phase: connector.CatchingUp, Lag: lag})
		return
	}
	r.report(connector.State{Phase: connector.Live})
}

// reportProgress reports the lag while old events arrive.
func (r *run) reportProgress() {
	if !r.connected {
		return
	}
	if lag := r.lag(); lag > nearlyLive && (r.env.Now().Sub(r.lastRead) < atTip || len(r.pending) > 0) {
		r.report(connector.State{Phase: connector.CatchingUp, Lag: lag.Truncate(time.Second)})
		return
	}
	r.report(connector.State{Phase: connector.Live})
}

// lag returns how old the newest event is.
func (r *run) lag() time.Duration {
	if r.lastEvent.IsZero() {
		return 0
	}
	return r.env.Now().Sub(r.lastEvent)
}

func (r *run) report(s connector.State) {
	if s != r.state {
		r.state = s
		r.sink.Report(s)
	}
}
