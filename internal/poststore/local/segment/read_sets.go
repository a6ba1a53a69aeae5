package segment

import (
	"iter"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
)

// Set returns the rows that belong to a monitor or filter, as they were when the file
// was written. The bitmap may be changed, and must not be used after the file was closed.
func (s *Segment) Set(id poststore.SetID) (*roaring.Bitmap, error) {
	sets, err := s.Sets(setMonitors)
	if err != nil {
		return nil, err
	}
	return sets.Bitmap(uint64(id)), nil
}

// SetIDs yields the monitors and filters that have any rows, ascending.
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

// EverMatched returns the rows that some monitor or filter has matched, whether it still does
// or not. They may be changed, and not be used after the file is closed.
func (s *Segment) EverMatched() (*roaring.Bitmap, error) {
	sets, err := s.Sets(setFlags)
	if err != nil {
		return nil, err
	}
	return sets.Bitmap(flagEverMatched), nil
}
