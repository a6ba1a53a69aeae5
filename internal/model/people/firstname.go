package people

import "math/bits"

// A firstName is what the registers of births say of a name.
type firstName struct {
	key   uint32 // hash of its letters; 0 in an empty slot
	odds  int8   // log odds that a bearer is a woman, in steps of OddsStep
	fame  uint8  // binary logarithm of the number of births
	years uint16 // 1 + place of its years in firstNames.years; 0 without
}

// OddsStep is one step of the log odds that are kept.
const OddsStep = 1.0 / 16

// YearBytes is how long the years of a name are: for each of the 28 spans of five
// years from 1880 on, four bits that say how many were born in it, 15 in the span
// with most.
const YearBytes = 14

// firstNames is the register: a hash table with open addressing, at most half full.
// Names are known by their hash alone. Of 50,000 words that are no names, one is
// taken for one.
type firstNames struct {
	slots []firstName // a power of two
	maybe [filterBits / 64]uint64
	years []byte // YearBytes for each name that has them
}

// filterBits is the size of the filter before the table. Most of what is looked up
// is no name, and the filter stays in the cache where the table does not.
const filterBits = 1 << 19

// readFirstNames reads a file of names: how many there are, the names, their odds,
// their fame; then how many have years, which, and the years.
func readFirstNames(packed []byte) (*firstNames, error) {
	f := unpack(packed)
	count := f.count()
	names := make([]firstName, 0, min(count, 1<<20))
	f.list(count, func(name []byte) {
		names = append(names, firstName{key: hashLetters(name)})
	})
	odds, fame := f.bytes(count), f.bytes(count)
	dated := f.count()
	place := 0
	for i := range min(dated, len(names)) {
		place += f.count()
		if place >= len(names) {
			f.bytes(len(f.rest) + 1)
			break
		}
		names[place].years = uint16(i + 1)
	}
	years := f.bytes(dated * YearBytes)
	if f.err != nil {
		return nil, f.err
	}
	r := &firstNames{slots: make([]firstName, 2<<bits.Len(uint(count))), years: years}
	for i, n := range names {
		n.odds, n.fame = int8(odds[i]), fame[i]
		r.add(n)
	}
	return r, nil
}

// find returns the entry with a hash, nil when there is none.
func (r *firstNames) find(hash uint32) *firstName {
	scattered := scatter(hash)
	if r.maybe[scattered%filterBits/64]>>(scattered%64)&1 == 0 {
		return nil
	}
	mask := uint32(len(r.slots) - 1)
	for i := scattered & mask; ; i = (i + 1) & mask {
		slot := &r.slots[i]
		if slot.key == 0 {
			return nil
		}
		if slot.key == hash {
			return slot
		}
	}
}

// add takes a name. Of two with the same hash the first one counts.
func (r *firstNames) add(n firstName) {
	mask := uint32(len(r.slots) - 1)
	scattered := scatter(n.key)
	r.maybe[scattered%filterBits/64] |= 1 << (scattered % 64)
	i := scattered & mask
	for r.slots[i].key != 0 {
		i = (i + 1) & mask
	}
	r.slots[i] = n
}

// logOdds returns the log odds that a bearer is a woman.
func (n *firstName) logOdds() float32 { return float32(n.odds) * OddsStep }

// value returns what a name is worth as evidence, about -1 to 1. A name that few
// have is often something else.
func (n *firstName) value() float32 {
	return n.logOdds() / 4 * min(1, float32(n.fame)/10)
}

// scatter spreads the bits of a hash.
func scatter(hash uint32) uint32 {
	hash *= 0x9E3779B1
	return hash ^ hash>>15
}
