package local

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Sample implements [poststore.Reader]. If a segment turns out to be damaged after posts have been
// visited, Sample fails once and the segment is quarantined.
func (s *Store) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (posts int64, err error) {
	if sample < 0 {
		return 0, errSample
	}
	if err := s.sampling.Acquire(ctx, 1); err != nil {
		return 0, err
	}
	defer s.sampling.Release(1)
	visited := false
	err = s.query(ctx, func(v *view) error {
		if visited {
			return errVisited
		}
		chosen, total, err := s.sample(ctx, v, &of, sample)
		if err != nil {
			return err
		}
		posts = total
		pieces := piecesOf(chosen)
		return visitPieces(ctx, len(pieces), func(i int) ([]earshot.Post, error) { return pieces[i].posts() }, func(p earshot.Post) {
			visited = true
			of.Corrections.Apply(&p)
			visit(&p)
		})
	})
	if err != nil {
		return 0, err
	}
	return posts, nil
}

// posts reads the posts of the rows.
func (s *sampledRows) posts() (posts []earshot.Post, err error) {
	err = reading(s.segmentState, func() (err error) {
		posts, err = s.data.Posts(s.rows)
		return err
	})
	return posts, err
}
