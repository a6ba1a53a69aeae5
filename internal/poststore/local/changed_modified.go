package local

import (
	"os"

	"github.com/cockroachdb/pebble/v2"
)

// The time at which a set's posts of a day last changed follows from the segments that contain
// them: each segment records when it was last modified, that is, when it was written or when its
// deleted rows or sets last changed. A post that is no longer in any segment, not even as a deleted
// row, leaves a record for its quarter hour instead: see [unmatched].

// putModified writes the modification time of a segment.
func putModified(b *pebble.Batch, p *segmentState) error {
	return b.Set(recID(recModified, p.id), appendTime(nil, p.modified), nil)
}

// loadModified reads the modification times of segments. For segments written before that time was
// recorded, it uses the modification time of the file.
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
		if info, err := os.Stat(s.path(id)); err == nil { // otherwise the segment is damaged
			p.modified = info.ModTime()
		}
	}
	return err
}
