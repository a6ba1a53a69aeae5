package limit

import (
	"net/netip"
	"testing"
	"time"
)

func at(address string) Client {
	addr, _ := netip.ParseAddr(address)
	return Client{Network: Network(addr)}
}

func TestAddressesAreCountedByNetwork(t *testing.T) {
	r := NewRate(10)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	f := func(c Client, want int) {
		t.Helper()
		if got, _ := r.Count(c, now); got != want {
			t.Errorf("%v: got %d remaining, want %d", c, got, want)
		}
	}
	f(at("192.0.2.1"), 9)
	f(at("192.0.2.2"), 9)
	f(at("192.0.2.1"), 8)
	f(at("::ffff:192.0.2.1"), 7)
	f(at("2001:db8::1"), 9)
	f(at("2001:db8::ffff:1"), 8) // the same customer network
	f(at("2001:db8:0:1::1"), 9)
	f(at("fe80::1%eth0"), 9)
	f(at("fe80::1%eth1"), 8)
	f(at("unix socket"), 9)
	f(at("another"), 8)
	f(Client{User: 1}, 9)
	f(Client{User: 1, Session: true}, 9)
	f(Client{User: 1}, 8)
}

func TestRateMemoryIsBounded(t *testing.T) {
	r := NewRate(10)
	now := time.Date(2024, 1, 31, 12, 0, 0, 0, time.UTC)
	r.Count(at("192.0.2.1"), now)
	for i := range 3 * maxNetworks {
		addr := netip.AddrFrom16([16]byte{0x20, 1, byte(i >> 16), byte(i >> 8), byte(i), 1})
		r.Count(Client{Network: Network(addr)}, now)
	}
	if len(r.networks) > maxNetworks+1 {
		t.Errorf("got %d counters, want at most %d", len(r.networks), maxNetworks+1)
	}
	if rest, _ := r.Count(at("192.0.2.1"), now); rest != 8 {
		t.Errorf("address from before the flood: got %d remaining, want 8", rest)
	}
	if rest, _ := r.Count(Client{User: 1}, now); rest != 9 {
		t.Errorf("user during the flood: got %d remaining, want 9", rest)
	}
	if rest, _ := r.Count(at("198.51.100.1"), now.Add(time.Minute)); rest != 9 || len(r.networks) != 1 {
		t.Errorf("next minute: got %d remaining and %d counters, want 9 and 1", rest, len(r.networks))
	}
}
