package segment

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
)

// Set returns the rows of a set at the time the segment was written. The caller may modify the
// bitmap but must not use it after the segment is closed.
func (s *Segment) Set(id poststore.SetID) (*roaring.Bitmap, error) {
	sets, err := s.Sets(setMonitors)
	if err != nil {
		return nil, err
	}
	return sets.Bitmap(uint64(id)), nil
}

// SetIDs yields the ids of the sets that have rows, in ascending order.
func (s *Segment) SetIDs() (iter.Seq[poststore.SetID], error) {
	sets, err := s.Sets(setMonitors)
	if err != nil {
		return nil, err
	}
	return func(yield func(poststore.SetID) bool) {
		for key := range sets.Keys() {
			if !yield(poststore.SetID(key)) {
				return
			}
		}
	}, nil
}

// EverMatched returns the rows that a monitor or filter has ever matched, even if it no longer
// does. The caller may modify the bitmap but must not use it after the segment is closed.
func (s *Segment) EverMatched() (*roaring.Bitmap, error) {
	sets, err := s.Sets(setFlags)
	if err != nil {
		return nil, err
	}
	return sets.Bitmap(flagEverMatched), nil
}
