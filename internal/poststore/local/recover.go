package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/poststore/local/segment"
)

// load reads the state on disk and publishes the first view.
func (s *Store) load() error {
	state, err := s.loadState()
	if err != nil {
		return err
	}
	s.state = state
	s.durable.Store(uint64(state.Position))
	s.lastID.Store(state.LastID)
	s.revision.Store(state.Revision)
	if s.installation == "" {
		s.installation = state.Installation
	}
	if err := s.prepareWitness(); err != nil {
		return err
	}
	if err := s.loadCountersAt(); err != nil {
		return err
	}
	if err := each(s.db, recQuarantined, func(key, value []byte) error {
		id := readID(key, 0)
		s.reserveID(id)
		if err := s.moveToQuarantine(id); err != nil { // in case of a crash before the file was moved
			return err
		}
		var aside quarantinedRecord
		err := json.Unmarshal(value, &aside)
		s.quarantined = append(s.quarantined, aside.Quarantined)
		return err
	}); err != nil {
		return err
	}
	segments, bad, err := s.loadSegments()
	if err != nil {
		return err
	}
	generations, err := s.loadSetGenerations()
	if err != nil {
		return err
	}
	s.publishSets(segments, state.Position, generations)
	for _, d := range bad {
		if err := s.quarantine(d); err != nil {
			return err
		}
	}
	if err := s.dropOldCaches(); err != nil {
		return err
	}
	if err := s.removeDebris(state); err != nil {
		return err
	}
	return s.adopt(state)
}

// prepareWitness opens the witness file. It creates the file in a new store and in one that an
// earlier version wrote, and repairs a slot that was being written during a power loss.
func (s *Store) prepareWitness() error {
	w, err := readWitness(s.dir)
	if err != nil || w.torn || w.Commit < s.state.Commit {
		if err := createWitness(s.dir, s.state.witness()); err != nil {
			return err
		}
	}
	s.witness, err = openWitness(s.dir)
	return err
}

// adopt writes the first counted commit of a store, and records the installation. It raises the format
// of a store that an earlier version wrote.
func (s *Store) adopt(state stateRecord) error {
	if state.Commit > 0 && state.Format == Format && state.Installation == s.installation {
		return nil
	}
	if state.Format < Format {
		s.log.Info("raising the format of the data directory; older versions of Earshot will refuse it", "from", state.Format, "to", Format)
	}
	b := s.db.NewBatch()
	defer b.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commitSynced(b, s.Durable(), 0)
}

// dropOldCaches deletes caches that earlier versions wrote.
func (s *Store) dropOldCaches() error {
	found := errors.New("found")
	for _, letter := range oldCaches {
		err := each(s.db, letter, func(_, _ []byte) error { return found })
		if errors.Is(err, found) {
			from, to := recKind(letter)
			err = s.db.DeleteRange(from, to, pebble.NoSync)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) loadState() (stateRecord, error) {
	data, err := get(s.db, recID(recState))
	if err != nil {
		return stateRecord{}, err
	}
	return decodeState(data)
}

// loadSegments opens the segments recorded in Pebble. It returns damaged ones separately.
func (s *Store) loadSegments() (segments []*segmentState, bad []*damageError, err error) {
	byID := map[uint64]*segmentState{}
	err = each(s.db, recSegment, func(key, value []byte) error {
		var r segmentRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		p := &segmentState{id: readID(key, 0), rows: r.Rows, checksum: r.Checksum, uncompressed: r.Plain, first: time.Unix(r.First, 0), last: time.Unix(r.After, 0)}
		s.reserveID(p.id)
		byID[p.id] = p
		var problem error
		if p.data, problem = segment.Open(s.path(p.id)); problem == nil {
			problem = r.matches(p.data)
		}
		switch {
		case problem == nil:
			segments = append(segments, p)
		case isDamage(problem) || p.data != nil:
			bad = append(bad, &damageError{p, problem})
		default:
			return problem
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	s.state.Segments = len(byID)
	if err := s.loadDeleted(byID); err != nil {
		return nil, nil, err
	}
	if err := s.loadModified(byID); err != nil {
		return nil, nil, err
	}
	return segments, bad, s.loadOverrides(byID)
}

// isDamage reports whether an error from opening a segment means that its file is damaged or
// missing, as opposed to a system error.
func isDamage(err error) bool {
	var corrupt *colfile.CorruptError
	return errors.As(err, &corrupt) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, colfile.ErrVersion)
}

func (s *Store) loadDeleted(segments map[uint64]*segmentState) error {
	return each(s.db, recDeleted, func(key, value []byte) error {
		p := segments[readID(key, 0)]
		if p == nil {
			return nil
		}
		rows, err := readRows(append([]byte{}, value...))
		p.deleted, p.deletedOnDisk, p.deletedVersion = rows, rows, s.newID()
		return err
	})
}

func (s *Store) loadOverrides(segments map[uint64]*segmentState) error {
	return each(s.db, recOverrideIndex, func(key, value []byte) error {
		overrides, err := readIndex(value)
		for _, version := range overrides {
			s.reserveID(version)
		}
		if p := segments[readID(key, 0)]; p != nil {
			p.overrides = overrides
		}
		return err
	})
}

func (s *Store) loadSetGenerations() (map[poststore.SetID]uint64, error) {
	generations := map[poststore.SetID]uint64{}
	err := each(s.db, recSetGen, func(key, value []byte) error {
		generation, n := binary.Uvarint(value)
		if n <= 0 {
			return fmt.Errorf("decode the generation of a category set: %d bytes", len(value))
		}
		generations[poststore.SetID(readID(key, 0))] = generation
		s.reserveID(generation)
		return nil
	})
	return generations, err
}

// removeDebris removes the files of segments that were being written during a crash, and of those
// that a compaction replaced. Any other file that Pebble does not list may be the only copy of some
// posts: it is quarantined. state is the state on startup.
func (s *Store) removeDebris(state stateRecord) error {
	obsolete := map[string]bool{}
	err := each(s.db, recObsolete, func(key, _ []byte) error {
		obsolete[segmentName(readID(key, 0))] = true
		return nil
	})
	if err != nil {
		return err
	}
	entries, err := os.ReadDir(s.segmentDir())
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range s.current.Load().segments {
		known[segmentName(p.id)] = true
	}
	for _, e := range entries {
		name := e.Name()
		id, isSegment := segmentID(name)
		switch {
		case known[name]:
			continue
		case isSegment && id <= state.LastID && !obsolete[name] && state.Commit > 0:
			err = s.quarantineUnlisted(id)
		case isSegment, strings.HasSuffix(name, segmentSuffix+colfile.TempSuffix):
			err = os.Remove(filepath.Join(s.segmentDir(), name))
		}
		if err != nil {
			return err
		}
	}
	if len(obsolete) == 0 {
		return nil
	}
	from, to := recKind(recObsolete)
	return s.db.DeleteRange(from, to, pebble.NoSync)
}
