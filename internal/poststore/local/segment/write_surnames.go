package segment

import (
	"bytes"
	"math"

	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// surnameBuilder are a column in the making: the surname of the author of each row, which is read
// once for each author. What surnames say of groups of people is no part of a file.
type surnameBuilder struct {
	authors, dict interner
	rows          []uint32 // numbers of the authors
}

func (s *surnameBuilder) reset() {
	s.authors.reset()
	s.rows = s.rows[:0]
}

// add adds a row with an author as shown.
func (s *surnameBuilder) add(author []byte) { s.rows = append(s.rows, s.authors.add(author)) }

// write writes the column and its dictionary.
func (s *surnameBuilder) write(w *colfile.Writer) error {
	s.dict.reset()
	of := make([]uint32, s.authors.len())
	var text []byte
	for author := range of {
		text = append(text[:0], enginekit.Surname(string(s.authors.text(uint32(author))))...)
		of[author] = s.dict.add(text)
	}
	s.dict.sort()
	for i, author := range s.rows {
		s.rows[i] = s.dict.rank[of[author]]
	}
	w.Strings(dictSurname, s.dict.sorted)
	return w.Uints(colSurname, colfile.Values(s.rows))
}

func (b *batch) writeSurnames(w *colfile.Writer) {
	b.surnames.reset()
	for _, r := range b.rows {
		b.text = append(b.text[:0], r.Post.Author...)
		b.surnames.add(b.text)
	}
	b.surnames.write(w)
}

// buildSurnames makes the column for a file that was written without it.
func (s *Segment) buildSurnames() (*colfile.File, error) {
	var b surnameBuilder
	b.reset()
	if err := s.addAuthors(&b); err != nil {
		return nil, err
	}
	return colfile.Build(s.Path(), Options{Uncompressed: true}.colfile(s.Rows()), b.write)
}

// addAuthors adds the author of each row.
func (s *Segment) addAuthors(to *surnameBuilder) error {
	column, err := s.File.Uints(colAuthor)
	if err != nil {
		return err
	}
	names, err := s.File.Strings(dictAuthor)
	if err != nil {
		return err
	}
	if s.Rows() > 0 && column.Max() >= uint64(names.Len()) {
		return s.corrupt(colAuthor, "a number that "+dictAuthor+" does not have")
	}
	known := addShownAuthors(names, &to.authors)
	for row := range uint32(s.Rows()) {
		if n := known[column.At(row)]; n != ambiguousAuthor {
			to.rows = append(to.rows, n)
			continue
		}
		posts, err := s.Posts([]uint32{row})
		if err != nil {
			return err
		}
		to.add([]byte(posts[0].Author))
	}
	return nil
}

// ambiguousAuthor stands for the author in a name that has the separator inside: only the post tells.
const ambiguousAuthor = math.MaxUint32

// addShownAuthors adds the authors as shown of a dictionary, and returns their numbers by name.
func addShownAuthors(names *colfile.Strings, to *interner) []uint32 {
	numbers := make([]uint32, names.Len())
	for c := names.Cursor(0); c.Next(); {
		_, shown, _ := bytes.Cut(c.Text(), []byte{0})
		if bytes.IndexByte(shown, 0) >= 0 {
			numbers[c.ID()] = ambiguousAuthor
		} else {
			numbers[c.ID()] = to.add(shown)
		}
	}
	return numbers
}
