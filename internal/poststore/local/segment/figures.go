package segment

import (
	"earshot"
	"earshot/internal/poststore/local/colfile"
)

// Counters returns posts that state the likes, shares and comments of rows, and nothing
// else.
func (f *Segment) Counters(rows []uint32) ([]earshot.Post, error) {
	var columns [3]*colfile.Uints
	for i, name := range []string{colLikes, colShares, colComments} {
		var err error
		if columns[i], err = f.Uints(name); err != nil {
			return nil, err
		}
	}
	posts := make([]earshot.Post, len(rows))
	for i, row := range rows {
		p := &posts[i]
		for c, count := range []*earshot.Count{&p.Likes, &p.Shares, &p.Comments} {
			if plusOne := columns[c].At(row); plusOne > 0 {
				*count = earshot.Counted(int64(plusOne - 1))
			}
		}
	}
	return posts, nil
}
