package delivery

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/notify/channel"
	"earshot/internal/period"
	"earshot/internal/state/kv"
)

const (
	// pollInterval is how soon Run sees what other processes have enqueued or changed.
	pollInterval = time.Second
	// maxParallel bounds the attempts at the same time, each to another channel.
	maxParallel = 20
	// maxTeamParallel bounds the attempts of one team at the same time, so that slow receivers of a
	// team do not hold up others.
	maxTeamParallel = 4
	// maxReports bounds the reports that are rendered at the same time, which takes memory.
	maxReports = 2
	// maxHold bounds how long a failed attempt delays other messages of the channel. A message that its
	// receiver cannot process must not hold up the others for days.
	maxHold = 5 * time.Minute
	// brokenHold is how long a channel waits after its state could not be written.
	brokenHold = 5 * time.Second
)

// Run sends what is due until ctx is done. Only one process should run it at a time; if two do, they
// may send messages of a channel out of order, but none twice.
func (s *Service) Run(ctx context.Context) {
	r := &runner{service: s, channels: map[earshot.ChannelID]*pace{}, teams: map[earshot.TeamID]int{}}
	defer r.running.Wait()
	for {
		wait := min(pollInterval, r.start(ctx))
		select {
		case <-ctx.Done():
			return
		case <-s.changed.C():
		case <-time.After(wait):
		}
	}
}

// A runner is the state of a call of Run. It is lost with the process, which then at worst sends a
// message too early for a rate limit.
type runner struct {
	service *Service
	running sync.WaitGroup

	mu       sync.Mutex
	channels map[earshot.ChannelID]*pace // guarded by mu, as all fields below
	started  int                         // attempts so far
	ended    int                         // of them
	teams    map[earshot.TeamID]int      // attempts of each team now; has no zeros
	reports  int                         // attempts with reports now

	// Whether a channel had to wait in this call of start, in total and of each team. Channels that
	// come later must not overtake it when an attempt ends meanwhile.
	full      bool
	fullTeams map[earshot.TeamID]bool
}

// begin reserves an attempt to send a delivery. It returns false if too many others are being made.
func (r *runner) begin(d *earshot.Delivery, p *pace) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	isReport := d.Message.Report != 0
	if r.started-r.ended >= maxParallel {
		r.full = true
	}
	if r.teams[d.Team] >= maxTeamParallel {
		r.fullTeams[d.Team] = true
	}
	if r.full || r.fullTeams[d.Team] || isReport && r.reports >= maxReports {
		return false
	}
	r.teams[d.Team]++
	if isReport {
		r.reports++
	}
	r.started++
	p.busy, p.turn = true, r.started
	return true
}

func (r *runner) end(d *earshot.Delivery, p *pace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended++
	if r.teams[d.Team]--; r.teams[d.Team] == 0 {
		delete(r.teams, d.Team)
	}
	if d.Message.Report != 0 {
		r.reports--
	}
	p.busy, p.idleUntil = false, time.Time{}
}

// A pace is when a channel may send again.
type pace struct {
	busy      bool      // an attempt is being made
	turn      int       // number of the last attempt, of all channels
	notBefore time.Time // the next attempt, as rate limits require
	hold      time.Time // the next attempt, because the last one failed
	failing   bool      // the last attempt failed
	version   uint64    // of the catalog when there was nothing to do
	idleUntil time.Time // there is nothing to do until then, unless the catalog changes
}

// start starts an attempt for every channel that may send, and returns when to call it again.
func (r *runner) start(ctx context.Context) (wait time.Duration) {
	s := r.service
	wait = pollInterval
	now := s.now()
	open, version := s.openChannels()
	r.forget(open, now)
	r.mu.Lock()
	version += uint64(r.ended) // those that had to wait for others get their turn
	r.full, r.fullTeams = false, map[earshot.TeamID]bool{}
	r.mu.Unlock()
	for _, id := range r.turns(open) {
		r.mu.Lock()
		p := r.channels[id]
		if p == nil {
			p = &pace{}
			r.channels[id] = p
		}
		skip := p.busy || p.version == version && now.Before(p.idleUntil)
		r.mu.Unlock()
		if skip {
			continue
		}
		next, err := r.safeStep(ctx, id, p, now)
		if err != nil && ctx.Err() == nil {
			s.Log.Error("sending failed; will retry", "channel", id, "error", err)
			next = now.Add(pollInterval)
		}
		r.mu.Lock()
		if !p.busy {
			p.version, p.idleUntil = version, next
			wait = min(wait, max(next.Sub(now), time.Millisecond))
		}
		r.mu.Unlock()
	}
	return wait
}

// turns returns channels in the order in which they get their turn: first the one whose last attempt
// was before those of all others.
func (r *runner) turns(open []earshot.ChannelID) []earshot.ChannelID {
	r.mu.Lock()
	defer r.mu.Unlock()
	turn := func(id earshot.ChannelID) int {
		if p := r.channels[id]; p != nil {
			return p.turn
		}
		return 0
	}
	return slices.SortedStableFunc(slices.Values(open), func(a, b earshot.ChannelID) int { return turn(a) - turn(b) })
}

