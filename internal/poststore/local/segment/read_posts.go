package segment

import (
	"fmt"
	"strings"
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// Posts returns the posts of rows, in their order. They share no memory with the file, but
// some with each other.
func (s *Segment) Posts(rows []uint32) ([]earshot.Post, error) {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	posts, kept := make([]earshot.Post, len(rows)), recordArena{left: len(rows)}
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		return s.read(&posts[i], rows[i], kept.copy(record))
	})
	if err != nil {
		return nil, err
	}
	return posts, nil
}

// EachPost calls visit with the posts of rows, which ascend. The post is overwritten after visit
// returns, but what it points to is not. An error of visit ends it.
func (s *Segment) EachPost(rows []uint32, visit func(row uint32, p *earshot.Post) error) error {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return err
	}
	reader, kept := blobs.Reader(), recordArena{left: len(rows)}
	p := new(earshot.Post)
	for _, row := range rows {
		record, err := reader.Get(row)
		if err != nil {
			return err
		}
		*p = earshot.Post{}
		if err := s.read(p, row, kept.copy(record)); err != nil {
			return err
		}
		if err := visit(row, p); err != nil {
			return err
		}
	}
	return nil
}

// decode returns the post of a row from a copy of its record.
func (s *Segment) decode(row uint32, record []byte) (p earshot.Post, err error) {
	err = s.read(&p, row, string(record))
	return p, err
}

// read reads the post of a row, which shares memory with its record.
func (s *Segment) read(p *earshot.Post, row uint32, record string) error {
	if err := journal.ReadPost(p, record); err != nil {
		return s.corrupt(blobPosts, fmt.Sprintf("row %d: %v", row, err))
	}
	return nil
}

// A recordArena copies records, many into one piece of memory.
type recordArena struct {
	left  int // records to come
	piece strings.Builder
}

// The size of a piece is what a post keeps in memory that is kept alone.
const (
	pieceSize  = 32 << 10
	recordSize = 1 << 10 // few are larger
)

func (k *recordArena) copy(record []byte) string {
	if k.piece.Cap()-k.piece.Len() < len(record) {
		k.piece = strings.Builder{}
		k.piece.Grow(max(len(record), min(k.left*recordSize, pieceSize)))
	}
	k.left--
	from := k.piece.Len()
	k.piece.Write(record)
	return k.piece.String()[from:]
}

// corrupt returns the error for a section that has what Write would not put there.
func (s *Segment) corrupt(section, reason string) error {
	return &colfile.CorruptError{Path: s.Path(), Section: section, Reason: reason}
}

// Counters returns posts that state the likes, shares and comments of rows, and nothing
// else.
func (s *Segment) Counters(rows []uint32) ([]earshot.Post, error) {
	var columns [3]*colfile.Uints
	for i, name := range []string{colLikes, colShares, colComments} {
		var err error
		if columns[i], err = s.Uints(name); err != nil {
			return nil, err
		}
	}
	posts := make([]earshot.Post, len(rows))
	for i, row := range rows {
		p := &posts[i]
		for c, count := range []*earshot.Count{&p.Likes, &p.Shares, &p.Comments} {
			if plusOne := columns[c].At(row); plusOne > 0 {
				*count = earshot.Counted(int64(plusOne - 1))
			}
		}
	}
	return posts, nil
}

// InferredBefore returns the rows of posts that only models older than these have seen, or none.
func (s *Segment) InferredBefore(models uint32) (*roaring.Bitmap, error) {
	if models == 0 {
		return roaring.New(), nil
	}
	return s.between(colModels, 0, uint64(models)-1)
}

// ReinferredRows returns rows for Write, with posts that take the place of those of some rows:
// each has the key, the arrival and the day on which it was taken that its row has. They
// belong to no monitors yet.
func (s *Segment) ReinferredRows(rows []uint32, posts []earshot.Post) ([]Row, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	var arrived, taken *colfile.Uints
	if arrived, err = s.Uints(colArrived); err != nil {
		return nil, err
	}
	if taken, err = s.Uints(colIngested); err != nil {
		return nil, err
	}
	revised := make([]Row, len(rows))
	for i, row := range rows {
		revised[i] = Row{
			Post:     &posts[i],
			Arrived:  earshot.Position(arrived.At(row)),
			Ingested: time.Unix(int64(taken.At(row))*secondsOfDay, 0).UTC(),
			Key:      keys.at(row),
		}
	}
	return revised, nil
}

const secondsOfDay = 24 * 60 * 60
