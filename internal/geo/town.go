package geo

import _ "embed"

// The embedded towns: US towns and counties that are too small to be places of the gazetteer, or of
// another kind. The table has no places of its own. It says only that a state has a town of that
// name, so that "winona lake in" means Indiana and "Paris, AR" means Arkansas. It holds the sorted
// [TownEntry] values, four bytes each.
//
//go:embed towns.bin
var townTable string

const townSize = 4

// TownEntry returns the entry of a town: hash bits of its normalized name and of the key of its
// state. Among millions of other texts before a state, a few dozen are mistaken for a town.
func TownEntry(name, state string) uint32 {
	h := hashSeed
	for i := range len(name) {
		h = h.add(name[i])
	}
	return h.town(state)
}

// town returns the entry of the town that has been hashed, in a state.
func (h hasher) town(state string) uint32 {
	h = h.add(',')
	for i := range len(state) {
		h = h.add(state[i])
	}
	return uint32(h.sum() >> 32)
}

// isTown reports whether the table has an entry. The entries are distributed evenly, so the search
// starts where the entry would be.
func isTown(entry uint32) bool {
	n := len(townTable) / townSize
	at := func(i int) uint32 { return uint32At(townTable, i*townSize) }
	i := int(uint64(entry) * uint64(n) >> 32)
	for i > 0 && at(i) > entry {
		i--
	}
	for i < n && at(i) < entry {
		i++
	}
	return i < n && at(i) == entry
}
