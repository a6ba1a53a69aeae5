package people

import "math/bits"

// A firstName is the information that the registers of births have about a name.
type firstName struct {
	key   uint32 // hash of its letters; 0 marks an empty slot
	odds  int8   // log odds that a bearer is a woman, in units of OddsStep
	fame  uint8  // binary logarithm of the number of births
	years uint16 // 1 + index into firstNames.years; 0 if there are none
}

// OddsStep is the unit of stored log odds.
const OddsStep = 1.0 / 16

// YearBytes is the size of a name's birth years: four bits for each of the 28 spans of five years
// from 1880. They are proportional to the number of births, with 15 for the largest span.
const YearBytes = 14

// firstNames is the register of first names: a hash table with open addressing that is at most half
// full. It stores only the hashes of names, so about one in 50,000 other words is mistaken for a
// name.
type firstNames struct {
	slots []firstName // the length is a power of two
	// maybe is a one-hash Bloom filter of the names.
	maybe [filterBits / 64]uint64
	years []byte // YearBytes for each name that has them
}

// filterBits is the size of the filter in front of the table. Most lookups are not names, and
// unlike the table, the filter fits into the CPU cache.
const filterBits = 1 << 19

// readFirstNames reads a file of names: their number, the names, odds and fame; then the number of
// names with birth years, their delta-encoded indexes, and the birth years.
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

// find returns the entry with the given hash, or nil.
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

// add adds a name. If two names have the same hash, the first one wins.
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

// value returns the weight of a name as evidence, about -1 to 1. Rare names count less, because
// they are often something else.
func (n *firstName) value() float32 {
	return n.logOdds() / 4 * min(1, float32(n.fame)/10)
}

// scatter spreads the bits of a hash.
func scatter(hash uint32) uint32 {
	hash *= 0x9E3779B1
	return hash ^ hash>>15
}
