package postfile

import (
	"fmt"

	"earshot"
	"earshot/internal/journal"
	"earshot/internal/segment"
)

// Posts returns the posts of rows, in their order. They share no memory with the file.
func (f *File) Posts(rows []uint32) ([]earshot.Post, error) {
	blobs, err := f.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	posts := make([]earshot.Post, len(rows))
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		posts[i], err = f.decode(rows[i], record)
		return err
	})
	if err != nil {
		return nil, err
	}
	return posts, nil
}

// decode returns the post of a row from a copy of its record.
func (f *File) decode(row uint32, record []byte) (earshot.Post, error) {
	p, err := journal.ReadPost(string(record))
	if err != nil {
		return p, f.corrupt(blobPosts, fmt.Sprintf("row %d: %v", row, err))
	}
	return p, nil
}

// corrupt returns the error for a section that has what Write would not put there.
func (f *File) corrupt(section, reason string) error {
	return &segment.CorruptError{Path: f.Path(), Section: section, Reason: reason}
}
