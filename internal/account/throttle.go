package account

import (
	"net/netip"
	"time"

	"earshot/internal/limit"
)

// A throttle delays sign-ins after too many failures. It counts the failures of a username from a
// network, of a network, and of a username. The last two limits are higher: many people share a
// network, and a username that someone attacks still belongs to its owner. Attempts that are
// rejected are not counted, so an attack from a few networks never reaches the limit of a username.
type throttle struct {
	pairs, networks, names *limit.Failures
}

func newThrottle() *throttle {
	return &throttle{pairs: limit.NewFailures(10), networks: limit.NewFailures(50), names: limit.NewFailures(200)}
}

// ShareFailures makes this node count failed sign-ins together with others. Call it before the first
// sign-in.
func (s *Service) ShareFailures(x *limit.Exchange) {
	x.AddFailures("account pair", s.throttle.pairs)
	x.AddFailures("account network", s.throttle.networks)
	x.AddFailures("account name", s.throttle.names)
}

// inInvitation is what an origin has instead of a username while someone opens an invitation. No
// username contains control characters.
const inInvitation = "\x00invitation"

// An origin is who tries to sign in, and from where.
type origin struct {
	name    string // folded username
	network string
}

// wait returns how long the next attempt must still wait.
func (t *throttle) wait(now time.Time, o origin) time.Duration {
	return max(t.pairs.Wait(now, o.name, o.network), t.networks.Wait(now, o.network), t.names.Wait(now, o.name))
}

// waitPair is wait without the failures of others.
func (t *throttle) waitPair(now time.Time, o origin) time.Duration {
	return t.pairs.Wait(now, o.name, o.network)
}

// add records a failure.
func (t *throttle) add(now time.Time, o origin) {
	t.pairs.Add(now, o.name, o.network)
	t.networks.Add(now, o.network)
	t.names.Add(now, o.name)
}

// reset clears the failures of a username from a network after it signed in.
func (t *throttle) reset(o origin) { t.pairs.Reset(o.name, o.network) }

// networkOf returns the network of an address: the address itself or, for IPv6, its /64 network,
// because that is what one customer gets.
func networkOf(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if addr = addr.Unmap().WithZone(""); addr.Is4() {
		return addr.String()
	}
	network, _ := addr.Prefix(64)
	return network.String()
}
