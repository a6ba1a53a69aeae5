package watchlist

// A posting brings a monitor up under one of its numbers. Of what else the monitor
// needs it holds as much as fits, so that most are dismissed where they stand, in
// passing, without a look at the monitor.
type posting struct {
	slot       uint32 // of the entry
	truthTable uint16 // bit n: goes on when the post has the needs that n has bits of
	guards     [maxGuards]uint16
}

// maxGuards is how many numbers a posting asks for, shortened to what a sieve holds.
const maxGuards = 4

// newPosting returns a posting that asks for one of each group, as far as they
// fit, and the traits that takes. Earlier groups go first.
func newPosting(groups []clause) (p posting, asks featureKinds) {
	var fitting []uint // the groups, as bits of needs
	used := 0
	for _, g := range groups {
		if used+len(g.features) > maxGuards {
			continue
		}
		asks |= g.kinds
		var bits uint
		for _, n := range g.features {
			p.guards[used] = bloomBit(n)
			bits |= 1 << used
			used++
		}
		fitting = append(fitting, bits)
	}
	for have := range uint(1 << maxGuards) {
		if meetsAll(have, fitting) {
			p.truthTable |= 1 << have
		}
	}
	return p, asks
}

func meetsAll(have uint, groups []uint) bool {
	for _, g := range groups {
		if have&g == 0 {
			return false
		}
	}
	return true
}

// A bloomFilter is the numbers of a post, shortened. It may hold one that the post does
// not have, but never lacks one that it has.
type bloomFilter [1 << 16 / 64]uint64

func bloomBit(n feature) uint16 { return uint16(n) }

func (s *bloomFilter) add(n feature)     { s[bloomBit(n)/64] |= 1 << (bloomBit(n) % 64) }
func (s *bloomFilter) bit(n uint16) uint { return uint(s[n/64] >> (n % 64) & 1) }

// clear empties a sieve that holds nothing but these numbers.
func (s *bloomFilter) clear(numbers []feature) {
	for _, n := range numbers {
		s[bloomBit(n)/64] = 0
	}
}

// admits reports whether the post could have what the posting asks for.
func (s *bloomFilter) admits(p *posting) bool {
	have := s.bit(p.guards[0]) | s.bit(p.guards[1])<<1 | s.bit(p.guards[2])<<2 | s.bit(p.guards[3])<<3
	return p.truthTable>>have&1 != 0
}
