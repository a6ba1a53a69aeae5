package segment

import (
	"bytes"
	"math"

	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
)

// A surnameBuilder builds the column of surnames. It extracts the surname once per author. A
// segment does not store ethnicity, which is estimated from surnames at query time.
type surnameBuilder struct {
	authors, dict interner
	rows          []uint32 // indexed by row: number of the author
}

func (s *surnameBuilder) reset() {
	s.authors.reset()
	s.rows = s.rows[:0]
}

// add adds a row with the display name of its author.
func (s *surnameBuilder) add(author []byte) { s.rows = append(s.rows, s.authors.add(author)) }

// write writes the column and its dictionary.
func (s *surnameBuilder) write(w *colfile.Writer) error {
	s.dict.reset()
	surnameOf := make([]uint32, s.authors.len())
	var text []byte
	for author := range surnameOf {
		text = append(text[:0], enginekit.Surname(string(s.authors.text(uint32(author))))...)
		surnameOf[author] = s.dict.add(text)
	}
	s.dict.sort()
	for i, author := range s.rows {
		s.rows[i] = s.dict.rank[surnameOf[author]]
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

// buildSurnames builds the column of surnames for a segment that lacks it.
func (s *Segment) buildSurnames() (*colfile.File, error) {
	var b surnameBuilder
	b.reset()
	if err := s.addAuthors(&b); err != nil {
		return nil, err
	}
	return s.buildColumns(b.write)
}

// addAuthors adds the author of each row.
func (s *Segment) addAuthors(to *surnameBuilder) error {
	column, names, err := s.openDictColumn(colAuthor, dictAuthor)
	if err != nil {
		return err
	}
	numbers := make([]uint32, names.Len()) // indexed by dictionary id: number of the display name
	for c := names.Cursor(0); c.Next(); {
		_, shown, _ := bytes.Cut(c.Text(), []byte{0})
		if bytes.IndexByte(shown, 0) >= 0 {
			numbers[c.ID()] = ambiguousAuthor
		} else {
			numbers[c.ID()] = to.authors.add(shown)
		}
	}
	for row := range uint32(s.Rows()) {
		if n := numbers[column.At(row)]; n != ambiguousAuthor {
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

// ambiguousAuthor is the number of a name that contains an extra separator. Only the post states
// its display name.
const ambiguousAuthor = math.MaxUint32
