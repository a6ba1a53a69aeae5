package account

import (
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// maxPenalties is how many penalties an origin may have at the same time. More people than that do not
// mistype the same password, so only an attack in the user's own network reaches it. It limits guessing
// to this many attempts a minute.
const maxPenalties = 200

// penalties remembers how long failed attempts of origins with a good record are delayed. A penalty
// lasts until its time even if the client does not wait for the response: a client that hangs up after
// a moment, because a correct password would have been confirmed by then, gains nothing.
type penalties struct {
	mu   sync.Mutex
	ends map[origin][]time.Time // guarded by mu
}

func newPenalties() *penalties { return &penalties{ends: map[origin][]time.Time{}} }

// add delays an attempt of an origin by about the given time, and returns the delay. Delays differ, so
// that clients do not come back all at once.
func (p *penalties) add(now time.Time, o origin, about time.Duration) time.Duration {
	d := about/2 + rand.N(about+1)
	p.mu.Lock()
	defer p.mu.Unlock()
	for other, ends := range p.ends {
		if p.ends[other] = slices.DeleteFunc(ends, func(end time.Time) bool { return !end.After(now) }); len(p.ends[other]) == 0 {
			delete(p.ends, other)
		}
	}
	p.ends[o] = append(p.ends[o], now.Add(d))
	return d
}

// wait returns how long the next attempt must wait until the origin has fewer than the maximum.
func (p *penalties) wait(now time.Time, o origin) (d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	count := 0
	for _, end := range p.ends[o] {
		if left := end.Sub(now); left > 0 {
			if count++; d == 0 || left < d {
				d = left
			}
		}
	}
	if count < maxPenalties {
		return 0
	}
	return d
}
