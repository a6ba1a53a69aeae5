package local

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/pebblefile"
	"earshot/internal/poststore/local/segment"
)

var discardLog = slog.New(slog.DiscardHandler)

// A rebuild builds a database from the readable records of a damaged one and from segments.
type rebuild struct {
	ctx    context.Context
	dir    string
	source string // directory of the damaged database
	db     *pebble.DB
	keys   bool // include the keys of posts

	journal earshot.Position // the journal has all later entries

	report     *pebblefile.Report
	records    int         // readable records
	malformed  int         // records that cannot be decoded
	incomplete bool        // changes of any kind may be missing, not only those in report.Gaps
	before     stateRecord // as found; zero if there is none
	state      stateRecord // as written
	adopted    []uint64    // segments whose records are lost
	dropped    []uint64    // segments that a compaction seems to have replaced
	segments   map[uint64]*segment.Segment
	dedupe     bool
	rematch    bool
	unreadable []string // segment files that are damaged
}

func (r *rebuild) run() error {
	defer r.close()
	for _, step := range []func() error{
		r.salvage, r.findState, r.openSegments, r.chooseSegments, r.deleteDuplicates, r.writeKeys,
		r.repairSets, r.repairCounters, r.repairQuarantine, r.writeState,
	} {
		if err := errors.Join(r.ctx.Err(), step()); err != nil {
			return err
		}
	}
	return nil
}

func (r *rebuild) close() {
	for _, f := range r.segments {
		f.Close()
	}
}

