package watchlist

// A posting brings a monitor up under one of its numbers. Of what else the monitor
// needs it holds as much as fits, so that most are dismissed where they stand, in
// passing, without a look at the monitor.
type posting struct {
	slot  uint32 // of the entry
	truth uint16 // bit n: goes on when the post has the needs that n has bits of
	needs [guardNeeds]uint16
}

// guardNeeds is how many numbers a posting asks for, shortened to what a sieve holds.
const guardNeeds = 4

// newPosting returns a posting that asks for one of each group, as far as they
// fit, and the traits that takes. Earlier groups go first.
func newPosting(groups []group) (p posting, asks traits) {
	var fitting []uint // the groups, as bits of needs
	used := 0
	for _, g := range groups {
		if used+len(g.numbers) > guardNeeds {
			continue
		}
		asks |= g.traits
		var bits uint
		for _, n := range g.numbers {
			p.needs[used] = short(n)
			bits |= 1 << used
			used++
		}
		fitting = append(fitting, bits)
	}
	for have := range uint(1 << guardNeeds) {
		if meetsAll(have, fitting) {
			p.truth |= 1 << have
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

// A sieve is the numbers of a post, shortened. It may hold one that the post does
// not have, but never lacks one that it has.
type sieve [1 << 16 / 64]uint64

func short(n number) uint16 { return uint16(n) }

func (s *sieve) add(n number)      { s[short(n)/64] |= 1 << (short(n) % 64) }
func (s *sieve) bit(n uint16) uint { return uint(s[n/64] >> (n % 64) & 1) }

// clear empties a sieve that holds nothing but these numbers.
func (s *sieve) clear(numbers []number) {
	for _, n := range numbers {
		s[short(n)/64] = 0
	}
}

// admits reports whether the post could have what the posting asks for.
func (s *sieve) admits(p *posting) bool {
	have := s.bit(p.needs[0]) | s.bit(p.needs[1])<<1 | s.bit(p.needs[2])<<2 | s.bit(p.needs[3])<<3
	return p.truth>>have&1 != 0
}
