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

// lateColumns are columns that were added after format 1. For segments that lack them, they are
// derived on first use. A merge writes them to the new segment.
type lateColumns struct {
	mu      sync.Mutex
	columns *colfile.File // guarded by mu; nil until first use
}

func (l *lateColumns) get(build func() (*colfile.File, error)) (_ *colfile.File, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.columns == nil {
		l.columns, err = build()
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

// openSection opens a section of the segment, or of its late columns if the segment does not have
// the section.
func openSection[S any](s *Segment, open func(*colfile.File, string) (S, error), name string) (S, error) {
	section, err := open(s.File, name)
	if err == nil || !errors.Is(err, colfile.ErrNoSection) {
		return section, err
	}
	var late *colfile.File
	var failed error
	switch name {
	case colPictures:
		late, failed = s.latePictures.get(s.buildPictures)
	case colSentimentCell, colEmotionCell:
		late, failed = s.lateCells.get(s.buildCells)
	case listURLRuns:
		late, failed = s.lateURLRuns.get(s.buildURLRuns)
	case colSurname, dictSurname:
		late, failed = s.lateSurnames.get(s.buildSurnames)
	case listCashtags, dictCashtag:
		late, failed = s.lateCashtags.get(s.buildCashtags)
	default:
		late, failed = s.lateInferred.get(s.buildInferred)
	}
	if failed != nil {
		return section, failed
	}
	if section, missing := open(late, name); missing == nil {
		return section, nil
	}
	return section, err
}

// buildColumns builds late columns in memory.
func (s *Segment) buildColumns(write func(w *colfile.Writer) error) (*colfile.File, error) {
	return colfile.Build(s.Path(), Options{Uncompressed: true}.colfile(s.Rows()), write)
}

// buildInferred builds the columns of inferred attributes for a segment that was written before
// there were models. Nothing is inferred, but age groups follow from stated ages.
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
	zeros := make([]uint64, s.Rows())
	return s.buildColumns(func(w *colfile.Writer) error {
		w.Uints(colAgeGroup, colfile.Values(groups))
		for _, name := range []string{colSentiment, colEmotion, colModels} {
			w.Uints(name, colfile.Values(zeros))
		}
		for _, dim := range []poststore.Dim{poststore.ByInterest, poststore.ByImageClass, poststore.ByBrand} {
			d := listDims[dim]
			w.Strings(d.dict, slices.Values([][]byte{{}}))
			w.Lists(d.list, 1, slices.Values(make([][]uint32, s.Rows())))
		}
		return nil
	})
}

// buildPictures builds the column of whether posts have images.
func (s *Segment) buildPictures() (*colfile.File, error) {
	pictures := make([]uint64, s.Rows())
	err := s.EachPost(s.allRows(), func(row uint32, p *earshot.Post) error {
		pictures[row] = uint64(min(len(p.Images), 1))
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.buildColumns(func(w *colfile.Writer) error {
		return w.Uints(colPictures, colfile.Values(pictures))
	})
}

func (s *Segment) buildCells() (*colfile.File, error) {
	sentiments, emotions := make([]uint64, s.Rows()), make([]uint64, s.Rows())
	err := s.EachPost(s.allRows(), func(row uint32, p *earshot.Post) error {
		sentiments[row], emotions[row] = uint64(p.Sentiment.Cell()), uint64(p.Emotion.Cell())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.buildColumns(func(w *colfile.Writer) error {
		w.Uints(colSentimentCell, colfile.Values(sentiments))
		return w.Uints(colEmotionCell, colfile.Values(emotions))
	})
}

func (s *Segment) buildCashtags() (*colfile.File, error) {
	var dict interner
	var tags listBuilder
	dict.reset()
	err := s.EachPost(s.allRows(), func(_ uint32, p *earshot.Post) error {
		for _, tag := range p.Cashtags {
			tags.numbers = append(tags.numbers, dict.add([]byte(tag)))
		}
		tags.end()
		return nil
	})
	if err != nil {
		return nil, err
	}
	dict.sort()
	for i, number := range tags.numbers {
		tags.numbers[i] = dict.rank[number]
	}
	return s.buildColumns(func(w *colfile.Writer) error {
		w.Strings(dictCashtag, dict.sorted)
		return w.Lists(listCashtags, dict.len(), tags.all)
	})
}

// buildURLRuns builds the lists of URLs among the tokens.
func (s *Segment) buildURLRuns() (*colfile.File, error) {
	var addresses listBuilder
	var doc query.Document
	err := s.EachPost(s.allRows(), func(_ uint32, p *earshot.Post) error {
		doc.Reset(p)
		addresses.numbers = doc.AppendURLRuns(addresses.numbers)
		addresses.end()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return s.buildColumns(func(w *colfile.Writer) error {
		return w.Lists(listURLRuns, addresses.limit(), addresses.all)
	})
}

func (s *Segment) allRows() []uint32 {
	rows := make([]uint32, s.Rows())
	for i := range rows {
		rows[i] = uint32(i)
	}
	return rows
}
