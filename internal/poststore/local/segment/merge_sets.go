package segment

import (
	"cmp"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
)

func (m *merger) openSets(name string) ([]*colfile.Sets, error) {
	sets := make([]*colfile.Sets, len(m.in))
	for i, in := range m.in {
		s, err := in.Segment.Sets(name)
		if err != nil {
			return nil, err
		}
		sets[i] = s
	}
	return sets, nil
}

func (m *merger) mergeFlags() error {
	sets, err := m.openSets(setFlags)
	if err != nil {
		return err
	}
	return m.w.Sets(setFlags, func(yield func(uint64, []uint32) bool) {
		for flag := range uint64(len(flags)) {
			m.sorter.reset()
			for i, s := range sets {
				if also := m.in[i].EverMatched; flag == flagEverMatched && also != nil {
					m.sorter.addBitmap(roaring.Or(s.Bitmap(flag), also), m.moved[i])
				} else {
					m.sorter.add(s, flag, m.moved[i])
				}
			}
			if !yield(flag, m.sorter.sorted()) {
				return
			}
		}
	})
}

// mergeSets merges the sets of monitors. Those that have no rows any more are left out.
func (m *merger) mergeSets() error {
	sets, err := m.openSets(setMonitors)
	if err != nil {
		return err
	}
	return m.firstError(m.w.Sets(setMonitors, func(yield func(uint64, []uint32) bool) {
		for _, id := range m.setIDs(sets) {
			if !m.goesOn() {
				return
			}
			m.sorter.reset()
			for i, in := range m.in {
				if set := in.Overrides[id]; set != nil {
					m.sorter.addBitmap(set, m.moved[i])
				} else {
					m.sorter.add(sets[i], uint64(id), m.moved[i])
				}
			}
			if rows := m.sorter.sorted(); len(rows) > 0 && !yield(uint64(id), rows) {
				return
			}
		}
	}))
}

// setIDs returns all monitors that may have rows, in the order of their keys.
func (m *merger) setIDs(sets []*colfile.Sets) []poststore.SetID {
	var ids []poststore.SetID
	for i, s := range sets {
		for key := range s.Keys() {
			ids = append(ids, poststore.SetID(key))
		}
		for id := range m.in[i].Overrides {
			ids = append(ids, id)
		}
	}
	slices.SortFunc(ids, func(a, b poststore.SetID) int { return cmp.Compare(uint64(a), uint64(b)) })
	return slices.Compact(ids)
}
