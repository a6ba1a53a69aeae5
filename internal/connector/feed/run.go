package feed

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/connector"
)

// Limits on what happens at the same time.
const (
	maxWorkers  = 32                    // requests in flight, each to another host
	startupGap  = 30 * time.Millisecond // between the first polls of overdue feeds
	maxBatch    = 1000                  // posts
	batchBytes  = 2 << 20
	batchPeriod = time.Second     // maximum time before a batch is delivered
	saveTime    = 5 * time.Second // for the record of a feed
)

// feeds is the connector of a source.
type feeds struct{ env connector.Env }

// Run implements [connector.Connector]. The cursor is not used: each feed has a record of its own.
func (c *feeds) Run(ctx context.Context, _ string, sink connector.Sink) error {
	s, err := parseSettings(c.env.Settings)
	if err != nil {
		return fmt.Errorf("%w: %w", connector.ErrAttention, err)
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &runner{reader: c.reader(s), sink: sink}
	defer r.http.CloseIdleConnections()
	defer r.done.Wait()
	defer cancel()
	sink.Report(connector.State{Phase: connector.Starting})
	if err := r.start(ctx, s.feeds); err != nil {
		return err
	}
	return r.loop(ctx)
}

func (c *feeds) reader(s settings) *reader {
	return &reader{client: newClient(c.env), source: s.source, fullText: s.fullText, minInterval: s.minInterval}
}

// A runner polls the feeds of a source until its context ends. All fields belong to the goroutine of
// Run, the only one that uses the sink.
type runner struct {
	*reader
	sink connector.Sink
	done sync.WaitGroup // goroutines

	feeds   map[status]int // number of feeds by status
	example *subscription  // a feed that cannot be read, for people
	state   connector.State

	jobs    chan *subscription
	results chan outcome
	idle    int // workers without a job

	polls []*poll // with posts that wait to be delivered
	posts int     // of polls
	bytes int     // of posts, about
}

// An outcome is the result of a worker.
type outcome struct {
	*poll
	err error // Run must end
}

// start reads the records of the feeds, fills the queue, and starts the workers. Feeds that are new
// or overdue are polled one after the other, in the order of the list.
func (r *runner) start(ctx context.Context, list []Feed) error {
	now := r.env.Now()
	if err := loadHolds(ctx, r.env.Store, r.queue, now); err != nil {
		return err
	}
	subscriptions := make([]*subscription, len(list))
	known := map[string]bool{}
	r.feeds = map[status]int{}
	for i, f := range list {
		s := &subscription{Feed: f, key: recordKey(f.URL)}
		rec, err := load(ctx, r.env.Store, s.key)
		if err != nil {
			return err
		}
		s.update(&rec)
		subscriptions[i] = s
		known[s.key] = true
		r.feeds[s.status]++
	}
	if err := r.forget(ctx, known); err != nil {
		return err
	}
	if r.feeds[denied]+r.feeds[gone] == len(list) {
		// The source needed attention, and a person has started it again: try all feeds.
		for _, s := range subscriptions {
			s.due, s.status, s.problem = now, unread, ""
		}
		r.feeds = map[status]int{unread: len(list)}
	}
	overdue := 0
	for _, s := range subscriptions {
		if s.problem != "" {
			r.example = s
		}
		if s.status == gone {
			continue
		}
		if !s.due.After(now) {
			s.due = now.Add(time.Duration(overdue) * startupGap)
			overdue++
		}
		r.queue.add(s)
	}
	r.idle = min(len(list), maxWorkers)
	r.jobs, r.results = make(chan *subscription, r.idle), make(chan outcome)
	for range r.idle {
		r.done.Go(func() { r.work(ctx) })
	}
	if r.feeds[reading] > 0 {
		return r.report()
	}
	return nil
}

// forget removes the records of feeds that the source no longer has.
func (r *runner) forget(ctx context.Context, known map[string]bool) error {
	keys, err := r.env.Store.Keys(ctx, "feed.*")
	if err != nil {
		return err
	}
	for _, key := range keys {
		if !known[key] {
			if err := r.env.Store.Purge(ctx, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// update sets what the scheduler needs from the record of the feed.
func (s *subscription) update(rec *record) {
	s.due, s.polled, s.status, s.problem = time.Unix(rec.Next, 0), rec.Polled, rec.Status, rec.Problem
	if u, err := parseAddress(rec.address(s.URL)); err == nil {
		s.host = hostOf(u)
	}
}

// work polls the feeds that the scheduler selects.
func (r *runner) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-r.jobs:
			p, err := r.read(ctx, s)
			select {
			case r.results <- outcome{p, err}:
			case <-ctx.Done():
				return
			}
		}
	}
}

// loop is the scheduler.
func (r *runner) loop(ctx context.Context) error {
	var due, flush alarm
	for {
		wait := time.Hour
		for r.idle > 0 {
			var s *subscription
			if s, wait = r.queue.next(); s == nil {
				break
			}
			r.idle--
			r.jobs <- s
		}
		due.set(ctx, r, wait)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-r.queue.wake:
		case <-due.rings:
		case <-flush.rings:
			flush.rings = nil
			if err := r.flush(ctx); err != nil {
				return err
			}
		case o := <-r.results:
			r.idle++
			if o.err != nil {
				return o.err
			}
			if err := r.collect(ctx, o.poll, &flush); err != nil {
				return err
			}
		}
	}
}

// An alarm rings once after a time on the clock of the source.
type alarm struct {
	rings chan struct{}
	stop  context.CancelFunc
}

func (a *alarm) set(ctx context.Context, r *runner, d time.Duration) {
	if a.stop != nil {
		a.stop()
	}
	ctx, a.stop = context.WithCancel(ctx)
	rings := make(chan struct{})
	a.rings = rings
	r.done.Go(func() {
		if r.env.Wait(ctx, d) == nil {
			close(rings)
		}
	})
}

// collect accepts what a worker has read. Posts of several feeds are delivered together.
func (r *runner) collect(ctx context.Context, p *poll, flush *alarm) error {
	r.sink.Count(p.count)
	if len(p.posts) == 0 {
		return r.finish(ctx, p)
	}
	if len(r.polls) == 0 {
		flush.set(ctx, r, batchPeriod)
	}
	r.polls = append(r.polls, p)
	r.posts += len(p.posts)
	for i := range p.posts {
		r.bytes += sizeOf(&p.posts[i])
	}
	if r.posts >= maxBatch || r.bytes >= batchBytes || p.resp.slot != nil {
		return r.flush(ctx)
	}
	return nil
}

// sizeOf returns about how many bytes a post has.
func sizeOf(p *earshot.Post) int {
	n := 500 + len(p.Contents) + len(p.Title) + len(p.URL) + len(p.GUID)
	for _, list := range [][]string{p.Links, p.MediaURLs, p.Hashtags} {
		for _, s := range list {
			n += len(s)
		}
	}
	return n
}

// flush delivers the posts that wait, in batches of limited size, then writes the records of their
// feeds.
func (r *runner) flush(ctx context.Context) error {
	var batch connector.Batch
	size := 0
	deliver := func() error {
		if len(batch.Posts) == 0 {
			return nil
		}
		err := r.sink.Deliver(ctx, batch)
		batch, size = connector.Batch{}, 0
		return err
	}
	for _, p := range r.polls {
		for i := range p.posts {
			n := sizeOf(&p.posts[i])
			if len(batch.Posts) == maxBatch || size+n > batchBytes {
				if err := deliver(); err != nil {
					return err
				}
			}
			batch.Posts = append(batch.Posts, p.posts[i])
			size += n
		}
	}
	if err := deliver(); err != nil {
		return err
	}
	polls := r.polls
	r.polls, r.posts, r.bytes = nil, 0, 0
	for _, p := range polls {
		if err := r.finish(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// finish writes the record of a feed whose posts are delivered, and schedules the next poll. It
// writes the record even if the source stops at this moment, so that a stop loses nothing.
func (r *runner) finish(ctx context.Context, p *poll) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTime)
	defer cancel()
	p.posts = nil
	free(p.resp)
	if p.gap != nil {
		if err := r.sink.Gap(ctx, *p.gap); err != nil {
			return err
		}
	}
	if p.write {
		if err := save(ctx, r.env.Store, p.feed.key, p.rec); err != nil {
			return err
		}
	}
	s := p.feed
	r.feeds[s.status]--
	s.update(&p.rec)
	r.feeds[s.status]++
	if s.status != gone {
		r.queue.add(s)
	}
	if p.err != nil {
		r.example = s
		r.env.Log.Debug("cannot read feed", "feed", s.URL, "error", p.err, "next", s.due)
	} else if r.example == s {
		r.example = nil
	}
	return r.report()
}

// report reports the state of the feeds. If no feed can be read, the source is backing off or, if
// only a person can fix it, report returns an error that says so.
func (r *runner) report() error {
	total, bad := 0, 0
	for status, n := range r.feeds {
		total += n
		if status == failing || status == denied || status == gone {
			bad += n
		}
	}
	state := connector.State{Phase: connector.Live}
	if bad > 0 {
		state.Reason = r.reason(bad, total)
	}
	switch {
	case r.feeds[denied]+r.feeds[gone] == total:
		return fmt.Errorf("%w: %s", connector.ErrAttention, state.Reason)
	case bad == total:
		state.Phase, state.Until = connector.BackingOff, r.queue.nextDue()
	case r.feeds[reading] == 0:
		state.Phase = connector.Starting
	}
	if state != r.state {
		r.state = state
		r.sink.Report(state)
	}
	return nil
}

// reason describes the feeds that cannot be read.
func (r *runner) reason(bad, total int) string {
	problem := ""
	if r.example != nil {
		problem = r.example.problem
	}
	if total == 1 {
		return problem
	}
	text := fmt.Sprintf("%d of %d feeds cannot be read", bad, total)
	if n := r.feeds[gone]; n > 0 {
		text += fmt.Sprintf(" (%d of them are gone)", n)
	}
	if problem != "" {
		text += fmt.Sprintf(", for example %s: %s", r.example.URL, problem)
	}
	return text
}

// Sample implements [connector.Connector].
func (c *feeds) Sample(ctx context.Context, n int) ([]earshot.Post, error) {
	s, err := parseSettings(c.env.Settings)
	if err != nil {
		return nil, err
	}
	s.fullText = false // may take minutes
	r := c.reader(s)
	defer r.http.CloseIdleConnections()
	var posts []earshot.Post
	var problem error
	for _, f := range s.feeds[:min(len(s.feeds), 5)] {
		if len(posts) >= n {
			break
		}
		p := &poll{feed: &subscription{Feed: f}}
		err := r.fetch(ctx, p, false)
		free(p.resp)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			problem = err
		}
		posts = append(posts, p.posts...)
	}
	slices.SortStableFunc(posts, func(a, b earshot.Post) int { return earshot.ComparePosts(&a, &b) })
	posts = posts[:min(len(posts), n)]
	if len(posts) == 0 && problem != nil {
		return nil, problem
	}
	return posts, nil
}
