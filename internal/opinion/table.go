package opinion

// A table has what was learnt of features. It is kept in two forms: features ascending,
// as it is saved, and slots, as it is looked into.
type table struct {
	width    int             // categories
	unknown  uint8           // rarity of features that the table has not
	steps    [blocks]float32 // what a level is worth
	features []uint32        // ascending
	rarity   []uint8         // of each feature
	levels   []int8          // width for each feature

	slots  []uint32 // features, 0 is free
	places []uint32 // of features in slots
}

// arrange makes the slots: three of five are taken, and a feature lies in the first free
// one from its own on.
func (t *table) arrange() {
	t.slots = make([]uint32, len(t.features)*5/3+1)
	t.places = make([]uint32, len(t.slots))
	for i, f := range t.features {
		at := t.slot(f)
		for t.slots[at] != 0 {
			at = t.after(at)
		}
		t.slots[at], t.places[at] = f, uint32(i)
	}
}

// find returns the place of a feature, -1 when the table has it not.
func (t *table) find(feature uint32) int {
	for at := t.slot(feature); ; at = t.after(at) {
		switch t.slots[at] {
		case feature:
			return int(t.places[at])
		case 0:
			return -1
		}
	}
}

// slot returns where a feature is looked for first.
func (t *table) slot(feature uint32) int {
	return int(uint64(feature*0x9e3779b1) * uint64(len(t.slots)) >> 32)
}

func (t *table) after(at int) int {
	if at++; at == len(t.slots) {
		return 0
	}
	return at
}

// add adds to levels those of features, and returns twice their rarities. Features that
// the table has not count half.
func (t *table) add(features []uint32, levels []int32) (length int) {
	for _, f := range features {
		i := t.find(f)
		if i < 0 {
			length += int(t.unknown)
			continue
		}
		length += 2 * int(t.rarity[i])
		for k, level := range t.levels[i*t.width:][:len(levels)] {
			levels[k] += int32(level)
		}
	}
	return length
}
