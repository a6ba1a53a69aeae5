package local

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	s.durable.Store(uint64(state.Position))
	s.lastID.Store(state.LastID)
	if err := s.loadCountersAt(); err != nil {
		return err
	}
	if err := each(s.db, recQuarantined, func(key, value []byte) error {
		id := readID(key, 0)
		s.reserveID(id)
		if err := s.moveToQuarantine(id); err != nil { // in case of a crash before the file was moved
			return err
		}
		var aside poststore.Quarantined
		err := json.Unmarshal(value, &aside)
		s.quarantined = append(s.quarantined, aside)
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
	return s.removeDebris()
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
	state := stateRecord{Format: format}
	data, err := get(s.db, recID(recState))
	if err != nil || data == nil {
		return state, err
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return state, fmt.Errorf("read state record: %w", err)
	}
	if state.Format > format {
		return state, fmt.Errorf("the posts were written by a newer version of Earshot (format %d, this version supports up to %d): upgrade Earshot", state.Format, format)
	}
	return state, nil
}

// loadSegments opens the segments recorded in Pebble. It returns damaged ones separately.
func (s *Store) loadSegments() (segments []*segmentState, bad []*damageError, err error) {
	byID := map[uint64]*segmentState{}
	err = each(s.db, recSegment, func(key, value []byte) error {
		var r segmentRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		p := &segmentState{id: readID(key, 0), rows: r.Rows, uncompressed: r.Plain, first: time.Unix(r.First, 0), last: time.Unix(r.After, 0)}
		s.reserveID(p.id)
		byID[p.id] = p
		var problem error
		if p.data, problem = segment.Open(s.path(p.id)); problem == nil && p.data.Rows() != r.Rows {
			problem = fmt.Errorf("segment %s has %d posts, want %d", p.data.Path(), p.data.Rows(), r.Rows)
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
		p.deleted, p.deletedVersion = rows, s.newID()
		return err
	})
}

func (s *Store) loadOverrides(segments map[uint64]*segmentState) error {
	return each(s.db, recOverrideIndex, func(key, value []byte) error {
		if p := segments[readID(key, 0)]; p != nil {
			p.overrides = readIndex(value)
			for _, version := range p.overrides {
				s.reserveID(version)
			}
		}
		return nil
	})
}

func (s *Store) loadSetGenerations() (map[poststore.SetID]uint64, error) {
	generations := map[poststore.SetID]uint64{}
	err := each(s.db, recSetGen, func(key, value []byte) error {
		generation, _ := binary.Uvarint(value)
		generations[poststore.SetID(readID(key, 0))] = generation
		s.reserveID(generation)
		return nil
	})
	return generations, err
}

// removeDebris removes files left behind by a crash.
func (s *Store) removeDebris() error {
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
		ours := strings.HasSuffix(name, segmentSuffix) || strings.HasSuffix(name, segmentSuffix+colfile.TempSuffix)
		if ours && !known[name] {
			if err := os.Remove(s.segmentDir() + string(os.PathSeparator) + name); err != nil {
				return err
			}
		}
	}
	return nil
}
