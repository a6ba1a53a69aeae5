package local

import (
	"github.com/cockroachdb/pebble/v2"

	"earshot"
)

// commitSynced commits b with a new state record and then writes the witness of the commit. b adds
// the given number of segmentRecords, or removes them. The caller holds s.mu. When it returns,
// everything that was committed before without a sync is on disk, too, because Pebble writes and
// replays its log in order.
func (s *Store) commitSynced(b *pebble.Batch, durable earshot.Position, added int) error {
	next := stateRecord{
		Format: Format, Position: durable, LastID: s.lastID.Load(), Commit: s.state.Commit + 1, Segments: s.state.Segments + added,
		Installation: s.installation, Revision: s.state.Revision,
	}
	if s.catalogRevision != nil {
		next.Revision = max(next.Revision, s.catalogRevision())
	}
	if err := putJSON(b, recID(recState), next); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	s.state = next
	s.revision.Store(next.Revision)
	if err := s.witness.write(next.witness()); err != nil {
		// The commit is on disk, so it cannot fail anymore. The next one writes a witness again.
		s.log.Error("could not record the last commit; damage to it would not be found", "error", err)
	}
	return nil
}

// witness returns the witness of the commit that wrote the record.
func (r *stateRecord) witness() witness {
	return witness{Commit: r.Commit, Position: r.Position, Segments: uint64(r.Segments), Revision: r.Revision, Installation: r.Installation}
}

// CatalogRevision returns the highest revision of the catalog that the store has seen when it wrote
// to disk. A catalog with a lower revision is older than the posts.
func (s *Store) CatalogRevision() uint64 { return s.revision.Load() }

// Installation returns the id of the installation that the posts belong to, or "" if it is not
// known.
func (s *Store) Installation() string { return s.installation }

// newSegmentID returns the id of a segment that is about to be written. Until the segment is
// committed, its file can be removed.
func (s *Store) newSegmentID() (uint64, error) {
	id := s.newID()
	return id, s.db.Set(recID(recObsolete, id), nil, pebble.NoSync)
}

// putObsolete records that the file of a segment can be removed.
func putObsolete(b *pebble.Batch, p *segmentState) error {
	if p.inMemory {
		return nil
	}
	return b.Set(recID(recObsolete, p.id), nil, nil)
}
