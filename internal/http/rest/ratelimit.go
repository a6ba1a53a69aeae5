package rest

import (
	"fmt"
	"net/netip"
	"strconv"
	"sync"
	"time"

	"earshot"
)

// A rateLimiter counts requests in fixed windows of one minute: by user, separately for sessions
// and tokens, or by network address for requests without a valid token or session.
type rateLimiter struct {
	limit int // 0: off

	mu     sync.Mutex // guards the fields below
	window time.Time
	users  map[rateKey]int
	addrs  map[netip.Prefix]int
}

// A rateKey identifies requests that are counted together. Sessions are separate so that a program
// that sends too many requests does not stop its user from using the web app.
type rateKey struct {
	user    earshot.UserID
	session bool
}

// A client can own more addresses than fit in memory. After maxAddresses different addresses in a
// minute, new ones are counted by their wider network. After maxNetworks entries, all further
// addresses are counted together.
const (
	maxAddresses = 50_000
	maxNetworks  = 100_000
)

func newRateLimiter(limit int) *rateLimiter {
	return &rateLimiter{limit: limit, users: map[rateKey]int{}, addrs: map[netip.Prefix]int{}}
}

// count counts a request and returns how many more are allowed in the current window, which ends
// after wait. A negative number means that this request exceeds the limit.
func (l *rateLimiter) count(c *rateKey, address string, now time.Time) (remaining int, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if window := now.Truncate(time.Minute); !window.Equal(l.window) {
		l.window = window
		l.users = map[rateKey]int{} // a new map, because clear would keep the memory of a flood
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

// bucket returns the network under which an address is counted. The caller must hold mu.
func (l *rateLimiter) bucket(address string) netip.Prefix {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return netip.Prefix{}
	}
	bits, widerBits := 32, 16
	if addr.Is6() {
		bits, widerBits = 64, 32 // the usual size of a customer's and of a provider's network
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

// noLimit is the value of the X-RateLimit headers without a limit.
const noLimit = "1000000"

// checkRateLimit counts the request if its path is rate limited, and sets the X-RateLimit headers.
func (x *exchange) checkRateLimit() error {
	l := x.server.limiter
	if !x.isRateLimited() {
		return nil
	}
	h := x.w.Header()
	if l.limit <= 0 { // programs read the headers unconditionally
		h.Set("X-RateLimit-Limit", noLimit)
		h.Set("X-RateLimit-Remaining", noLimit)
		return nil
	}
	var key *rateKey
	if x.caller != nil {
		key = &rateKey{x.caller.User, x.session != ""}
	}
	remaining, wait := l.count(key, x.address, x.server.Now())
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
