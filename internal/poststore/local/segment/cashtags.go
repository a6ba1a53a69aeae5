package segment

import "earshot/internal/poststore/local/colfile"

// buildCashtags finds the cashtags of the posts of a file that was written before files had
// a list of them.
func (f *Segment) buildCashtags() (*colfile.File, error) {
	blobs, err := f.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, f.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	var names interner
	var found listBuilder
	names.reset()
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := f.decode(rows[i], record)
		for _, tag := range post.Cashtags {
			found.numbers = append(found.numbers, names.add([]byte(tag)))
		}
		found.end()
		return err
	})
	if err != nil {
		return nil, err
	}
	names.sort()
	for i, number := range found.numbers {
		found.numbers[i] = names.rank[number]
	}
	return colfile.Build(f.Path(), Options{Uncompressed: true}.segment(f.Rows()), func(w *colfile.Writer) error {
		w.Strings(dictCashtag, names.sorted)
		return w.Lists(listCashtags, names.len(), found.all)
	})
}
