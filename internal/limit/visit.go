package limit

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"earshot"
)

// Visits limits the requests of people without an account per minute: for each of their networks,
// and for each link that they use.
type Visits struct {
	networks *Rate
	perLink  int

	mu     sync.Mutex
	window time.Time     // guarded by mu
	links  map[int64]int // guarded by mu; has only links that exist
}

// NewVisits returns limits per minute.
func NewVisits(perNetwork, perLink int) *Visits {
	return &Visits{networks: NewRate(perNetwork), perLink: perLink}
}

// CountNetwork counts a request of an address before its link is looked up, so that nobody can try
// many. It returns an [earshot.OverLimit] error if there were too many.
func (v *Visits) CountNetwork(address string, now time.Time) error {
	addr, _ := netip.ParseAddr(address)
	if remaining, wait := v.networks.Count(Client{Network: Network(addr)}, now); remaining < 0 {
		return tooManyVisits(wait)
	}
	return nil
}

// CountLink counts a request to a link that exists. It returns an [earshot.OverLimit] error if there
// were too many.
func (v *Visits) CountLink(id int64, now time.Time) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if window := now.Truncate(time.Minute); !window.Equal(v.window) {
		v.window, v.links = window, map[int64]int{}
	}
	v.links[id]++
	if v.links[id] <= v.perLink {
		return nil
	}
	return tooManyVisits(v.window.Add(time.Minute).Sub(now))
}

func tooManyVisits(wait time.Duration) error {
	return &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait,
		Message: fmt.Sprintf("Too many requests. Please try again in %d s", (wait+time.Second-1)/time.Second)}
}
