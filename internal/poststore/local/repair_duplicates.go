package local

import (
	"encoding/binary"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore/local/segment"
)

// duplicatesAtOnce is the number of posts whose keys are compared at a time. More take more memory.
const duplicatesAtOnce = 4 << 20

// A version is the newest known version of a post.
type version struct {
	arrived earshot.Position
	segment uint64
	row     uint32
}

func (v version) newerThan(o version) bool {
	return v.arrived > o.arrived || v.arrived == o.arrived && v.segment > o.segment
}

// deleteDuplicates marks rows as deleted whose post has a newer version in another segment, in case
// the record that says so is lost. A version that is deleted counts, too, so that older versions do
// not come back.
func (r *rebuild) deleteDuplicates() error {
	if !r.dedupe {
		return nil
	}
	rows := 0
	deleted := map[uint64]*roaring.Bitmap{}
	for id, f := range r.segments {
		rows += f.Rows()
		known, err := getRows(r.db, recID(recDeleted, id))
		if err != nil {
			return err
		}
		known.RemoveRange(uint64(f.Rows()), 1<<32)
		deleted[id] = known
	}
	for part, parts := 0, rows/duplicatesAtOnce+1; part < parts; part++ {
		if err := r.deletePart(part, parts, deleted); err != nil {
			return err
		}
	}
	b := r.db.NewBatch()
	defer b.Close()
	for id, rows := range deleted {
		if err := putRows(b, recID(recDeleted, id), rows); err != nil {
			return err
		}
	}
	return b.Commit(pebble.NoSync)
}

// deletePart compares the posts whose keys are in one of several parts.
func (r *rebuild) deletePart(part, parts int, deleted map[uint64]*roaring.Bitmap) error {
	newest := map[segment.Key]version{}
	for _, id := range slices.Sorted(maps.Keys(r.segments)) {
		err := eachVersion(id, r.segments[id], func(key segment.Key, v version) {
			if int(binary.BigEndian.Uint32(key[:]))%parts != part {
				return
			}
			known, exists := newest[key]
			switch {
			case !exists:
				newest[key] = v
			case v.newerThan(known):
				deleted[known.segment].Add(known.row)
				newest[key] = v
			default:
				deleted[id].Add(v.row)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachVersion calls visit for each row of a segment.
func eachVersion(id uint64, f *segment.Segment, visit func(segment.Key, version)) error {
	return reading(&segmentState{data: f}, func() error {
		keys, err := f.Keys(nil)
		if err != nil {
			return err
		}
		arrived, err := f.Arrived()
		if err != nil {
			return err
		}
		row := uint32(0)
		for key := range keys {
			visit(key, version{arrived(row), id, row})
			row++
		}
		return nil
	})
}

// writeKeys writes the keys of all posts.
func (r *rebuild) writeKeys() error {
	if !r.keys {
		return nil
	}
	for id, f := range r.segments {
		deleted, err := getRows(r.db, recID(recDeleted, id))
		if err != nil {
			return err
		}
		if err := putKeys(r.db, f, deleted); err != nil {
			return err
		}
	}
	return nil
}

// putKeys writes the keys of the posts of a segment that are not deleted.
func putKeys(db *pebble.DB, f *segment.Segment, deleted *roaring.Bitmap) error {
	live := roaring.New()
	live.AddRange(0, uint64(f.Rows()))
	live.AndNot(deleted)
	keys, err := f.Keys(live)
	if err != nil {
		return err
	}
	b := db.NewBatch()
	defer func() { b.Close() }()
	for key, seconds := range keys {
		if err := b.Set(postKey(key), binary.AppendVarint(nil, int64(seconds-1<<63)), nil); err != nil {
			return err
		}
		if b.Len() < 1<<20 {
			continue
		}
		if err := b.Commit(pebble.NoSync); err != nil {
			return err
		}
		b.Close()
		b = db.NewBatch()
	}
	return b.Commit(pebble.NoSync)
}
