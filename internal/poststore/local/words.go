package local

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/postfile"
	"earshot/internal/poststore"
)

var errSample = errors.New("words of fewer than no posts")

// Words implements poststore.Store. Words of several calls may be the same string.
func (s *Store) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (posts int64, err error) {
	if sample < 0 {
		return 0, errSample
	}
	var all [][][]poststore.Word // nothing is visited before it is known that all can be read
	err = s.ask(ctx, func(v *view) error {
		chosen, total, err := s.sample(ctx, v, &of, sample)
		if err != nil {
			return err
		}
		posts = total
		all, err = readWords(ctx, chosen)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, some := range all {
		for _, words := range some {
			visit(words)
		}
	}
	return posts, nil
}

// A sampled is rows of a part, ascending.
type sampled struct {
	*part
	rows []uint32
}

// sample chooses the rows that have the least hashes, and counts all.
func (s *Store) sample(ctx context.Context, v *view, of *poststore.Selection, sample int) (chosen []sampled, total int64, err error) {
	selected := make([]*roaring.Bitmap, len(v.parts))
	err = s.each(ctx, v, of, func(i int, p *part, rows *roaring.Bitmap) error {
		selected[i] = rows
		return nil
	})
	if err != nil {
		return nil, 0, err
	}
	for _, rows := range selected {
		if rows != nil {
			total += int64(rows.GetCardinality())
		}
	}
	c := &choice{parts: v.parts, selected: selected, total: total}
	chosen, err = c.least(ctx, sample)
	return chosen, total, err
}

// A choice is among selected rows of parts; nil is none.
type choice struct {
	parts    []*part
	selected []*roaring.Bitmap
	total    int64
}

// least returns the rows with the least hashes, at most so many.
func (c *choice) least(ctx context.Context, sample int) ([]sampled, error) {
	// Hashes are as good as random numbers, so the greatest of those that are wanted is
	// about where it would be if they lay evenly. Somewhat more of them are looked at.
	share := (float64(sample) + 5*math.Sqrt(float64(sample)) + 10) / float64(max(c.total, 1))
	for ; ; share *= 4 {
		most := uint64(math.MaxUint64)
		if share < 1 {
			most = uint64(share * (1 << 63) * 2)
		}
		found, n, err := c.upTo(ctx, most)
		if err != nil {
			return nil, err
		}
		if n >= sample || most == math.MaxUint64 {
			return c.cut(found, sample), nil
		}
	}
}

// upTo returns for each part the rows whose hash is not above one, and how many there are.
func (c *choice) upTo(ctx context.Context, most uint64) (found [][]postfile.Hashed, n int, err error) {
	found = make([][]postfile.Hashed, len(c.parts))
	err = parallel(ctx, len(c.parts), func(i int) error {
		if c.selected[i] == nil {
			return nil
		}
		return reading(c.parts[i], func() (err error) {
			found[i], err = c.parts[i].file.HashedUpTo(c.selected[i], most)
			return err
		})
	})
	for _, rows := range found {
		n += len(rows)
	}
	return found, n, err
}

// cut leaves the rows with the least hashes.
func (c *choice) cut(found [][]postfile.Hashed, sample int) (chosen []sampled) {
	type candidate struct {
		part int
		postfile.Hashed
	}
	var all []candidate
	for i, rows := range found {
		for _, h := range rows {
			all = append(all, candidate{i, h})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.Hash, b.Hash) })
	rows := make([][]uint32, len(c.parts))
	for _, x := range all[:min(sample, len(all))] {
		rows[x.part] = append(rows[x.part], x.Row)
	}
	for i, p := range c.parts {
		if slices.Sort(rows[i]); len(rows[i]) > 0 {
			chosen = append(chosen, sampled{p, rows[i]})
		}
	}
	return chosen
}

// wordRows is how many rows are read at a time, by one of several.
const wordRows = 2500

// readWords returns the words of rows.
func readWords(ctx context.Context, chosen []sampled) (all [][][]poststore.Word, err error) {
	var pieces []sampled
	for _, c := range chosen {
		for rows := range slices.Chunk(c.rows, wordRows) {
			pieces = append(pieces, sampled{c.part, rows})
		}
	}
	all = make([][][]poststore.Word, len(pieces))
	err = parallel(ctx, len(pieces), func(i int) error {
		return reading(pieces[i].part, func() (err error) {
			all[i], err = pieces[i].file.Words(pieces[i].rows)
			return err
		})
	})
	return all, err
}
