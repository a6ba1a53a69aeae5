package local

import (
	"context"
	"maps"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/poststore/local/segment"
)

// A piece is a segment with the updated posts of some rows of another segment, in the order of the
// rows.
type piece struct {
	*segmentState
	rows []uint32
}

// reserve retains a segment and exempts it from compaction until release. It returns nil if the
// segment no longer exists.
func (s *Store) reserve(id uint64) *segmentState {
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	p := s.current.Load().find(id)
	if p == nil || !p.data.Retain() {
		return nil
	}
	s.reserved = id
	return p
}

func (s *Store) release(p *segmentState) {
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	s.reserved = 0
	p.data.Release()
}

// replaceSegment replaces p with a segment in which pieces replace rows. It acts as a compaction:
// no other compaction runs at the same time, and rows deleted since the pieces were written are
// deleted from the new segment too. Sets contain the posts they contain now. It returns errStale if
// p no longer exists.
func (s *Store) replaceSegment(ctx context.Context, p *segmentState, rows *roaring.Bitmap, pieces []piece) error {
	s.maintainMu.Lock()
	defer s.maintainMu.Unlock()
	if p = s.current.Load().find(p.id); p == nil {
		return errStale
	}
	lost, err := s.unmatchedIn([]*segmentState{p})
	if err != nil {
		return err
	}
	made, moved, err := s.assemble(ctx, p, rows, pieces)
	if err != nil {
		return err
	}
	made.modified = s.now()
	if err := s.commitCompaction([]*segmentState{p}, nil, made, [][]uint32{moved}, lost); err != nil {
		s.discard(made)
		return err
	}
	s.discard(p)
	return nil
}

// assemble merges pieces with the remaining rows of p into a segment. It returns the segment and
// the new row of each row of p.
func (s *Store) assemble(ctx context.Context, p *segmentState, rows *roaring.Bitmap, pieces []piece) (made *segmentState, moved []uint32, err error) {
	var inputs []segment.Input
	err = reading(p, func() (err error) {
		inputs, err = s.pieceInputs(p, pieces)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	drop := rows
	if p.deletedOnDisk != nil {
		drop = roaring.Or(rows, p.deletedOnDisk)
	}
	someLeft := drop.GetCardinality() < uint64(p.rows)
	if someLeft {
		rest, err := s.input(p, drop)
		if err != nil {
			return nil, nil, err
		}
		inputs = append(inputs, rest)
	}
	made, places, err := s.mergeInputs(ctx, []*segmentState{p}, inputs, segment.Options{})
	if err != nil {
		return nil, nil, err
	}
	if someLeft {
		moved = places[len(pieces)]
	} else {
		moved = slices.Repeat([]uint32{segment.NoRow}, p.rows)
	}
	for i, piece := range pieces {
		for j, row := range piece.rows {
			moved[row] = places[i][j]
		}
	}
	return made, moved, nil
}

// pieceInputs returns the pieces of a segment as inputs to a merge, with the sets of their posts
// and the rows that a monitor has ever matched.
func (s *Store) pieceInputs(p *segmentState, pieces []piece) ([]segment.Input, error) {
	inputs := make([]segment.Input, len(pieces))
	for i, piece := range pieces {
		inputs[i] = segment.Input{Segment: piece.data, Overrides: map[poststore.SetID]*roaring.Bitmap{}}
	}
	places := newPieceRows(p, pieces)
	ids, err := s.setsIn(p)
	if err != nil {
		return nil, err
	}
	for _, id := range ids {
		rows, err := s.setRows(p, id)
		if err != nil {
			return nil, err
		}
		for i, set := range places.split(rows) {
			if set != nil {
				inputs[i].Overrides[id] = set
			}
		}
	}
	matched, err := s.everMatched(p)
	if err != nil {
		return nil, err
	}
	for i, set := range places.split(matched) {
		inputs[i].EverMatched = set
	}
	return inputs, nil
}

// setsIn returns the sets that may contain rows of a segment.
func (s *Store) setsIn(p *segmentState) ([]poststore.SetID, error) {
	inFile, err := p.data.SetIDs()
	if err != nil {
		return nil, err
	}
	ids := slices.AppendSeq(slices.Collect(inFile), maps.Keys(p.overrides))
	slices.Sort(ids)
	return slices.Compact(ids), nil
}

// pieceRows maps the rows of a segment to rows of its pieces.
type pieceRows struct {
	piece []uint16          // by row: number of its piece counting from 1, or 0
	row   []uint32          // by row: row within the piece
	sets  []*roaring.Bitmap // result of split
}

func newPieceRows(p *segmentState, pieces []piece) *pieceRows {
	x := &pieceRows{piece: make([]uint16, p.rows), row: make([]uint32, p.rows), sets: make([]*roaring.Bitmap, len(pieces))}
	for i, piece := range pieces {
		for j, row := range piece.rows {
			x.piece[row], x.row[row] = uint16(i+1), uint32(j)
		}
	}
	return x
}

// split returns, for each piece, the rows of the piece that correspond to the given rows, or nil if
// there are none. The next call overwrites the result.
func (x *pieceRows) split(rows *roaring.Bitmap) []*roaring.Bitmap {
	clear(x.sets)
	for row := range roaring.Values(rows) {
		if int(row) >= len(x.piece) {
			break
		}
		if x.piece[row] == 0 {
			continue
		}
		i := x.piece[row] - 1
		if x.sets[i] == nil {
			x.sets[i] = roaring.New()
		}
		x.sets[i].Add(x.row[row])
	}
	return x.sets
}
