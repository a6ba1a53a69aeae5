package local

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Sample implements [poststore.Reader]. If a segment turns out to be damaged after posts have been
// visited, Sample fails once and the segment is quarantined.
func (s *Store) Sample(ctx context.Context, of poststore.Selection, sample int, visit func(*earshot.Post)) (posts int64, err error) {
	return s.readSample(ctx, &of, sample, func(chosen []sampledRows, visited *bool) error {
		pieces := piecesOf(chosen)
		return visitPieces(ctx, len(pieces), func(i int) ([]earshot.Post, error) { return pieces[i].posts() }, func(p earshot.Post) {
			*visited = true
			of.Corrections.Apply(&p)
			visit(&p)
		})
	})
}

// readSample calls read with a sample, again if a segment was quarantined before read set visited. It
// returns the number of selected posts.
func (s *Store) readSample(ctx context.Context, of *poststore.Selection, sample int, read func(chosen []sampledRows, visited *bool) error) (posts int64, err error) {
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
		chosen, total, err := s.sample(ctx, v, of, sample)
		if err != nil {
			return err
		}
		posts = total
		return read(chosen, &visited)
	})
	if err != nil {
		return 0, err
	}
	return posts, nil
}

func (s *sampledRows) posts() (posts []earshot.Post, err error) {
	err = reading(s.segmentState, func() (err error) {
		posts, err = s.data.Posts(s.rows)
		return err
	})
	return posts, err
}
