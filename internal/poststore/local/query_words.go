package local

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// Limits on reading words. A sample of long texts is far larger than one of short texts, so only a
// small part of it is in memory at any time.
const (
	wordSamples = 2   // samples read concurrently
	wordReaders = 4   // goroutines per sample
	wordRows    = 500 // rows that a goroutine reads at once
)

var (
	errSample  = errors.New("negative sample size")
	errVisited = errors.New("a segment became unreadable while its words were read and was quarantined; try again")
)

// Words implements [poststore.Reader]. Words of several calls may share memory.
//
// It verifies the sections that contain words before it visits any. A damaged segment is then
// quarantined, and the result only lacks its posts. Two cases remain in which Words fails once and
// the segment is quarantined: the disk fails while it is read, and a segment without sections for
// words is damaged.
func (s *Store) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (posts int64, err error) {
	return s.readSample(ctx, &of, sample, func(chosen []sampledRows, visited *bool) error {
		if err := checkWords(ctx, chosen); err != nil {
			return err
		}
		*visited = true
		return visitWords(ctx, chosen, visit)
	})
}

// sampledRows are rows of a segment in ascending order.
type sampledRows struct {
	*segmentState
	rows []uint32
}

// sample chooses the rows with the lowest hashes and counts all selected rows.
func (s *Store) sample(ctx context.Context, v *view, of *poststore.Selection, sample int) (chosen []sampledRows, total int64, err error) {
	selected := make([]*roaring.Bitmap, len(v.segments))
	err = s.eachSegment(ctx, v, of, func(i int, p *segmentState, rows *roaring.Bitmap) error {
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
	c := &sampler{segments: v.segments, selected: selected, total: total}
	chosen, err = c.lowest(ctx, sample)
	return chosen, total, err
}

// A sampler chooses among the selected rows of segments. A nil bitmap is empty.
type sampler struct {
	segments []*segmentState
	selected []*roaring.Bitmap
	total    int64
}

// lowest returns the sample rows with the lowest hashes, or all rows if there are fewer.
func (c *sampler) lowest(ctx context.Context, sample int) ([]sampledRows, error) {
	// Hashes are uniformly distributed, so the highest hash of the sample is close to where it
	// would be with even spacing. Start with a slightly larger bound.
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
			return c.truncate(found, sample), nil
		}
	}
}

// upTo returns the rows of each segment whose hash is at most maxHash, and their total number.
func (c *sampler) upTo(ctx context.Context, maxHash uint64) (found [][]segment.RowHash, n int, err error) {
	found = make([][]segment.RowHash, len(c.segments))
	err = parallel.For(ctx, len(c.segments), 0, func(_ context.Context, i int) error {
		if c.selected[i] == nil {
			return nil
		}
		return reading(c.segments[i], func() (err error) {
			found[i], err = c.segments[i].data.SampleRows(c.selected[i], maxHash)
			return err
		})
	})
	for _, rows := range found {
		n += len(rows)
	}
	return found, n, err
}

// truncate returns the sample rows with the lowest hashes, grouped by segment.
func (c *sampler) truncate(found [][]segment.RowHash, sample int) (chosen []sampledRows) {
	type candidate struct {
		segment int
		segment.RowHash
	}
	var all []candidate
	for i, rows := range found {
		for _, h := range rows {
			all = append(all, candidate{i, h})
		}
	}
	slices.SortFunc(all, func(a, b candidate) int { return cmp.Compare(a.Hash, b.Hash) })
	rows := make([][]uint32, len(c.segments))
	for _, x := range all[:min(sample, len(all))] {
		rows[x.segment] = append(rows[x.segment], x.Row)
	}
	for i, p := range c.segments {
		if slices.Sort(rows[i]); len(rows[i]) > 0 {
			chosen = append(chosen, sampledRows{p, rows[i]})
		}
	}
	return chosen
}

// checkWords verifies that the words of the chosen rows can be read.
func checkWords(ctx context.Context, chosen []sampledRows) error {
	return parallel.For(ctx, len(chosen), 0, func(_ context.Context, i int) error {
		return reading(chosen[i].segmentState, chosen[i].data.CheckWords)
	})
}

// visitWords visits the words of the chosen rows while reading ahead.
func visitWords(ctx context.Context, chosen []sampledRows, visit func([]poststore.Word)) error {
	pieces := piecesOf(chosen)
	return visitPieces(ctx, len(pieces), func(i int) ([][]poststore.Word, error) { return pieces[i].words() }, visit)
}

// piecesOf splits rows into pieces of at most wordRows rows.
func piecesOf(chosen []sampledRows) (pieces []sampledRows) {
	for _, c := range chosen {
		for rows := range slices.Chunk(c.rows, wordRows) {
			pieces = append(pieces, sampledRows{c.segmentState, rows})
		}
	}
	return pieces
}

// visitPieces visits the contents of n pieces while reading ahead. At most one piece per reader, plus
// the one being visited, is in memory.
func visitPieces[T any](ctx context.Context, n int, read func(i int) ([]T, error), visit func(T)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	found := make(chan []T)
	go func() {
		defer close(found)
		err = parallel.For(ctx, n, wordReaders, func(ctx context.Context, i int) error {
			some, err := read(i)
			if err != nil {
				return err
			}
			select {
			case found <- some:
				return nil
			case <-ctx.Done():
				return ctx.Err()
			}
		})
	}()
	defer func() { // wait for the readers, even if visit panics
		cancel()
		for range found {
		}
	}()
	for some := range found {
		for _, v := range some {
			visit(v)
		}
	}
	return err
}

func (s *sampledRows) words() (words [][]poststore.Word, err error) {
	err = reading(s.segmentState, func() (err error) {
		words, err = s.data.Words(s.rows)
		return err
	})
	return words, err
}
