package postfile

import (
	"bytes"

	"earshot/internal/poststore"
	"earshot/internal/segment"
)

// surnames are a column in the making: the surname of the author of each row, which is read
// once for each author. What surnames say of groups of people is no part of a file.
type surnames struct {
	authors, names interner
	rows           []uint32 // numbers of the authors
}

func (s *surnames) reset() {
	s.authors.reset()
	s.rows = s.rows[:0]
}

// add adds a row with an author as shown.
func (s *surnames) add(author []byte) { s.rows = append(s.rows, s.authors.add(author)) }

// write writes the column and its dictionary.
func (s *surnames) write(w *segment.Writer) error {
	s.names.reset()
	of := make([]uint32, s.authors.len())
	var text []byte
	for author := range of {
		text = append(text[:0], poststore.Surname(string(s.authors.text(uint32(author))))...)
		of[author] = s.names.add(text)
	}
	s.names.sort()
	for i, author := range s.rows {
		s.rows[i] = s.names.rank[of[author]]
	}
	w.Strings(dictSurname, s.names.sorted)
	return w.Uints(colSurname, segment.Values(s.rows))
}

func (b *batch) writeSurnames(w *segment.Writer) {
	b.surnames.reset()
	for _, r := range b.rows {
		b.text = append(b.text[:0], r.Post.Author...)
		b.surnames.add(b.text)
	}
	b.surnames.write(w)
}

// buildSurnames makes the column for a file that was written without it.
func (f *File) buildSurnames() (*segment.File, error) {
	var s surnames
	s.reset()
	if err := f.eachAuthor(s.add); err != nil {
		return nil, err
	}
	return segment.Build(f.Path(), Options{Plain: true}.segment(f.Rows()), s.write)
}

// eachAuthor calls visit with the author as shown of each row. Only where a name has the
// separator inside is the post read.
func (f *File) eachAuthor(visit func(shown []byte)) error {
	column, err := f.File.Uints(colAuthor)
	if err != nil {
		return err
	}
	names, err := f.File.Strings(dictAuthor)
	if err != nil {
		return err
	}
	if f.Rows() > 0 && column.Max() >= uint64(names.Len()) {
		return f.corrupt(colAuthor, "a number that "+dictAuthor+" does not have")
	}
	var text []byte
	for row := range uint32(f.Rows()) {
		text = names.Append(text[:0], uint32(column.At(row)))
		_, shown, _ := bytes.Cut(text, []byte{0})
		if bytes.IndexByte(shown, 0) >= 0 {
			posts, err := f.Posts([]uint32{row})
			if err != nil {
				return err
			}
			shown = []byte(posts[0].Author)
		}
		visit(shown)
	}
	return nil
}
