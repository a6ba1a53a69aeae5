package local

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/operate/disk"
	"earshot/internal/operate/integrity"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// planReadmission plans to use quarantined segments again whose files turn out to be readable, for
// example after a disk or its cable was replaced.
func planReadmission(ctx context.Context, dir string) ([]integrity.Repair, error) {
	var readable []string
	posts := 0
	err := eachStored(dir, recQuarantined, func(key, value []byte) error {
		var aside quarantinedRecord
		if err := json.Unmarshal(value, &aside); err != nil {
			return err
		}
		name := segmentName(readID(key, 0))
		rows, err := aside.verify(filepath.Join(quarantineDir(dir), name))
		if err == nil {
			posts += rows
			readable = append(readable, name)
		}
		return ctx.Err()
	})
	if err != nil || len(readable) == 0 {
		return nil, err
	}
	return []integrity.Repair{{
		Part: integrity.Posts,
		Summary: fmt.Sprintf("use %d quarantined segments with up to %d posts again, which are readable: %s",
			len(readable), posts, strings.Join(readable, ", ")),
		Apply: func(ctx context.Context) error { return readmit(ctx, dir, readable) },
	}}, nil
}

// verify returns the number of posts in the file of a quarantined segment, or an error if the file is
// damaged or another one.
func (q *quarantinedRecord) verify(path string) (rows int, err error) {
	if err := VerifyFile(path); err != nil {
		return 0, err
	}
	f, err := segment.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if q.Segment == nil {
		return f.Rows(), nil
	}
	return f.Rows(), q.Segment.matches(f)
}

// readmit lists quarantined segments again. Rows that were replaced or deleted in the meantime are
// marked as deleted, and the generations of sets are forgotten, so that monitors match all posts
// again.
func readmit(ctx context.Context, dir string, names []string) (err error) {
	db, err := openPebble(stateDir(dir), pebbleOptions(discardLog))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	a := &readmission{rebuild: rebuild{ctx: ctx, dir: dir, db: db, segments: map[uint64]*segment.Segment{}, dedupe: true}, again: map[uint64]bool{}}
	defer a.close()
	state, err := readState(db)
	if err != nil {
		return err
	}
	a.state = *state
	for _, step := range []func() error{a.openListed, func() error { return a.moveBack(names) }, a.deleteDuplicates, a.repeatDeletions, a.list} {
		if err := errors.Join(ctx.Err(), step()); err != nil {
			return err
		}
	}
	return createWitness(dir, a.state.witness())
}

// A readmission is a running readmit. It uses the parts of a rebuild that compare segments.
type readmission struct {
	rebuild
	again map[uint64]bool // segments to list again
}

func (a *readmission) openListed() error {
	return each(a.db, recSegment, func(key, _ []byte) error {
		id := readID(key, 0)
		f, err := segment.Open(filepath.Join(segmentDir(a.dir), segmentName(id)))
		if err != nil {
			return nil // Open quarantines it
		}
		a.segments[id] = f
		return nil
	})
}

// moveBack moves files back and opens them.
func (a *readmission) moveBack(names []string) error {
	for _, name := range names {
		id, ok := segmentID(name)
		if !ok {
			return fmt.Errorf("unknown segment %s", name)
		}
		path := filepath.Join(segmentDir(a.dir), name)
		if err := linkOrCopy(filepath.Join(quarantineDir(a.dir), name), path); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
		f, err := segment.Open(path)
		if err != nil {
			return err
		}
		a.segments[id], a.again[id] = f, true
	}
	return disk.Sync(segmentDir(a.dir))
}

// repeatDeletions applies the deletions since the segments were quarantined.
func (a *readmission) repeatDeletions() error {
	return each(a.db, recDeletion, func(key, value []byte) error {
		var d earshot.Deletion
		if err := json.Unmarshal(value, &d); err != nil {
			return err
		}
		for id := range a.again {
			if err := a.deleteFrom(id, d, earshot.Position(readID(key, 0))); err != nil {
				return err
			}
		}
		return nil
	})
}

// deleteFrom marks the posts of a segment as deleted that a deletion selects.
func (a *readmission) deleteFrom(id uint64, d earshot.Deletion, at earshot.Position) error {
	f := a.segments[id]
	rows, err := f.DeletionRows(context.Background(), d)
	if err != nil {
		return err
	}
	arrived, err := f.ArrivedUpTo(at)
	if err != nil {
		return err
	}
	rows.And(arrived)
	deleted, err := getRows(a.db, recID(recDeleted, id))
	if err != nil {
		return err
	}
	b := a.db.NewBatch()
	defer b.Close()
	if err := putRows(b, recID(recDeleted, id), roaring.Or(deleted, rows)); err != nil {
		return err
	}
	return b.Commit(pebble.NoSync)
}

// list writes the records and keys of the segments and forgets that they were quarantined.
func (a *readmission) list() error {
	b := a.db.NewBatch()
	defer b.Close()
	for id := range a.again {
		f := a.segments[id]
		deleted, err := getRows(a.db, recID(recDeleted, id))
		if err != nil {
			return err
		}
		if err := putKeys(a.db, f, deleted); err != nil {
			return err
		}
		if err := a.adopt(b, id, f); err != nil {
			return err
		}
		if err := b.Delete(recID(recQuarantined, id), nil); err != nil {
			return err
		}
		a.state.Segments++
	}
	if err := a.dropUnreadableOverrides(b); err != nil {
		return err
	}
	from, to := recKind(recGeneration)
	if err := b.DeleteRange(from, to, nil); err != nil {
		return err
	}
	if err := a.forgetDeletions(b); err != nil {
		return err
	}
	a.state.Commit++
	if err := putJSON(b, recID(recState), a.state); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	for id := range a.again {
		if err := os.Remove(filepath.Join(quarantineDir(a.dir), segmentName(id))); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	return nil
}

// forgetDeletions deletes the recorded deletions if no other segments are quarantined.
func (a *readmission) forgetDeletions(b *pebble.Batch) error {
	others := 0
	err := each(a.db, recQuarantined, func(key, _ []byte) error {
		if !a.again[readID(key, 0)] {
			others++
		}
		return nil
	})
	if err != nil || others > 0 {
		return err
	}
	from, to := recKind(recDeletion)
	return b.DeleteRange(from, to, nil)
}

// dropUnreadableOverrides removes overrides of the segments that are lost.
func (a *readmission) dropUnreadableOverrides(b *pebble.Batch) error {
	for id := range a.again {
		data, err := get(a.db, recID(recOverrideIndex, id))
		if err != nil {
			return err
		}
		overrides, err := readIndex(data)
		if err != nil {
			return err
		}
		kept := map[poststore.SetID]uint64{}
		for set, version := range overrides {
			rows, err := get(a.db, recID(recOverride, id, uint64(set), version))
			if err != nil {
				return err
			}
			if rows != nil {
				kept[set] = version
			}
		}
		if err := putIndex(b, id, kept); err != nil {
			return err
		}
	}
	return nil
}
