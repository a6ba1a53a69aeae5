package segment

import "earshot/internal/poststore/local/colfile"

// mergePosts copies the posts, by runs of rows that come from one input one behind the
// other.
func (m *merger) mergePosts() error {
	blobs := make([]*colfile.Blobs, len(m.in))
	for i, in := range m.in {
		b, err := in.Segment.Blobs(blobPosts)
		if err != nil {
			return err
		}
		blobs[i] = b
	}
	return m.firstError(m.w.CopyBlobs(blobPosts, func(yield func(colfile.Run, error) bool) {
		var run colfile.Run
		for i, row := range m.rows() {
			if run.Blobs == blobs[i] && run.To == row {
				run.To++
				continue
			}
			if run.Blobs != nil && !yield(run, nil) {
				return
			}
			run = colfile.Run{Blobs: blobs[i], From: row, To: row + 1}
		}
		if run.Blobs != nil && m.err == nil {
			yield(run, nil)
		}
	}))
}
