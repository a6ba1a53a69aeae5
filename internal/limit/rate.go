package limit

import (
	"net/netip"
	"sync"
	"time"
)

// A Rate counts the requests of each client in fixed windows of one minute.
type Rate struct {
	limit int // 0: off

	mu       sync.Mutex // guards the fields below
	window   time.Time
	users    map[Client]int
	networks map[netip.Prefix]int
	shared   *sharedCounts // nil: this node counts alone
}

// A client can own more addresses than fit in memory. After maxAddresses different addresses in a
// minute, new ones are counted by their wider network. After maxNetworks entries, all further
// addresses are counted together.
const (
	maxAddresses = 50_000
	maxNetworks  = 100_000
)

// NewRate returns a limiter that allows this many requests per minute. 0 means no limit.
func NewRate(perMinute int) *Rate {
	return &Rate{limit: perMinute, users: map[Client]int{}, networks: map[netip.Prefix]int{}}
}

// Limit returns the number of requests per minute, or 0 if there is no limit.
func (r *Rate) Limit() int { return r.limit }

// Count counts a request and returns how many more are allowed in the current window, which ends
// after wait. A negative number means that this request exceeds the limit.
func (r *Rate) Count(c Client, now time.Time) (remaining int, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if window := now.Truncate(time.Minute); !window.Equal(r.window) && !r.isAhead(window) {
		r.begin(window)
	}
	var used int
	if c.User != 0 {
		r.users[c]++
		used = r.users[c]
		if r.shared != nil {
			r.shared.changed[c] = true
			used += r.shared.of(c)
		}
	} else {
		bucket := r.bucket(c.Network)
		r.networks[bucket]++
		used = r.networks[bucket]
	}
	return r.limit - used, min(r.window.Add(time.Minute).Sub(now), time.Minute)
}

// isAhead reports whether another node, whose clock is a little fast, has begun the minute after
// window. r.mu must be held.
func (r *Rate) isAhead(window time.Time) bool {
	return r.shared != nil && r.window.Equal(window.Add(time.Minute))
}

// begin begins a window. r.mu must be held.
func (r *Rate) begin(window time.Time) {
	r.window = window
	r.users = map[Client]int{} // a new map, because clear would keep the memory of a flood
	r.networks = map[netip.Prefix]int{}
	if r.shared != nil {
		r.shared = newSharedCounts()
	}
}

// bucket returns the network under which requests from a network are counted. r.mu must be held.
func (r *Rate) bucket(network netip.Prefix) netip.Prefix {
	if _, known := r.networks[network]; known || len(r.networks) < maxAddresses {
		return network
	}
	bits := 16
	if network.Addr().Is6() {
		bits = 32 // the usual size of a provider's network
	}
	wider, _ := network.Addr().Prefix(bits)
	if _, known := r.networks[wider]; known || len(r.networks) < maxNetworks {
		return wider
	}
	return netip.Prefix{}
}