// safeStep calls step. A panic concerns only its channel.
func (r *runner) safeStep(ctx context.Context, id earshot.ChannelID, p *pace, now time.Time) (next time.Time, err error) {
	defer func() {
		if p := recover(); p != nil {
			r.service.Log.Error("panic while deciding what to send", "channel", id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = errInternal
		}
	}()
	return r.step(ctx, id, p, now)
}

// forget drops the paces of channels for which nothing waits.
func (r *runner) forget(open []earshot.ChannelID, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for id, p := range r.channels {
		if _, isOpen := slices.BinarySearch(open, id); !isOpen && !p.busy && now.After(p.notBefore) {
			delete(r.channels, id)
		}
	}
}

// step does what is due for a channel. If nothing is, it returns when to look again at the latest.
func (r *runner) step(ctx context.Context, id earshot.ChannelID, p *pace, now time.Time) (time.Time, error) {
	s := r.service
	list := s.deliveriesOf(id)
	ch, ok := s.Catalog.Channels.Find(id)
	if !ok { // removed while something was enqueued
		return now.Add(pollInterval), s.removeDeliveries(ctx, id)
	}
	if err := s.recover(ctx, ch, list, now); err != nil {
		return now, err
	}
	if s.retried.take(id) {
		p.hold = time.Time{}
	}
	plan := decide(ch, list, period.Later(p.notBefore, p.hold), now)
	switch {
	case !ch.Disabled.IsZero():
		return now.Add(pollInterval), s.fail(ctx, plan.waiting, "the channel is disabled")
	case len(plan.collapse) > 0:
		return now, s.summarize(ctx, ch, plan.collapse)
	case plan.send == nil:
		return plan.next, nil
	}
	if !r.begin(plan.send, p) {
		return now.Add(pollInterval / 10), nil
	}
	r.running.Go(func() {
		defer s.changed.Notify()
		defer r.end(plan.send, p)
		r.attempt(ctx, ch, plan.send, p)
	})
	return now, nil
}

// attempt sends a delivery and adapts the pace of its channel.
func (r *runner) attempt(ctx context.Context, ch *earshot.Channel, d *earshot.Delivery, p *pace) {
	s := r.service
	began := s.now()
	defer func() {
		if v := recover(); v != nil {
			s.Log.Error("panic while sending a message", "channel", ch.ID, "name", ch.Name, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			r.mu.Lock()
			p.hold = s.now().Add(brokenHold)
			r.mu.Unlock()
		}
	}()
	d, result, err := s.attempt(ctx, ch, d)
	broken := err != nil && !errors.Is(err, errTaken) && !errors.Is(err, kv.ErrNotFound)
	if broken && ctx.Err() == nil {
		s.Log.Error("sending a message failed; will retry", "channel", ch.ID, "name", ch.Name, "error", err)
	}
	r.mu.Lock()
	recovered := p.failing && result.Outcome == channel.Sent
	p.failing = result.Outcome != 0 && result.Outcome != channel.Sent
	p.notBefore, p.hold = began.Add(channel.Intervals[ch.Kind]), time.Time{}
	switch {
	case broken: // the catalog cannot be written
		p.hold = s.now().Add(brokenHold)
	case p.failing && d != nil && d.State == earshot.DeliveryWaiting:
		p.hold = period.Earlier(d.Next, s.now().Add(maxHold))
	}
	if result.Wait > 0 {
		p.notBefore = s.now().Add(min(result.Wait, maxRetryAfter))
	}
	r.mu.Unlock()
	if recovered {
		err = s.hurry(ctx, ch.ID)
	}
	if err = errors.Join(err, s.prune(ctx, ch.ID)); err != nil && !errors.Is(err, errTaken) && !errors.Is(err, kv.ErrNotFound) && ctx.Err() == nil {
		s.Log.Warn("tidying up the deliveries of a channel failed", "channel", ch.ID, "error", err)
	}
}

// recover decides about deliveries that were being sent when their process ended.
func (s *Service) recover(ctx context.Context, ch *earshot.Channel, list []*earshot.Delivery, now time.Time) error {
	for _, d := range list {
		if d.State != earshot.DeliverySending || now.Sub(d.Began) < staleAfter {
			continue
		}
		began := d.Began
		changed, err := s.Catalog.Deliveries.Update(ctx, d.ID, func(d *earshot.Delivery) error {
			if d.State != earshot.DeliverySending || !d.Began.Equal(began) {
				return errUnchanged
			}
			d.Error = "Earshot stopped while it was sending this message"
			if recognizes(ch.Kind) && d.Message.Event != testEvent { // a test has one attempt
				d.State, d.Next = earshot.DeliveryWaiting, now
				return nil
			}
			d.State, d.Finished = earshot.DeliveryInterrupted, now
			return nil
		})
		switch {
		case errors.Is(err, errUnchanged), errors.Is(err, kv.ErrNotFound):
		case err != nil:
			return err
		case changed.State == earshot.DeliveryInterrupted:
			s.totals.count(ch.Kind, changed.State)
			s.Log.Warn("a message may or may not have arrived; it is not sent again automatically", "channel", ch.ID, "name", ch.Name, "delivery", d.ID)
		}
	}
	return nil
}

// hurry makes messages due that wait for another attempt, because the channel works again.
func (s *Service) hurry(ctx context.Context, id earshot.ChannelID) error {
	for _, d := range s.deliveriesOf(id) {
		if d.State != earshot.DeliveryWaiting || d.Attempts == 0 || d.Attempts > maxHurried {
			continue
		}
		err := s.amend(ctx, d.ID, func(d *earshot.Delivery) error {
			if now := s.now(); d.State == earshot.DeliveryWaiting && d.Next.After(now) {
				d.Next = now
				return nil
			}
			return errUnchanged
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxHurried is the number of attempts after which only the schedule counts: the message itself, rather
// than the channel, seems to be the problem.
const maxHurried = 5
