package segment

import (
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// mergeAddresses merges where addresses stand among the words. A file without that is read
// through for it.
func (m *merger) mergeAddresses() error {
	all, err := m.openLists(listAddresses)
	if err != nil {
		return err
	}
	limit := 0
	for _, l := range all {
		limit = max(limit, l.Limit())
	}
	return m.writeLists(listAddresses, limit, all, func(int, []uint32) bool { return true })
}

// buildAddresses finds the addresses in the posts of a file that does not have them.
func (f *Segment) buildAddresses() (*colfile.File, error) {
	var found listBuilder
	var doc query.Document
	rows := make([]uint32, f.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	blobs, err := f.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := f.decode(rows[i], record)
		if err != nil {
			return err
		}
		doc.Reset(&post)
		found.numbers = doc.AppendURLRuns(found.numbers)
		found.end()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return colfile.Build(f.Path(), Options{Uncompressed: true}.segment(f.Rows()), func(w *colfile.Writer) error {
		return w.Lists(listAddresses, found.limit(), found.all)
	})
}
