package local

import (
	"fmt"
	"os"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A segmentState is a segment with the changes since it was written. It is immutable: a change
// creates a new state with the same id.
type segmentState struct {
	id           uint64
	data         *segment.Segment
	inMemory     bool // not flushed yet, so Pebble has no record of it
	uncompressed bool // written by a hurried flush; compaction compresses it
	rows         int
	checksum     uint32    // of the file that was written; 0: unknown
	first        time.Time // no post is earlier
	last         time.Time // no post is later

	// purge makes compaction remove the deleted rows soon, however few they are, because they must
	// not stay on disk. It does not survive a restart.
	purge bool

	modified time.Time // when it was written or its deleted rows or sets last changed

	deleted       *roaring.Bitmap // deleted and replaced rows; nil if there are none
	deletedOnDisk *roaring.Bitmap // those of them that a flush has recorded; nil if there are none

	overrides map[poststore.SetID]uint64 // sets that Rematch changed, with the version of their override
	// deletedVersion changes whenever deleted changes, so it can serve as a cache key.
	deletedVersion uint64
}

// live returns the number of rows that are not deleted.
func (p *segmentState) live() int64 {
	if p.deleted == nil {
		return int64(p.rows)
	}
	return int64(p.rows) - int64(p.deleted.GetCardinality())
}

// recorded returns the number of deleted rows whose deletion is on disk.
func (p *segmentState) recorded() int {
	if p.deletedOnDisk == nil {
		return 0
	}
	return int(p.deletedOnDisk.GetCardinality())
}

func (p *segmentState) isDeleted(row uint32) bool { return p.deleted != nil && p.deleted.Contains(row) }

// overlaps reports whether the segment can contain posts in the time range of a selection.
func (p *segmentState) overlaps(of *poststore.Selection) bool {
	return (of.To.IsZero() || p.first.Before(of.To)) && (of.From.IsZero() || !p.last.Before(of.From)) &&
		(of.FromPost == nil || !p.first.After(of.FromPost.Time))
}

// droppable returns the rows that a merge drops. A row on disk must stay until its deletion is on disk,
// too. After a crash, the journal may contain only changes to the post, like what its pictures show,
// and these are applied to the version that was stored before.
func (p *segmentState) droppable() *roaring.Bitmap {
	if p.inMemory {
		return p.deleted
	}
	return p.deletedOnDisk
}

// withDeletedOnDisk returns the segment after a flush has recorded deleted rows.
func (p *segmentState) withDeletedOnDisk(rows *roaring.Bitmap) *segmentState {
	c := *p
	c.deletedOnDisk = rows
	return &c
}

func (s *Store) withDeleted(p *segmentState, rows *roaring.Bitmap) *segmentState {
	if rows.IsEmpty() {
		return p
	}
	c := *p
	c.deleted = rows
	if p.deleted != nil {
		c.deleted = roaring.Or(p.deleted, rows)
	}
	c.deletedVersion = s.newID()
	return &c
}

// buildSegment builds a segment in memory. It returns nil if there are no rows.
func (s *Store) buildSegment(rows []segment.Row) (*segmentState, error) {
	if len(rows) == 0 {
		return nil, nil
	}
	id := s.newID()
	f, err := segment.Build(segmentName(id), rows)
	if err != nil {
		return nil, err
	}
	return s.newSegmentState(&segmentState{id: id, data: f, inMemory: true, modified: s.now()})
}

// openNew opens a segment that was just written. If the segment cannot be read, the error is not a
// *damageError because no existing data is affected.
func (s *Store) openNew(id uint64, o segment.Options) (*segmentState, error) {
	f, err := segment.Open(s.path(id))
	if err != nil {
		return nil, fmt.Errorf("open new segment: %v", err)
	}
	p, err := s.newSegmentState(&segmentState{id: id, data: f, uncompressed: o.Uncompressed})
	if err != nil {
		return nil, fmt.Errorf("read new segment: %v", err)
	}
	return p, nil
}

// newSegmentState fills in the rows and time range of a segment.
func (s *Store) newSegmentState(p *segmentState) (*segmentState, error) {
	p.rows, p.checksum = p.data.Rows(), p.data.Checksum()
	err := reading(p, func() (err error) {
		p.first, p.last, err = p.data.TimeRange()
		return err
	})
	if err != nil {
		s.discard(p)
		return nil, err
	}
	return p, nil
}

// discard closes and removes a segment that is no longer in any view. If the file cannot be
// removed, the next start removes it.
func (s *Store) discard(p *segmentState) {
	if p == nil {
		return
	}
	p.data.Close()
	if p.inMemory {
		return
	}
	if err := os.Remove(s.path(p.id)); err != nil && !s.closed.Load() {
		s.log.Warn("could not remove an obsolete segment", "error", err)
	}
	// The recObsolete record remains until the next start, which may have to remove the file.
}
