package local

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// Similar implements [poststore.Reader]. It reads only dictionaries and posting lists.
func (s *Store) Similar(ctx context.Context, of poststore.Selection, word string, edits, limit int) (found []poststore.Spelling, err error) {
	plain, err := enginekit.CheckSimilar(word, edits, limit)
	if err != nil {
		return nil, err
	}
	err = s.query(ctx, func(v *view) error {
		parts := make([][]poststore.Spelling, len(v.segments))
		err := s.eachSegment(ctx, v, &of, func(i int, p *segmentState, rows *roaring.Bitmap) (err error) {
			parts[i], err = p.data.Similar(ctx, rows, plain, edits)
			return err
		})
		if err != nil {
			return err
		}
		found = enginekit.FirstSpellings(mergeSpellings(parts), limit)
		return nil
	})
	return found, err
}

// mergeSpellings adds up the posts of each word.
func mergeSpellings(parts [][]poststore.Spelling) (all []poststore.Spelling) {
	at := map[string]int{}
	for _, part := range parts {
		for _, w := range part {
			i, known := at[w.Word]
			if !known {
				at[w.Word] = len(all)
				all = append(all, w)
				continue
			}
			all[i].Posts += w.Posts
		}
	}
	return all
}
