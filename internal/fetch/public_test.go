package fetch

import (
	"net/netip"
	"testing"
)

func TestPublic(t *testing.T) {
	f := func(address string, want bool) {
		t.Helper()
		if got := IsPublic(netip.MustParseAddr(address)); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
	f("1.1.1.1", true)
	f("8.8.8.8", true)
	f("100.63.255.255", true)
	f("172.15.255.255", true)
	f("172.32.0.1", true)
	f("192.0.1.1", true)
	f("223.255.255.254", true)
	f("2606:4700::1111", true)
	f("2a00:1450:4001:82a::200e", true)
	f("::ffff:1.1.1.1", true)

	f("0.0.0.0", false)
	f("0.1.2.3", false)
	f("10.0.0.1", false)
	f("100.64.0.1", false)
	f("100.100.100.200", false) // cloud metadata
	f("127.0.0.1", false)
	f("127.255.255.254", false)
	f("168.63.129.16", false) // a cloud's internal address
	f("169.254.0.1", false)
	f("169.254.169.254", false) // cloud metadata
	f("172.16.0.1", false)
	f("172.31.255.255", false)
	f("192.0.0.192", false) // cloud metadata
	f("192.0.2.1", false)
	f("192.88.99.1", false)
	f("192.168.1.1", false)
	f("198.18.0.1", false)
	f("198.19.255.255", false)
	f("198.51.100.7", false)
	f("203.0.113.7", false)
	f("224.0.0.1", false)
	f("239.255.255.250", false)
	f("240.0.0.1", false)
	f("255.255.255.255", false)

	f("::", false)
	f("::1", false)
	f("::127.0.0.1", false)
	f("::ffff:127.0.0.1", false)
	f("::ffff:10.0.0.1", false)
	f("::ffff:169.254.169.254", false)
	f("64:ff9b::1.1.1.1", false)         // NAT64
	f("64:ff9b::169.254.169.254", false) // an internal address through NAT64
	f("64:ff9b:1::1", false)
	f("100::1", false) // discard-only
	f("2001::1", false)
	f("2001:db8::1", false)
	f("2002:7f00:1::1", false) // 6to4 of 127.0.0.1
	f("3fff::1", false)
	f("4000::1", false)
	f("5f00::1", false)
	f("fc00::1", false)
	f("fd00:ec2::254", false) // cloud metadata
	f("fe80::1", false)
	f("fe80::1%eth0", false)
	f("2606:4700::1111%eth0", false)
	f("fec0::1", false)
	f("ff02::1", false)
}

func TestTheZeroAddressIsNotPublic(t *testing.T) {
	if IsPublic(netip.Addr{}) {
		t.Error("got true, want false")
	}
}

func TestPrivateOrPublic(t *testing.T) {
	for address, want := range map[string]bool{
		"127.0.0.1:4222": true, "10.0.0.5:80": true, "[fd00::1]:9000": true, "8.8.8.8:9999": true,
		"[fd00:ec2::254]:80": false, "[fd20:ce::254]:80": false, "[fd00:ec2::254%eth0]:80": false,
		"169.254.169.254:80": false, "[fe80::1]:80": false, "100.100.100.200:80": false, "0.0.0.0:80": false, "224.0.0.1:80": false,
	} {
		if got := IsPrivateOrPublic(netip.MustParseAddrPort(address)); got != want {
			t.Errorf("%s: got %v, want %v", address, got, want)
		}
	}
}
