package postfile

import "earshot/internal/segment"

// mergePosts copies the posts, by runs of rows that come from one input one behind the
// other.
func (m *merger) mergePosts() error {
	blobs := make([]*segment.Blobs, len(m.in))
	for i, in := range m.in {
		b, err := in.File.Blobs(blobPosts)
		if err != nil {
			return err
		}
		blobs[i] = b
	}
	return m.finished(m.w.CopyBlobs(blobPosts, func(yield func(segment.Run, error) bool) {
		var run segment.Run
		for i, row := range m.rows() {
			if run.Of == blobs[i] && run.To == row {
				run.To++
				continue
			}
			if run.Of != nil && !yield(run, nil) {
				return
			}
			run = segment.Run{Of: blobs[i], From: row, To: row + 1}
		}
		if run.Of != nil && m.err == nil {
			yield(run, nil)
		}
	}))
}
