package segment

import (
	"errors"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/local/colfile"
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
func (f *Segment) Uints(name string) (*colfile.Uints, error) {
	return openSection(f, (*colfile.File).Uints, name)
}

// Strings returns a dictionary.
func (f *Segment) Strings(name string) (*colfile.Strings, error) {
	return openSection(f, (*colfile.File).Strings, name)
}

// Lists returns a column of lists.
func (f *Segment) Lists(name string) (*colfile.Lists, error) {
	return openSection(f, (*colfile.File).Lists, name)
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
func (f *Segment) lateColumnsWith(name string) (*colfile.File, error) {
	switch name {
	case colPictures:
		return f.latePictures.get(f.buildPictures)
	case listAddresses:
		return f.lateAddresses.get(f.buildAddresses)
	case colSurname, dictSurname:
		return f.lateSurnames.get(f.buildSurnames)
	case listCashtags, dictCashtag:
		return f.lateCashtags.get(f.buildCashtags)
	}
	return f.lateInferred.get(f.buildInferred)
}

// buildPictures makes the column that tells which posts have images.
func (f *Segment) buildPictures() (*colfile.File, error) {
	blobs, err := f.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	rows := make([]uint32, f.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	pictures := make([]uint64, f.Rows())
	err = blobs.Reader().Each(rows, func(i int, record []byte) error {
		post, err := f.decode(rows[i], record)
		pictures[i] = uint64(min(len(post.Images), 1))
		return err
	})
	if err != nil {
		return nil, err
	}
	return colfile.Build(f.Path(), Options{Uncompressed: true}.segment(f.Rows()), func(w *colfile.Writer) error {
		return w.Uints(colPictures, colfile.Values(pictures))
	})
}

// buildInferred makes the sections that came later.
func (f *Segment) buildInferred() (*colfile.File, error) {
	ages, err := f.File.Uints(colAge)
	if err != nil {
		return nil, err
	}
	groups := make([]uint64, f.Rows())
	for row := range groups {
		if plusOne := ages.At(uint32(row)); plusOne > 0 {
			groups[row] = uint64(earshot.AgeGroupOf(int64(plusOne - 1)))
		}
	}
	nothing := make([]uint64, f.Rows())
	return colfile.Build(f.Path(), Options{Uncompressed: true}.segment(f.Rows()), func(w *colfile.Writer) error {
		w.Uints(colAgeGroup, colfile.Values(groups))
		for _, name := range []string{colSentiment, colEmotion, colModels} {
			w.Uints(name, colfile.Values(nothing))
		}
		for _, dim := range []poststore.Dim{poststore.ByInterest, poststore.ByImageClass, poststore.ByBrand} {
			d := listDims[dim]
			w.Strings(d.dict, slices.Values([][]byte{{}}))
			w.Lists(d.list, 1, slices.Values(make([][]uint32, f.Rows())))
		}
		return nil
	})
}