// salvage copies every readable record except caches.
func (r *rebuild) salvage() error {
	b := r.db.NewBatch()
	defer func() { b.Close() }()
	var err error
	r.report, err = pebblefile.Salvage(r.ctx, r.source, func(key, value []byte) error {
		if err := checkRecord(key, value); err != nil {
			r.malformed++
			return nil
		}
		r.records++
		switch letter := key[0]; {
		case letter == recDayCounts, letter == recChangedDay, slices.Contains(oldCaches, letter), letter == recKey && !r.keys:
			return nil
		}
		if err := b.Set(key, value, nil); err != nil || b.Len() < 1<<20 {
			return err
		}
		err := b.Commit(pebble.NoSync)
		b.Close()
		b = r.db.NewBatch()
		return err
	})
	if err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// affected reports whether records of a kind may be missing or outdated.
func (r *rebuild) affected(letters ...byte) bool {
	if r.incomplete || r.malformed > 0 {
		return true
	}
	return slices.ContainsFunc(r.report.Gaps, func(g pebblefile.Gap) bool {
		return slices.ContainsFunc(letters, g.Covers)
	})
}

// findState determines how complete the records are, and the position from which the journal
// continues: an earlier one if in doubt, because entries may be stored twice.
func (r *rebuild) findState() error {
	data, err := get(r.db, recID(recState))
	if err != nil {
		return err
	}
	if data != nil {
		if r.before, err = decodeState(data); err != nil {
			return err
		}
	}
	w, err := readWitness(r.dir)
	known := err == nil
	stateLost := slices.ContainsFunc(r.report.Gaps, func(g pebblefile.Gap) bool { return g.Covers(recState) })
	r.incomplete = r.report.Unlisted || r.report.Missing > 0 ||
		known && r.before.Commit < w.Commit && !stateLost ||
		!known && r.report.TornLog
	r.state = r.before
	if stateLost && known && !r.incomplete {
		r.state.Position = w.Position
	}
	r.state.Position = max(r.state.Position, r.journal) // earlier entries are in segments
	r.state.Format = Format
	r.state.Commit = max(r.before.Commit, w.Commit) + 1
	r.state.Revision = max(r.before.Revision, w.Revision)
	if r.state.Installation == "" {
		r.state.Installation = w.Installation
	}
	return nil
}

// openSegments opens all intact segment files.
func (r *rebuild) openSegments() error {
	r.segments = map[uint64]*segment.Segment{}
	paths, err := filepath.Glob(filepath.Join(segmentDir(r.dir), "*"+segmentSuffix))
	if err != nil {
		return err
	}
	for _, path := range paths {
		id, ok := segmentID(filepath.Base(path))
		if !ok {
			continue
		}
		r.state.LastID = max(r.state.LastID, id)
		f, err := segment.Open(path)
		if err == nil {
			if err = reading(&segmentState{data: f}, f.Verify); err != nil {
				f.Close()
			}
		}
		if err != nil {
			r.unreadable = append(r.unreadable, path)
			continue
		}
		r.segments[id] = f
	}
	return nil
}

// chooseSegments decides which segments the new database lists. If the list may be outdated, it
// adds segments without records, and removes segments that were replaced.
func (r *rebuild) chooseSegments() error {
	listed := map[uint64]segmentRecord{}
	err := each(r.db, recSegment, func(key, value []byte) error {
		var record segmentRecord
		err := json.Unmarshal(value, &record)
		listed[readID(key, 0)] = record
		return err
	})
	if err != nil {
		return err
	}
	outdated := r.affected(recSegment, recObsolete)
	r.dedupe = outdated || r.affected(recDeleted)
	if outdated { // a segment that is listed as obsolete may have been committed since
		if err := deleteKind(r.db, recObsolete); err != nil {
			return err
		}
	}
	b := r.db.NewBatch()
	defer b.Close()
	for id, f := range r.segments {
		record, ok := listed[id]
		switch {
		case ok && record.matches(f) == nil:
			continue
		case !outdated:
			f.Close() // Open decides what to do with it
			delete(r.segments, id)
			continue
		}
		if err := r.adopt(b, id, f); err != nil {
			return err
		}
		listed[id] = segmentRecord{}
	}
	for id, record := range listed {
		if r.segments[id] == nil && outdated && r.wasReplaced(id, record) {
			r.dropped = append(r.dropped, id)
			delete(listed, id)
			if err := deleteSegmentRecords(b, id); err != nil {
				return err
			}
		}
		r.state.LastID = max(r.state.LastID, id)
	}
	r.state.Segments = len(listed)
	return b.Commit(pebble.NoSync)
}

// adopt lists a segment again.
func (r *rebuild) adopt(b *pebble.Batch, id uint64, f *segment.Segment) error {
	first, last, err := f.TimeRange()
	if err != nil {
		return err
	}
	p := &segmentState{id: id, data: f, rows: f.Rows(), checksum: f.Checksum(), first: first, last: last}
	r.adopted = append(r.adopted, id)
	return putJSON(b, recID(recSegment, id), p.record())
}

// wasReplaced reports whether a segment whose file is missing seems to have been compacted: a newer
// segment without a record covers its time.
func (r *rebuild) wasReplaced(id uint64, record segmentRecord) bool {
	return slices.ContainsFunc(r.adopted, func(newer uint64) bool {
		first, last, err := r.segments[newer].TimeRange()
		return newer > id && err == nil && first.Unix() <= record.First && record.After <= last.Unix()+1
	})
}

func deleteSegmentRecords(b *pebble.Batch, id uint64) error {
	for _, letter := range []byte{recSegment, recDeleted, recOverrideIndex, recEverMatched, recModified} {
		if err := b.Delete(recID(letter, id), nil); err != nil {
			return err
		}
	}
	return b.DeleteRange(recID(recOverride, id), recID(recOverride, id+1), nil)
}

// repairSets removes references to overrides that are lost. If any records about sets may be
// missing, it forgets the generations of all sets, so that monitors match all posts again.
func (r *rebuild) repairSets() error {
	b := r.db.NewBatch()
	defer b.Close()
	r.rematch = len(r.adopted) > 0 || r.affected(recOverride, recOverrideIndex, recEverMatched, recGeneration, recSetGen)
	err := each(r.db, recOverrideIndex, func(key, value []byte) error {
		overrides, err := readIndex(value)
		if err != nil {
			return err
		}
		id, changed := readID(key, 0), false
		for set, version := range overrides {
			r.state.LastID = max(r.state.LastID, version)
			rows, err := get(r.db, recID(recOverride, id, uint64(set), version))
			if err != nil {
				return err
			}
			if rows == nil {
				delete(overrides, set)
				changed = true
			}
		}
		if !changed {
			return nil
		}
		r.rematch = true
		return putIndex(b, id, overrides)
	})
	if err != nil {
		return err
	}
	if r.rematch {
		from, to := recKind(recGeneration)
		if err := b.DeleteRange(from, to, nil); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// repairCounters restores one of the two copies of counter changes from the other.
func (r *rebuild) repairCounters() error {
	byTime, byPosted := r.affected(recChangeByTime), r.affected(recChangeByPosted)
	if byTime == byPosted {
		if !byTime {
			return nil
		}
		return errors.Join(r.copyChanges(recChangeByTime, recChangeByPosted), r.copyChanges(recChangeByPosted, recChangeByTime))
	}
	from, to := byte(recChangeByTime), byte(recChangeByPosted)
	if byTime {
		from, to = to, from
	}
	return errors.Join(deleteKind(r.db, to), r.copyChanges(from, to))
}

// copyChanges adds missing counter changes. The last two numbers in the keys of the two kinds are
// in reverse order.
func (r *rebuild) copyChanges(from, to byte) error {
	b := r.db.NewBatch()
	defer b.Close()
	err := each(r.db, from, func(key, value []byte) error {
		other := recID(to, readID(key, 0), readID(key, 2), readID(key, 1))
		existing, err := get(r.db, other)
		if err != nil || existing != nil {
			return err
		}
		return b.Set(other, value, nil)
	})
	if err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// repairQuarantine records files in the quarantine directory whose records are lost.
func (r *rebuild) repairQuarantine() error {
	paths, err := filepath.Glob(filepath.Join(quarantineDir(r.dir), "*"+segmentSuffix))
	if err != nil {
		return err
	}
	for _, path := range paths {
		id, ok := segmentID(filepath.Base(path))
		if !ok {
			continue
		}
		r.state.LastID = max(r.state.LastID, id)
		known, err := get(r.db, recID(recQuarantined, id))
		if err != nil {
			return err
		}
		if known != nil {
			continue
		}
		data, err := json.Marshal(quarantinedRecord{Quarantined: poststore.Quarantined{Name: segmentName(id), Reason: "its record was lost"}})
		if err != nil {
			return err
		}
		if err := r.db.Set(recID(recQuarantined, id), data, pebble.NoSync); err != nil {
			return err
		}
	}
	return nil
}

// writeState writes the state record, and the position of counters if it is lost.
func (r *rebuild) writeState() error {
	b := r.db.NewBatch()
	defer b.Close()
	at, err := get(r.db, recID(recCountersAt))
	if err != nil {
		return err
	}
	if at == nil {
		if err := b.Set(recID(recCountersAt), binary.AppendUvarint(nil, uint64(r.state.Position)), nil); err != nil {
			return err
		}
	}
	r.state.LastID += 1 << 20 // ids of lost records are not used again
	if err := putJSON(b, recID(recState), r.state); err != nil {
		return err
	}
	return b.Commit(pebble.Sync)
}
