package opinion

// A table has what was learnt of features. It is kept in two forms: features ascending,
// as it is saved, and slots, as it is looked into. Most of a lookup is waiting for
// memory, so everything about a feature lies in one place there.
type table struct {
	width    int             // categories
	unknown  uint8           // rarity of features that the table has not
	steps    [blocks]float32 // what a level is worth
	features []uint32        // ascending
	rarity   []uint8         // of each feature
	levels   []int8          // width for each feature

	slots []uint32 // features, 0 is free
	cells []int8   // for each slot the rarity, less 128, and the levels
}

// arrange makes the slots: three of five are taken, and a feature lies in the first free
// one from its own on.
func (t *table) arrange() {
	t.slots = make([]uint32, len(t.features)*5/3+1)
	t.cells = make([]int8, len(t.slots)*(t.width+1))
	for i, f := range t.features {
		at := t.slot(f)
		for t.slots[at] != 0 {
			at = t.after(at)
		}
		t.slots[at] = f
		cell := t.cell(at)
		cell[0] = int8(int(t.rarity[i]) - 128)
		copy(cell[1:], t.levels[i*t.width:][:t.width])
	}
}

func (t *table) cell(at int) []int8 { return t.cells[at*(t.width+1):][:t.width+1] }

// find returns the slot of a feature, -1 when the table has it not.
func (t *table) find(feature uint32) int {
	for at := t.slot(feature); ; at = t.after(at) {
		switch t.slots[at] {
		case feature:
			return at
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
		at := t.find(f)
		if at < 0 {
			length += int(t.unknown)
			continue
		}
		cell := t.cell(at)
		length += 2 * (int(cell[0]) + 128)
		row := cell[1:][:len(levels)]
		for k, level := range row {
			levels[k] += int32(level)
		}
	}
	return length
}
