package local

import (
	"os"

	"github.com/cockroachdb/pebble/v2"
)

// When a set's posts of a day last changed follows from the segments that have them: each knows
// when it was last modified, that is written, or its rows or sets changed. A post that no segment
// has any more, not even as a deleted row, leaves a record for its quarter of an hour: see
// unmatched.

// putModified writes when a segment was last modified.
func putModified(b *pebble.Batch, p *segmentState) error {
	return b.Set(recID(recModified, p.id), appendTime(nil, p.modified), nil)
}

// loadModified reads when segments were last modified. For segments from before that was recorded
// it is when they were written.
func (s *Store) loadModified(segments map[uint64]*segmentState) error {
	err := each(s.db, recModified, func(key, value []byte) error {
		if p := segments[readID(key, 0)]; p != nil && len(value) == 8 {
			p.modified = readTime(value)
		}
		return nil
	})
	for id, p := range segments {
		if !p.modified.IsZero() {
			continue
		}
		if info, err := os.Stat(s.path(id)); err == nil { // else it is damaged
			p.modified = info.ModTime()
		}
	}
	return err
}
