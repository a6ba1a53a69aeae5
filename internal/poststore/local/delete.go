package local

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
)

// Delete implements poststore.Store.
func (s *Store) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.change(at, func(v *view) ([]*part, error) {
		return s.remove(v.parts, func(p *part) (*roaring.Bitmap, error) {
			rows, err := p.file.Named(d)
			if err != nil {
				return nil, err
			}
			if p.gone != nil {
				rows.AndNot(p.gone)
			}
			if rows.IsEmpty() {
				return nil, nil
			}
			keys, err := p.file.Keys(rows)
			if err != nil {
				return nil, err
			}
			for key := range keys {
				s.pending.remove(key)
			}
			return rows, nil
		})
	}, nil)
}
