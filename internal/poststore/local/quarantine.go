package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A quarantinedRecord describes a quarantined segment.
type quarantinedRecord struct {
	poststore.Quarantined
	Segment *segmentRecord // nil: not recorded by an earlier version, or not listed
}

// record returns the segment's record as far as it is known.
func (p *segmentState) record() *segmentRecord {
	return &segmentRecord{Rows: p.rows, First: p.first.Unix(), After: p.last.Unix() + 1, Plain: p.uncompressed, Checksum: p.checksum}
}

// quarantine removes a damaged segment from the view and moves its file to the quarantine directory
// for inspection. From then on its posts are missing from all results, and Stats reports the
// segment.
func (s *Store) quarantine(d *damageError) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.quarantineLocked(d)
}

func (s *Store) quarantineLocked(d *damageError) error {
	if s.readOnly {
		return fmt.Errorf("%v. Please run 'earshot repair'", d) // not a *damageError, which callers would quarantine
	}
	v := s.current.Load()
	p := v.find(d.segment.id)
	if p == nil && s.isQuarantined(d.segment.id) {
		return nil // another goroutine was faster
	}
	if p != nil {
		d.segment = p
	}
	if d.segment.inMemory {
		return fmt.Errorf("segment in memory cannot be read: %v", d.err) // a bug, because the disk is not involved
	}
	aside := quarantinedRecord{
		Quarantined: poststore.Quarantined{Name: segmentName(d.segment.id), Posts: d.segment.live(), Since: s.now().UTC(), Reason: d.err.Error()},
		Segment:     d.segment.record(),
	}
	s.log.Error("segment is damaged and quarantined; results no longer include its posts", "file", aside.Name, "posts", aside.Posts, "error", d.err)
	b := s.db.NewBatch()
	defer b.Close()
	if err := putJSON(b, recID(recQuarantined, d.segment.id), aside); err != nil {
		return err
	}
	// All other records remain for the case that the segment turns out to be readable.
	if err := b.Delete(recID(recSegment, d.segment.id), nil); err != nil {
		return err
	}
	if d.segment.deleted != nil {
		if err := putRows(b, recID(recDeleted, d.segment.id), d.segment.deleted); err != nil {
			return err
		}
	}
	if err := s.commitSynced(b, s.Durable(), -1); err != nil {
		return err
	}
	delete(s.dirty, d.segment.id)
	s.quarantined = append(s.quarantined, aside.Quarantined)
	segments := make([]*segmentState, 0, len(v.segments))
	for _, p := range v.segments {
		if p.id != d.segment.id {
			segments = append(segments, p)
		}
	}
	s.publish(segments, v.position)
	if d.segment.data != nil {
		d.segment.data.Close()
	}
	return s.moveToQuarantine(d.segment.id)
}

// quarantineUnlisted quarantines a file that Pebble does not list and that no crash explains.
func (s *Store) quarantineUnlisted(id uint64) error {
	aside := quarantinedRecord{Quarantined: poststore.Quarantined{
		Name: segmentName(id), Since: s.now().UTC(), Reason: "the database does not list the segment",
	}}
	if f, err := segment.Open(s.path(id)); err == nil {
		aside.Posts = int64(f.Rows())
		f.Close()
	}
	s.log.Error("segment is not listed and quarantined", "file", aside.Name, "posts", aside.Posts)
	b := s.db.NewBatch()
	defer b.Close()
	if err := putJSON(b, recID(recQuarantined, id), aside); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.commitSynced(b, s.Durable(), 0); err != nil {
		return err
	}
	s.quarantined = append(s.quarantined, aside.Quarantined)
	return s.moveToQuarantine(id)
}

func (s *Store) isQuarantined(id uint64) bool {
	return slices.ContainsFunc(s.quarantined, func(a poststore.Quarantined) bool { return a.Name == segmentName(id) })
}

// moveToQuarantine moves the file of a damaged segment, if it still exists.
func (s *Store) moveToQuarantine(id uint64) error {
	err := os.Rename(s.path(id), filepath.Join(s.quarantineDir(), segmentName(id)))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// Dismiss forgets a quarantined segment, for example after its posts were recovered from elsewhere.
// Its file remains in the quarantine directory.
func (s *Store) Dismiss(ctx context.Context, name string) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	id, ok := segmentID(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !ok || !s.isQuarantined(id) {
		return earshot.Errorf(earshot.NotFound, "There is no quarantined segment %s", name)
	}
	b := s.db.NewBatch()
	defer b.Close()
	if err := errors.Join(ctx.Err(), deleteSegmentRecords(b, id), b.Delete(recID(recQuarantined, id), nil)); err != nil {
		return err
	}
	left := slices.DeleteFunc(slices.Clone(s.quarantined), func(a poststore.Quarantined) bool { return a.Name == name })
	if len(left) == 0 {
		from, to := recKind(recDeletion)
		if err := b.DeleteRange(from, to, nil); err != nil {
			return err
		}
	}
	if err := s.commitSynced(b, s.Durable(), 0); err != nil {
		return err
	}
	s.quarantined = left
	return nil
}

func (s *Store) deleteRecords(b *pebble.Batch, p *segmentState) error {
	if p.inMemory {
		return nil
	}
	for _, letter := range []byte{recSegment, recDeleted, recOverrideIndex, recEverMatched, recModified} {
		if err := b.Delete(recID(letter, p.id), nil); err != nil {
			return err
		}
	}
	for monitor, version := range p.overrides {
		if err := b.Delete(recID(recOverride, p.id, uint64(monitor), version), nil); err != nil {
			return err
		}
	}
	return nil
}
