package segment

import (
	"errors"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// Files that were written before models told anything of posts lack the sections that
// tell it. They are read as if they had them, with nothing in them; but ages have always
// been there. Later came the column that tells which posts have images: for a file without
// it the posts are read, once while it is open, and when it is merged. The column of surnames
// is made of the dictionary of authors.

// A lateColumns is the sections that a file lacks, made when the first of them is asked for.
type lateColumns struct {
	mu      sync.Mutex
	columns *colfile.File
}

func (l *lateColumns) get(make func() (*colfile.File, error)) (_ *colfile.File, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.columns == nil {
		l.columns, err = make()
	}
	return l.columns, err
}

// Uints returns a column of numbers.
func (s *Segment) Uints(name string) (*colfile.Uints, error) {
	return openSection(s, (*colfile.File).Uints, name)
}

// Strings returns a dictionary.
func (s *Segment) Strings(name string) (*colfile.Strings, error) {
	return openSection(s, (*colfile.File).Strings, name)
}

// Lists returns a column of lists.
func (s *Segment) Lists(name string) (*colfile.Lists, error) {
	return openSection(s, (*colfile.File).Lists, name)
}

func openSection[S any](f *Segment, open func(*colfile.File, string) (S, error), name string) (S, error) {
	section, err := open(f.File, name)
	if err == nil || !errors.Is(err, colfile.ErrNoSection) {
		return section, err
	}
	later, failed := f.lateColumnsWith(name)
	if failed != nil {
		return section, failed
	}
	if section, missing := open(later, name); missing == nil {
		return section, nil
	}
	return section, err
}

// lateColumnsWith returns the sections that came later, among which one may be.
func (s *Segment) lateColumnsWith(name string) (*colfile.File, error) {
	switch name {
	case colPictures:
		return s.latePictures.get(s.buildPictures)
	case listAddresses:
		return s.lateAddresses.get(s.buildAddresses)
	case colSurname, dictSurname:
		return s.lateSurnames.get(s.buildSurnames)
	case listCashtags, dictCashtag:
		return s.lateCashtags.get(s.buildCashtags)
	}
	return s.lateInferred.get(s.buildInferred)
}

// buildPictures makes the column that tells which posts have images.
func (s *Segment) buildPictures() (*colfile.File, error) {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, s.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	pictures := make([]uint64, s.Rows())
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := s.decode(rows[i], record)
		pictures[i] = uint64(min(len(post.Images), 1))
		return err
	})
	if err != nil {
		return nil, err
	}
	return colfile.Build(s.Path(), Options{Uncompressed: true}.segment(s.Rows()), func(w *colfile.Writer) error {
		return w.Uints(colPictures, colfile.Values(pictures))
	})
}

// buildInferred makes the sections that came later.
func (s *Segment) buildInferred() (*colfile.File, error) {
	ages, err := s.File.Uints(colAge)
	if err != nil {
		return nil, err
	}
	groups := make([]uint64, s.Rows())
	for row := range groups {
		if plusOne := ages.At(uint32(row)); plusOne > 0 {
			groups[row] = uint64(earshot.AgeGroupOf(int64(plusOne - 1)))
		}
	}
	nothing := make([]uint64, s.Rows())
	return colfile.Build(s.Path(), Options{Uncompressed: true}.segment(s.Rows()), func(w *colfile.Writer) error {
		w.Uints(colAgeGroup, colfile.Values(groups))
		for _, name := range []string{colSentiment, colEmotion, colModels} {
			w.Uints(name, colfile.Values(nothing))
		}
		for _, dim := range []poststore.Dim{poststore.ByInterest, poststore.ByImageClass, poststore.ByBrand} {
			d := listDims[dim]
			w.Strings(d.dict, slices.Values([][]byte{{}}))
			w.Lists(d.list, 1, slices.Values(make([][]uint32, s.Rows())))
		}
		return nil
	})
}

// buildCashtags finds the cashtags of the posts of a file that was written before files had
// a list of them.
func (s *Segment) buildCashtags() (*colfile.File, error) {
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, s.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	var names interner
	var found listBuilder
	names.reset()
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := s.decode(rows[i], record)
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
	return colfile.Build(s.Path(), Options{Uncompressed: true}.segment(s.Rows()), func(w *colfile.Writer) error {
		w.Strings(dictCashtag, names.sorted)
		return w.Lists(listCashtags, names.len(), found.all)
	})
}

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
func (s *Segment) buildAddresses() (*colfile.File, error) {
	var found listBuilder
	var doc query.Document
	rows := make([]uint32, s.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	blobs, err := s.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := s.decode(rows[i], record)
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
	return colfile.Build(s.Path(), Options{Uncompressed: true}.segment(s.Rows()), func(w *colfile.Writer) error {
		return w.Lists(listAddresses, found.limit(), found.all)
	})
}
