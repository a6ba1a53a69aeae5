package local

import (
	"os"

	"github.com/cockroachdb/pebble/v2"
)

// When a monitor's posts of a day last changed is told by the files that have them: each
// knows when it was touched, which is when it was written, rows of it went or came to
// another monitor. What no file has any more, not even as a row that is gone, is lost; a
// record for each quarter of an hour tells that there was something.

// putModified writes when a part was touched.
func putModified(b *pebble.Batch, p *segmentState) error {
	return b.Set(recID(recModified, p.id), appendTime(nil, p.modified), nil)
}

// loadModified reads when parts were touched. For files from before that was kept it is when
// they were written.
func (s *Store) loadModified(parts map[uint64]*segmentState) error {
	err := each(s.db, recModified, func(key, value []byte) error {
		if p := parts[readID(key, 0)]; p != nil && len(value) == 8 {
			p.modified = readTime(value)
		}
		return nil
	})
	for id, p := range parts {
		if !p.modified.IsZero() {
			continue
		}
		if info, err := os.Stat(s.path(id)); err == nil { // else it is damaged
			p.modified = info.ModTime()
		}
	}
	return err
}
