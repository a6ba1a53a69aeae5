package segment

import (
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/state/journal"
)

// Posts returns the posts of rows, in their order. They share no memory with the file, but
// some with each other.
func (f *Segment) Posts(rows []uint32) ([]earshot.Post, error) {
	blobs, err := f.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	posts, kept := make([]earshot.Post, len(rows)), recordArena{left: len(rows)}
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		return f.read(&posts[i], rows[i], kept.copy(record))
	})
	if err != nil {
		return nil, err
	}
	return posts, nil
}

// EachPost calls visit with the posts of rows, which ascend. The post is overwritten after visit
// returns, but what it points to is not. An error of visit ends it.
func (f *Segment) EachPost(rows []uint32, visit func(row uint32, p *earshot.Post) error) error {
	blobs, err := f.Blobs(blobPosts)
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
		if err := f.read(p, row, kept.copy(record)); err != nil {
			return err
		}
		if err := visit(row, p); err != nil {
			return err
		}
	}
	return nil
}

// decode returns the post of a row from a copy of its record.
func (f *Segment) decode(row uint32, record []byte) (p earshot.Post, err error) {
	err = f.read(&p, row, string(record))
	return p, err
}

// read reads the post of a row, which shares memory with its record.
func (f *Segment) read(p *earshot.Post, row uint32, record string) error {
	if err := journal.ReadPost(p, record); err != nil {
		return f.corrupt(blobPosts, fmt.Sprintf("row %d: %v", row, err))
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
func (f *Segment) corrupt(section, reason string) error {
	return &colfile.CorruptError{Path: f.Path(), Section: section, Reason: reason}
}
