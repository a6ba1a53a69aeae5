package share

import (
	"fmt"
	"time"

	"earshot"
	"earshot/internal/limit"
)

// Requests of visitors per minute. A dashboard needs one request and one for each of its cards.
const (
	perNetwork = 1000 // all links together; behind a proxy, all visitors
	perLink    = 3000 // all visitors together
)

// A throttle delays passwords after too many wrong ones: for a link from a network, from a network,
// and for a link. The last two limits are higher, because visitors share them with others.
type throttle struct{ pairs, networks, links *limit.Failures }

// An origin is which link a visitor tries to unlock, and from where.
type origin struct{ link, network string }

func newThrottle() throttle {
	return throttle{pairs: limit.NewFailures(10), networks: limit.NewFailures(50), links: limit.NewFailures(200)}
}

// ShareFailures makes this node count wrong passwords together with others. Call it before the first
// visit.
func (s *Service) ShareFailures(x *limit.Exchange) {
	x.AddFailures("share pair", s.throttle.pairs)
	x.AddFailures("share network", s.throttle.networks)
	x.AddFailures("share link", s.throttle.links)
}

// wait returns how long the next attempt must still wait.
func (t *throttle) wait(now time.Time, o origin) time.Duration {
	return max(t.pairs.Wait(now, o.link, o.network), t.networks.Wait(now, o.network), t.links.Wait(now, o.link))
}

// add records a wrong password.
func (t *throttle) add(now time.Time, o origin) {
	t.pairs.Add(now, o.link, o.network)
	t.networks.Add(now, o.network)
	t.links.Add(now, o.link)
}

// reset clears the failures for a link from a network.
func (t *throttle) reset(o origin) { t.pairs.Reset(o.link, o.network) }

func tooManyFailures(wait time.Duration) error {
	return &earshot.Error{Kind: earshot.OverLimit, RetryAfter: wait,
		Message: fmt.Sprintf("Too many wrong passwords. Please try again in %d s", seconds(wait))}
}

// seconds rounds up.
func seconds(d time.Duration) int64 { return int64((d + time.Second - 1) / time.Second) }
