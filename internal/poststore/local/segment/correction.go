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

func (c *Corrections) apply(row uint32, p *earshot.Post) {
	if c == nil {
		return
	}
	if i, found := slices.BinarySearch(c.rows, row); found {
		c.values[i].Apply(p)
	}
}

// decide decides again about the corrected rows in scope: it adds the i-th to found if it is accepted,
// and removes it otherwise.
func (c *Corrections) decide(found, scope *roaring.Bitmap, accept func(i int) bool) *roaring.Bitmap {
	for i, row := range c.rows {
		switch {
		case scope != nil && !scope.Contains(row):
		case accept(i):
			found.Add(row)
		default:
			found.Remove(row)
		}
	}
	return found
}

// A correctableDim is a dimension whose column has numbers that corrections replace.
type correctableDim struct {
	column   string
	replaced func(poststore.Correction) uint8 // the number that replaces the stored one, or 0
	limit    uint64                           // greater than every number
	key      func(dst []byte, number uint64) []byte
}

// correctableDims are the dimensions of sentiments and emotions. The number of a certain cell is that
// of its sentiment or emotion.
var correctableDims = map[poststore.Dim]correctableDim{
	poststore.BySentiment:     {colSentiment, correctedSentiment, 1 + uint64(len(earshot.BasicCategories)), nameAt(earshot.BasicCategories)},
	poststore.ByEmotion:       {colEmotion, correctedEmotion, 1 + uint64(len(earshot.BasicEmotions)), nameAt(earshot.BasicEmotions)},
	poststore.BySentimentCell: {colSentimentCell, correctedSentiment, earshot.SentimentCells, appendID},
	poststore.ByEmotionCell:   {colEmotionCell, correctedEmotion, earshot.EmotionCells, appendID},
}

func correctedSentiment(c poststore.Correction) uint8 { return c.Sentiment }

func correctedEmotion(c poststore.Correction) uint8 { return c.Emotion }

// corrected returns the numbers of the corrected rows in a column, or those that replace them.
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

// correctedDim is a [correctableDim] of corrected rows.
type correctedDim struct {
	correctableDim
	rows  []uint32 // ascending
	codes []uint8
}

func (q *countQuery) correctedDim(d correctableDim) (*correctedDim, error) {
	codes, err := q.segment.corrected(q.corrections, d.column, d.replaced)
	if err != nil {
		return nil, err
	}
	return &correctedDim{d, q.corrections.rows, codes}, nil
}

func (d *correctedDim) span() uint64 { return d.limit }

func (d *correctedDim) read(codes []uint64, rows []uint32) {
	at := 0
	for i, row := range rows {
		n, _ := slices.BinarySearch(d.rows[at:], row)
		at += n
		codes[i] = uint64(d.codes[at])
	}
}

func (d *correctedDim) keyFunc(bool) keyFunc { return d.key }
