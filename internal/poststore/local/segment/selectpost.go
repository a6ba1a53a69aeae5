package segment

import (
	"github.com/RoaringBitmap/roaring/v2"

	"earshot/internal/poststore"
	"earshot/internal/query"
)

// matchPosts returns the rows whose posts the selection matches. It reads every one of
// the posts, so it is for what nothing else can tell.
func (x *index) matchPosts(of *poststore.Selection, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	blobs, err := x.file.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	reader := blobs.Reader()
	var d query.Document
	kept := x.filter(rows, func(row uint32) bool {
		if x.err != nil {
			return false
		}
		record, err := reader.Get(row)
		if err != nil {
			x.err = err
			return false
		}
		p, err := x.file.decode(row, record)
		if err != nil {
			x.err = err
			return false
		}
		if !of.MatchesPost(&p) {
			return false
		}
		d.Reset(&p)
		return of.Where == nil || of.Where.Match(&d)
	})
	return kept, x.stopped()
}
