package segment

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
)

// Corrections are the corrections of some rows of a segment. A nil *Corrections corrects nothing.
type Corrections struct {
	rows   []uint32 // ascending
	values []poststore.Correction
	bitmap *roaring.Bitmap
}

// NewCorrections returns corrections of rows. at returns the correction of the i-th row.
func NewCorrections(rows *roaring.Bitmap, at func(i int) poststore.Correction) *Corrections {
	c := &Corrections{rows: rows.ToArray(), bitmap: rows}
	c.values = make([]poststore.Correction, len(c.rows))
	for i := range c.values {
		c.values[i] = at(i)
	}
	return c
}

// Rows returns the corrected rows. The caller must not modify them.
func (c *Corrections) Rows() *roaring.Bitmap { return c.bitmap }

// CorrectSet adds corrected rows to the rows of a set, or removes them.
func (c *Corrections) CorrectSet(id poststore.SetID, rows *roaring.Bitmap) {
	for i, row := range c.rows {
		before := rows.Contains(row)
		switch after := c.values[i].Has(id, before); {
		case after && !before:
			rows.Add(row)
		case before && !after:
			rows.Remove(row)
		}
	}
}

// apply corrects the post of a row.
func (c *Corrections) apply(row uint32, p *earshot.Post) {
	if c == nil {
		return
	}
	if i, found := slices.BinarySearch(c.rows, row); found {
		c.values[i].Apply(p)
	}
}

// feelings are the sentiments and emotions of corrected rows: indexes plus 1, or 0.
type feelings struct{ sentiments, emotions []uint8 }

// feelings returns the sentiments and emotions of the corrected rows, including those that are as
// they were stored.
func (s *Segment) feelings(c *Corrections) (f feelings, err error) {
	f.sentiments, err = s.corrected(c, colSentiment, func(c poststore.Correction) uint8 { return c.Sentiment })
	if err != nil {
		return f, err
	}
	f.emotions, err = s.corrected(c, colEmotion, func(c poststore.Correction) uint8 { return c.Emotion })
	return f, err
}

// corrected returns the numbers of the corrected rows in a column, unless they are replaced.
func (s *Segment) corrected(c *Corrections, column string, replaced func(poststore.Correction) uint8) ([]uint8, error) {
	stored, err := s.Uints(column)
	if err != nil {
		return nil, err
	}
	numbers := make([]uint8, len(c.rows))
	for i, row := range c.rows {
		if numbers[i] = replaced(c.values[i]); numbers[i] == 0 {
			numbers[i] = uint8(stored.At(row))
		}
	}
	return numbers, nil
}

// correctedDim is a dimension of corrected rows. Its codes are indexes of names plus 1, or 0.
type correctedDim struct {
	rows  []uint32 // ascending
	codes []uint8
	names []string
}

// correctedDim returns the dimension of sentiments or emotions.
func (q *countQuery) correctedDim(names []string, of func(*feelings) []uint8) (*correctedDim, error) {
	felt, err := q.segment.feelings(q.corrections)
	if err != nil {
		return nil, err
	}
	return &correctedDim{q.corrections.rows, of(&felt), names}, nil
}

func (d *correctedDim) span() uint64 { return uint64(len(d.names)) + 1 }

func (d *correctedDim) read(codes []uint64, rows []uint32) {
	at := 0
	for i, row := range rows {
		n, _ := slices.BinarySearch(d.rows[at:], row)
		at += n
		codes[i] = uint64(d.codes[at])
	}
}

func (d *correctedDim) keyFunc(bool) keyFunc { return keyFunc(nameAt(d.names)) }
