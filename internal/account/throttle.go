package account

import (
	"container/list"
	"hash/maphash"
	"net/netip"
	"sync"
	"time"
)

// A throttle delays sign-ins after too many failures. It counts the failures of a username from a
// network, of a network, and of a username. The last two limits are higher: many people share a
// network, and a username that someone attacks still belongs to its owner. Attempts that are
// rejected are not counted, so an attack from a few networks never reaches the limit of a username.
type throttle struct {
	pairs, networks, names *failureTable
}

func newThrottle() *throttle {
	return &throttle{pairs: newFailureTable(10), networks: newFailureTable(50), names: newFailureTable(200)}
}

// An origin is who tries to sign in, and from where.
type origin struct {
	name    string // folded username
	network string
}

// wait returns how long the next attempt must still wait.
func (t *throttle) wait(now time.Time, o origin) time.Duration {
	return max(t.pairs.wait(now, o.name, o.network), t.networks.wait(now, o.network), t.names.wait(now, o.name))
}

// waitPair is wait without the failures of others.
func (t *throttle) waitPair(now time.Time, o origin) time.Duration {
	return t.pairs.wait(now, o.name, o.network)
}

// add records a failure.
func (t *throttle) add(now time.Time, o origin) {
	t.pairs.add(now, o.name, o.network)
	t.networks.add(now, o.network)
	t.names.add(now, o.name)
}

// reset clears the failures of a username from a network after it signed in.
func (t *throttle) reset(o origin) { t.pairs.reset(o.name, o.network) }

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

// A failureTable counts failures by key. The first delay is one second. It doubles with each further
// failure, up to one minute.
//
// Its size is bounded: the key whose last failure is the oldest makes room for a new one. Every
// failure costs a password hash, so filling the table takes longer than forgetAfter.
type failureTable struct {
	freeFailures int // number of failures before delays start
	seed         maphash.Seed

	mu     sync.Mutex
	keys   map[uint64]*list.Element // guarded by mu
	oldest *list.List               // guarded by mu: failures, those with the oldest last failure first
}

type failures struct {
	key   uint64
	count int
	last  time.Time
}

const (
	maxWait     = time.Minute      // slows guessing without locking users out
	forgetAfter = 15 * time.Minute // a key without failures for this long starts over
	maxKeys     = 100_000          // about 15 MB
)

func newFailureTable(free int) *failureTable {
	return &failureTable{freeFailures: free, seed: maphash.MakeSeed(), keys: map[uint64]*list.Element{}, oldest: list.New()}
}

// key hashes a key, because usernames that do not exist can be long.
func (t *failureTable) key(parts []string) uint64 {
	var h maphash.Hash
	h.SetSeed(t.seed)
	for _, p := range parts {
		h.WriteString(p)
		h.WriteByte(0)
	}
	return h.Sum64()
}

// wait returns how long the next attempt under a key must still wait.
func (t *failureTable) wait(now time.Time, key ...string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	e := t.keys[t.key(key)]
	if e == nil {
		return 0
	}
	f := e.Value.(*failures)
	over := f.count - t.freeFailures
	if over < 0 {
		return 0
	}
	delay := min(time.Second<<min(over, 10), maxWait)
	return max(f.last.Add(delay).Sub(now), 0)
}

// add records a failure.
func (t *failureTable) add(now time.Time, key ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := t.key(key)
	e := t.keys[k]
	if e == nil {
		if len(t.keys) >= maxKeys {
			t.remove(t.oldest.Front())
		}
		e = t.oldest.PushBack(&failures{key: k})
		t.keys[k] = e
	}
	f := e.Value.(*failures)
	if now.Sub(f.last) > forgetAfter {
		f.count = 0
	}
	f.count++
	f.last = now
	t.oldest.MoveToBack(e)
}

// reset clears the failures of a key.
func (t *failureTable) reset(key ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.keys[t.key(key)]; e != nil {
		t.remove(e)
	}
}

// remove removes a key. The caller must hold mu.
func (t *failureTable) remove(e *list.Element) {
	delete(t.keys, t.oldest.Remove(e).(*failures).key)
}
