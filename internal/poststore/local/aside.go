package local

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/cockroachdb/pebble/v2"

	"earshot/internal/poststore"
)

// putAside takes a damaged part out of the view and keeps its file for those who want to
// look at it. The posts in it are missing from every answer from now on, which Stats tells.
func (s *Store) putAside(d *damage) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.putAsideLocked(d)
}

// putAsideLocked is putAside for those who hold s.mu.
func (s *Store) putAsideLocked(d *damage) error {
	v := s.current.Load()
	p := v.find(d.part.id)
	if p == nil && s.isAside(d.part.id) {
		return nil // by someone else meanwhile
	}
	if p != nil {
		d.part = p
	}
	if d.part.fresh {
		return fmt.Errorf("posts in memory cannot be read: %v", d.err) // which no disk can cause
	}
	aside := poststore.Quarantined{Name: fileName(d.part.id), Posts: d.part.live(), Since: s.now().UTC(), Reason: d.err.Error()}
	s.log.Error("a file of posts is damaged and set aside; answers lack its posts", "file", aside.Name, "posts", aside.Posts, "error", d.err)
	b := s.db.NewBatch()
	defer b.Close()
	if err := setJSON(b, recID(recAside, d.part.id), aside); err != nil {
		return err
	}
	if err := s.forget(b, d.part); err != nil {
		return err
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return err
	}
	delete(s.dirty, d.part.id)
	s.setAside = append(s.setAside, aside)
	parts := make([]*part, 0, len(v.parts))
	for _, p := range v.parts {
		if p.id != d.part.id {
			parts = append(parts, p)
		}
	}
	s.publish(parts, v.position)
	if d.part.file != nil {
		d.part.file.Close()
	}
	return s.moveAside(d.part.id)
}

func (s *Store) isAside(id uint64) bool {
	return slices.ContainsFunc(s.setAside, func(a poststore.Quarantined) bool { return a.Name == fileName(id) })
}

// moveAside moves a damaged file out of the way, if it is still there.
func (s *Store) moveAside(id uint64) error {
	err := os.Rename(s.path(id), filepath.Join(s.damaged(), fileName(id)))
	if os.IsNotExist(err) {
		return nil
	}
	return err
}

// forget removes what Pebble has of a file.
func (s *Store) forget(b *pebble.Batch, p *part) error {
	if p.fresh {
		return nil
	}
	for _, letter := range []byte{recFile, recGone, recIndex, recEver, recTouched} {
		if err := b.Delete(recID(letter, p.id), nil); err != nil {
			return err
		}
	}
	for monitor, version := range p.marks {
		if err := b.Delete(recID(recMarks, p.id, uint64(monitor), version), nil); err != nil {
			return err
		}
	}
	return nil
}
