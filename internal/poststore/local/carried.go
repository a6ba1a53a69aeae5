package local

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// Figures that a post takes over from the one it replaces are written with what the entry changes,
// until the post is on disk: when the entry is read again after a crash, the old post may be
// gone.

// carry notes what a post takes over from an old one.
func (c *comparison) carry(k segment.Key, old, new *earshot.Post) {
	figures := earshot.Post{Likes: new.Likes, Shares: new.Shares, Comments: new.Comments}
	if enginekit.InheritCounters(old, &figures) {
		c.carried[k] = figures
	}
}

// complete has the posts of rows state what they take over.
func (c *comparison) complete(rows []segment.Row) {
	for i := range rows {
		if figures, ok := c.carried[rows[i].Key]; ok {
			p := *rows[i].Post // it is the caller's
			enginekit.InheritCounters(&figures, &p)
			rows[i].Post = &p
		}
	}
}

func setCarried(b *pebble.Batch, at earshot.Position, carried map[segment.Key]earshot.Post) error {
	for key, p := range carried {
		var data []byte
		for _, count := range []earshot.Count{p.Likes, p.Shares, p.Comments} {
			plusOne := uint64(0)
			if n, stated := count.Value(); stated {
				plusOne = uint64(n) + 1
			}
			data = binary.AppendUvarint(data, plusOne)
		}
		if err := b.Set(append(recID(recInherited, uint64(at)), key[:]...), data, nil); err != nil {
			return err
		}
	}
	return nil
}

// readCarried reads what the posts of an entry take over.
func (s *Store) readCarried(at earshot.Position, carried map[segment.Key]earshot.Post) (err error) {
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: recID(recInherited, uint64(at)), UpperBound: recID(recInherited, uint64(at)+1)})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		data, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		var p earshot.Post
		for _, count := range []*earshot.Count{&p.Likes, &p.Shares, &p.Comments} {
			plusOne, size := binary.Uvarint(data)
			if size <= 0 {
				return fmt.Errorf("read figures that a post takes over: %d bytes are left", len(data))
			}
			if data = data[size:]; plusOne > 0 {
				*count = earshot.Counted(int64(plusOne - 1))
			}
		}
		carried[segment.Key(it.Key()[1+8:])] = p
	}
	return it.Error()
}

// deleteInherited removes what was written for entries that are on disk.
func (f *flushBatch) deleteInherited(b *pebble.Batch) error {
	if !f.pending.inherited {
		return nil
	}
	return b.DeleteRange(recID(recInherited), recID(recInherited, uint64(f.position)+1), nil)
}
