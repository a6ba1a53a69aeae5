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

// load makes the first view of what is on disk.
func (s *Store) load() error {
	state, err := s.loadState()
	if err != nil {
		return err
	}
	s.durable.Store(uint64(state.Position))
	s.lastID.Store(state.LastID)
	if err := s.loadCompared(); err != nil {
		return err
	}
	if err := each(s.db, recAside, func(key, value []byte) error {
		id := readID(key, 0)
		s.knowID(id)
		if err := s.moveAside(id); err != nil { // a crash came before
			return err
		}
		var aside poststore.Quarantined
		err := json.Unmarshal(value, &aside)
		s.setAside = append(s.setAside, aside)
		return err
	}); err != nil {
		return err
	}
	parts, bad, err := s.loadParts()
	if err != nil {
		return err
	}
	generations, err := s.loadSetGenerations()
	if err != nil {
		return err
	}
	s.publishSets(parts, state.Position, generations)
	for _, d := range bad {
		if err := s.putAside(d); err != nil {
			return err
		}
	}
	if state.Format < format {
		from, to := recKind(recOldDay)
		if err := s.db.DeleteRange(from, to, pebble.NoSync); err != nil {
			return err
		}
	}
	return s.removeDebris()
}

func (s *Store) loadState() (stateRecord, error) {
	state := stateRecord{Format: format}
	data, err := get(s.db, recID(recState))
	if err != nil || data == nil {
		return state, err
	}
	if err := json.Unmarshal(data, &state); err != nil {
		return state, fmt.Errorf("read the state: %w", err)
	}
	if state.Format > format {
		return state, fmt.Errorf("the posts were written by a newer version of Earshot (format %d, this one knows %d)", state.Format, format)
	}
	return state, nil
}

// loadParts opens the files that are listed, and tells which of them are damaged.
func (s *Store) loadParts() (parts []*part, bad []*damage, err error) {
	byID := map[uint64]*part{}
	err = each(s.db, recFile, func(key, value []byte) error {
		var r fileRecord
		if err := json.Unmarshal(value, &r); err != nil {
			return err
		}
		p := &part{id: readID(key, 0), rows: r.Rows, plain: r.Plain, first: time.Unix(r.First, 0), last: time.Unix(r.After, 0)}
		s.knowID(p.id)
		byID[p.id] = p
		var problem error
		if p.file, problem = segment.Open(s.path(p.id)); problem == nil && p.file.Rows() != r.Rows {
			problem = fmt.Errorf("%s has %d posts, %d were written", p.file.Path(), p.file.Rows(), r.Rows)
		}
		switch {
		case problem == nil:
			parts = append(parts, p)
		case isDamage(problem) || p.file != nil:
			bad = append(bad, &damage{p, problem})
		default:
			return problem
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	if err := s.loadGone(byID); err != nil {
		return nil, nil, err
	}
	if err := s.loadTouched(byID); err != nil {
		return nil, nil, err
	}
	return parts, bad, s.loadMarks(byID)
}

// isDamage reports whether an error of opening a file is about that file, and not about
// the system.
func isDamage(err error) bool {
	var corrupt *colfile.CorruptError
	return errors.As(err, &corrupt) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, colfile.ErrVersion)
}

func (s *Store) loadGone(parts map[uint64]*part) error {
	return each(s.db, recGone, func(key, value []byte) error {
		p := parts[readID(key, 0)]
		if p == nil {
			return nil
		}
		rows, err := readRows(append([]byte{}, value...))
		p.gone, p.goneID = rows, s.newID()
		return err
	})
}

func (s *Store) loadMarks(parts map[uint64]*part) error {
	return each(s.db, recIndex, func(key, value []byte) error {
		if p := parts[readID(key, 0)]; p != nil {
			p.marks = readIndex(value)
			for _, version := range p.marks {
				s.knowID(version)
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
		s.knowID(generation)
		return nil
	})
	return generations, err
}

// removeDebris removes the files that a crash left behind.
func (s *Store) removeDebris() error {
	entries, err := os.ReadDir(s.segments())
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, p := range s.current.Load().parts {
		known[fileName(p.id)] = true
	}
	for _, e := range entries {
		name := e.Name()
		ours := strings.HasSuffix(name, fileSuffix) || strings.HasSuffix(name, fileSuffix+colfile.TempSuffix)
		if ours && !known[name] {
			if err := os.Remove(s.segments() + string(os.PathSeparator) + name); err != nil {
				return err
			}
		}
	}
	return nil
}
