package segment

import (
	"time"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore/local/colfile"
)

// InferredBefore returns the rows of posts that only models older than these have seen, or none.
func (f *Segment) InferredBefore(models uint32) (*roaring.Bitmap, error) {
	if models == 0 {
		return roaring.New(), nil
	}
	return f.between(colModels, 0, uint64(models)-1)
}

// ReinferredRows returns rows for Write, with posts that take the place of those of some rows:
// each has the key, the arrival and the day on which it was taken that its row has. They
// belong to no monitors yet.
func (f *Segment) ReinferredRows(rows []uint32, posts []earshot.Post) ([]Row, error) {
	keys, err := f.keys()
	if err != nil {
		return nil, err
	}
	var arrived, taken *colfile.Uints
	if arrived, err = f.Uints(colArrived); err != nil {
		return nil, err
	}
	if taken, err = f.Uints(colIngested); err != nil {
		return nil, err
	}
	revised := make([]Row, len(rows))
	for i, row := range rows {
		revised[i] = Row{
			Post:     &posts[i],
			Arrived:  earshot.Position(arrived.At(row)),
			Ingested: time.Unix(int64(taken.At(row))*secondsOfDay, 0).UTC(),
			Key:      keys.at(row),
		}
	}
	return revised, nil
}

const secondsOfDay = 24 * 60 * 60
