package local

import (
	"context"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
)

// Histogram implements [poststore.Reader].
func (s *Store) Histogram(ctx context.Context, of poststore.Selection, starts []time.Time) (counts []int64, err error) {
	n := max(len(starts)-1, 0)
	if n == 0 {
		return []int64{}, ctx.Err()
	}
	of.From, of.To = starts[0], starts[n]
	err = s.query(ctx, func(v *view) error {
		parts := make([][]int64, len(v.segments))
		err := s.eachSegment(ctx, v, &of, func(i int, p *segmentState, rows *roaring.Bitmap) (err error) {
			parts[i], err = p.data.Histogram(rows, starts)
			return err
		})
		if err != nil {
			return err
		}
		counts = make([]int64, n)
		for _, part := range parts {
			for d, posts := range part {
				counts[d] += posts
			}
		}
		return nil
	})
	return counts, err
}
