package storetest

import (
	"fmt"
	"maps"
	"time"

	"earshot/internal/poststore"
)

// A changeLog records which times a store may return from Changed.
type changeLog struct {
	began []time.Time             // start time of each change
	told  map[timeRange]time.Time // last result for these posts
}

// A timeRange is a day of a monitor with the posts that it contains.
type timeRange struct {
	monitor  poststore.SetID
	from, to time.Time
	posts    poststore.Fingerprint
}

// queryChanged calls Changed twice. The result must be the same as long as nothing changes.
func (p *pair) queryChanged() {
	p.Helper()
	id, starts := p.monitor(), p.starts()
	want, err := p.reference.Changed(p.Context(), id, starts)
	if err != nil {
		p.Fatal(err)
	}
	var before []time.Time
	for range 2 {
		got, err := p.store.Changed(p.Context(), id, starts)
		if err != nil {
			p.Fatal(err)
		}
		for d := range want {
			s := p.timeRange(id, starts[d], starts[d+1])
			problem := p.times.problem(s, got[d], want[d], now())
			if problem == "" && before != nil && !got[d].Equal(before[d]) {
				problem = fmt.Sprintf("not %v as before", before[d])
			}
			if problem != "" {
				p.Fatalf("monitor %d, %v to %v: got %v, %s", id, s.from, s.to, got[d], problem)
			}
			p.times.told[s] = got[d]
		}
		before = got
	}
}

func (p *pair) timeRange(id poststore.SetID, from, to time.Time) timeRange {
	p.Helper()
	posts, err := p.reference.Fingerprint(p.Context(), id, from, to)
	if err != nil {
		p.Fatal(err)
	}
	return timeRange{id, from, to, posts}
}

// problem returns what is wrong with a time that Changed returned, or "". The reference returns the
// time of the change. A store may return a later time, but not one after the call. It must not
// return a time before the change, unless it returned the same time when the posts were the same.
func (c *changeLog) problem(s timeRange, got, want, now time.Time) string {
	told, known := c.told[s]
	switch {
	case got.IsZero() != want.IsZero():
		return fmt.Sprintf("the reference has %v", want)
	case got.IsZero():
		return ""
	case got.After(now):
		return "which is in the future"
	case got.Before(c.beganBefore(want)) && (!known || got.Before(told)):
		return fmt.Sprintf("before the change at %v", want)
	}
	return ""
}

// beganBefore returns the start time of the change that was made at t.
func (c *changeLog) beganBefore(t time.Time) (began time.Time) {
	for _, at := range c.began {
		if !at.After(t) {
			began = at
		}
	}
	return began
}

// forget discards the results for sets that a rematch removes.
func (c *changeLog) forget(r poststore.Rematch) {
	maps.DeleteFunc(c.told, func(s timeRange, _ time.Time) bool {
		rule, ruled := r.Rules[s.monitor]
		return r.From.IsZero() && ruled && rule == (poststore.Rule{})
	})
}
