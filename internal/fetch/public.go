package fetch

import "net/netip"

// IsPublic reports whether an address belongs to the public internet: a unicast address that is
// globally reachable according to the IANA registries of special-purpose addresses. Addresses that
// embed another one (NAT64, 6to4, Teredo) are not public. An IPv4-mapped address counts as the IPv4
// address it embeds.
func IsPublic(addr netip.Addr) bool {
	if addr.Zone() != "" {
		return false
	}
	addr = addr.Unmap()
	if !addr.IsValid() || addr.Is6() && !unicast6.Contains(addr) {
		return false
	}
	for _, p := range specialPrefixes {
		if p.Contains(addr) {
			return false
		}
	}
	return true
}

// unicast6 is the part of IPv6 that is allocated as global unicast. Everything else is loopback,
// link-local, private, multicast, NAT64 (64:ff9b::/96 and 64:ff9b:1::/48) or unallocated.
var unicast6 = netip.MustParsePrefix("2000::/3")

// specialPrefixes lists the prefixes within IPv4 and unicast6 that are not public.
var specialPrefixes = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"),        // this network
	netip.MustParsePrefix("10.0.0.0/8"),       // private
	netip.MustParsePrefix("100.64.0.0/10"),    // carrier-grade NAT; cloud metadata at 100.100.100.200
	netip.MustParsePrefix("127.0.0.0/8"),      // loopback
	netip.MustParsePrefix("168.63.129.16/32"), // reaches a cloud's virtual machines, although the address is public
	netip.MustParsePrefix("169.254.0.0/16"),   // link-local; metadata of most clouds at 169.254.169.254
	netip.MustParsePrefix("172.16.0.0/12"),    // private
	netip.MustParsePrefix("192.0.0.0/24"),     // protocol assignments; cloud metadata at 192.0.0.192
	netip.MustParsePrefix("192.0.2.0/24"),     // documentation
	netip.MustParsePrefix("192.31.196.0/24"),  // AS112
	netip.MustParsePrefix("192.52.193.0/24"),  // AMT
	netip.MustParsePrefix("192.88.99.0/24"),   // 6to4 relays
	netip.MustParsePrefix("192.168.0.0/16"),   // private
	netip.MustParsePrefix("192.175.48.0/24"),  // AS112
	netip.MustParsePrefix("198.18.0.0/15"),    // benchmarks
	netip.MustParsePrefix("198.51.100.0/24"),  // documentation
	netip.MustParsePrefix("203.0.113.0/24"),   // documentation
	netip.MustParsePrefix("224.0.0.0/4"),      // multicast
	netip.MustParsePrefix("240.0.0.0/4"),      // reserved, broadcast

	netip.MustParsePrefix("2001::/23"),         // protocol assignments: Teredo, benchmarks, ORCHID
	netip.MustParsePrefix("2001:db8::/32"),     // documentation
	netip.MustParsePrefix("2002::/16"),         // 6to4
	netip.MustParsePrefix("2620:4f:8000::/48"), // AS112
	netip.MustParsePrefix("3fff::/20"),         // documentation
}

// IsPrivateOrPublic allows addresses of intranets, on any port, but not those of cloud metadata
// services.
func IsPrivateOrPublic(to netip.AddrPort) bool {
	addr := to.Addr().Unmap()
	for _, p := range metadata {
		if p.Contains(addr.WithZone("")) {
			return false
		}
	}
	return addr.IsLoopback() || addr.IsPrivate() || IsPublic(addr)
}

// metadata are the private prefixes of cloud metadata services. Others are link-local.
var metadata = []netip.Prefix{
	netip.MustParsePrefix("fd00:ec2::/32"),
	netip.MustParsePrefix("fd20:ce::/32"),
	netip.MustParsePrefix("fd00:42::/32"),
	netip.MustParsePrefix("fd00:c1::/32"),
}
