package segment

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/query"
)

// Similar returns the words of rows that are at most edits away from a plain word, in no particular
// order. It walks the sorted dictionary and skips what cannot be similar.
func (s *Segment) Similar(ctx context.Context, rows *roaring.Bitmap, word string, edits int) (found []poststore.Spelling, err error) {
	x, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	for plain, keys := range query.Similar(x, word, edits) {
		if err := x.stopped(); err != nil {
			return nil, err
		}
		var tokens []uint32
		for id, key := range x.Keys(keys.From, keys.To) {
			if t, ok := query.ParseKey(key); ok && t.Width == 1 {
				tokens = append(tokens, id)
			}
		}
		if n := x.Any(tokens, rows).GetCardinality(); n > 0 {
			found = append(found, poststore.Spelling{Word: string(plain), Edits: keys.Edits, Posts: int64(n)})
		}
	}
	return found, x.err
}
