package rest

import (
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"earshot"
)

// A rateLimiter counts requests in fixed windows of a minute: by user, those of sessions
// apart from those of tokens, or by address for those who are not signed in.
type rateLimiter struct {
	limit int // 0: off

	mu     sync.Mutex // guards the fields below
	window time.Time
	users  map[rateKey]int
	addrs  map[netip.Prefix]int
}

// A rateKey identifies requests that are counted together. A program that sends too many does not
// keep its user from opening pages.
type rateKey struct {
	user    earshot.UserID
	session bool
}

// A network may own more addresses than there is memory. Once maxAddresses are
// counted in a minute, those not seen yet are counted by their wider network,
// and once there are maxNetworks of these too, all together.
const (
	maxAddresses = 50_000
	maxNetworks  = 100_000
)

func newRateLimiter(limit int) *rateLimiter {
	return &rateLimiter{limit: limit, users: map[rateKey]int{}, addrs: map[netip.Prefix]int{}}
}

// count counts a request and returns how many remain in this window, which ends after wait.
// Negative means that this one is too many.
func (l *rateLimiter) count(c *rateKey, address string, now time.Time) (remaining int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) {
		l.window = window
		l.users = map[rateKey]int{} // not clear: that would keep the size of a flood
		l.addrs = map[netip.Prefix]int{}
	}
	var used int
	if c != nil {
		l.users[*c]++
		used = l.users[*c]
	} else {
		bucket := l.bucket(address)
		l.addrs[bucket]++
		used = l.addrs[bucket]
	}
	return l.limit - used, l.window.Add(time.Minute).Sub(now)
}

// bucket returns the network that an address is counted under.
func (l *rateLimiter) bucket(address string) netip.Prefix {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits, widerBits := 32, 16
	if addr.Is6() {
		bits, widerBits = 64, 32 // one customer's network, one provider's
	}
	bucket, _ := addr.Prefix(bits)
	if _, known := l.addrs[bucket]; known || len(l.addrs) < maxAddresses {
		return bucket
	}
	bucket, _ = addr.Prefix(widerBits)
	if _, known := l.addrs[bucket]; known || len(l.addrs) < maxNetworks {
		return bucket
	}
	return netip.Prefix{}
}

// checkRateLimit counts the request if its path is limited, and sets the headers that say so.
func (x *exchange) checkRateLimit() error {
	l := x.server.limiter
	if l.limit <= 0 || !x.isRateLimited() {
		return nil
	}
	var key *rateKey
	if x.caller != nil {
		key = &rateKey{x.caller.User, x.session != ""}
	}
	remaining, wait := l.count(key, x.address, x.server.Now())
	h := x.w.Header()
	h.Set("X-RateLimit-Limit", strconv.Itoa(l.limit))
	h.Set("X-RateLimit-Remaining", strconv.Itoa(max(remaining, 0)))
	if remaining >= 0 {
		return nil
	}
	return &earshot.Error{
		Kind: earshot.OverLimit,
		Message: fmt.Sprintf("The limit of %d requests a minute is reached. Please try again in %s s",
			l.limit, ceilSeconds(wait)),
		RetryAfter: wait,
	}
}
