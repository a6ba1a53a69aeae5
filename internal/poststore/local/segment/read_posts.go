package segment

import (
	"fmt"
	"strings"
	"time"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// Posts returns the posts of rows, in the order of rows. The posts do not share memory with the
// segment but may share memory with each other.
func (s *Segment) Posts(rows []uint32) ([]earshot.Post, error) {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	posts, arena := make([]earshot.Post, len(rows)), recordArena{left: len(rows)}
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		return s.read(&posts[i], rows[i], arena.copy(record))
	})
	if err != nil {
		return nil, err
	}
	return posts, nil
}

// EachPost calls visit with the post of each row and stops at the first error. The rows must be
// ascending. The post is overwritten after visit returns, but the memory it refers to is not.
func (s *Segment) EachPost(rows []uint32, visit func(row uint32, p *earshot.Post) error) error {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return err
	}
	reader, arena := blobs.Reader(), recordArena{left: len(rows)}
	p := new(earshot.Post)
	for _, row := range rows {
		record, err := reader.Get(row)
		if err != nil {
			return err
		}
		*p = earshot.Post{}
		if err := s.read(p, row, arena.copy(record)); err != nil {
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

// read decodes the post of a row. The post shares memory with its record.
func (s *Segment) read(p *earshot.Post, row uint32, record string) error {
	if err := journal.ReadPost(p, record); err != nil {
		return s.corrupt(blobPosts, fmt.Sprintf("row %d: %v", row, err))
	}
	return nil
}

// A recordArena copies records into larger chunks of memory to save allocations.
type recordArena struct {
	left  int // number of remaining records
	chunk strings.Builder
}

// arenaChunk is the size of a chunk in bytes. Retaining a single post retains its entire chunk, so
// larger chunks would waste memory.
const (
	arenaChunk    = 32 << 10
	typicalRecord = 1 << 10 // few records are larger
)

func (a *recordArena) copy(record []byte) string {
	if a.chunk.Cap()-a.chunk.Len() < len(record) {
		a.chunk = strings.Builder{}
		a.chunk.Grow(max(len(record), min(a.left*typicalRecord, arenaChunk)))
	}
	a.left--
	from := a.chunk.Len()
	a.chunk.Write(record)
	return a.chunk.String()[from:]
}

// Counters returns posts in which only the likes, shares and comments of rows are set.
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

// ReinferredRows returns rows for [Write] in which posts replace those of the given rows. They have
// the keys, journal positions and ingest days of the original rows and belong to no sets.
func (s *Segment) ReinferredRows(rows []uint32, posts []earshot.Post) ([]Row, error) {
	keys, err := s.keys()
	if err != nil {
		return nil, err
	}
	var arrived, ingested *colfile.Uints
	if arrived, err = s.Uints(colArrived); err != nil {
		return nil, err
	}
	if ingested, err = s.Uints(colIngested); err != nil {
		return nil, err
	}
	reinferred := make([]Row, len(rows))
	for i, row := range rows {
		reinferred[i] = Row{
			Post:     &posts[i],
			Arrived:  earshot.Position(arrived.At(row)),
			Ingested: time.Unix(int64(ingested.At(row))*secondsPerDay, 0).UTC(),
			Key:      keys.at(row),
		}
	}
	return reinferred, nil
}

const secondsPerDay = 24 * 60 * 60

// ReadablePosts calls visit with each post that is readable, and skips those that are damaged, until
// visit returns false. The posts do not share memory with the segment. It returns an error if no
// posts can be found at all.
func (s *Segment) ReadablePosts(visit func(row uint32, p *earshot.Post) bool) error {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return err
	}
	reader := blobs.Reader()
	for row := range uint32(s.Rows()) {
		record, err := reader.Get(row)
		if err != nil {
			continue
		}
		if p, err := s.decode(row, record); err == nil && !visit(row, &p) {
			return nil
		}
	}
	return nil
}
