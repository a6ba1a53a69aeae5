package segment

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Select returns the rows among others, nil for all, that a selection picks, which are
// exactly those whose posts it matches; Monitor is not looked at. The bitmap may be changed,
// and must not be used after the file was closed. The others are not changed.
func (s *Segment) Select(ctx context.Context, of *poststore.Selection, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	x, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	among, err = x.between(of, among)
	if err != nil {
		return nil, err
	}
	found := x.find(of, among)
	if err := x.stopped(); err != nil {
		return nil, err
	}
	if found.Candidates == nil || found.Candidates.IsEmpty() {
		return found.Matches, nil
	}
	more, err := x.matchPosts(of, found.Candidates)
	if err != nil {
		return nil, err
	}
	found.Matches.Or(more)
	return found.Matches, nil
}

// between returns the rows among others that lie in the selection's stretch of time, and
// behind its first post. It is nil for all rows of the file.
func (x *index) between(of *poststore.Selection, among *roaring.Bitmap) (*roaring.Bitmap, error) {
	from, to := uint32(0), x.rows
	var err error
	if !of.From.IsZero() {
		if from, err = x.file.RowsBefore(of.From); err != nil {
			return nil, err
		}
	}
	if !of.To.IsZero() {
		if to, err = x.file.RowsBefore(of.To); err != nil {
			return nil, err
		}
	}
	if of.FromPost != nil {
		end, err := x.file.rowsFrom(of.FromPost)
		if err != nil {
			return nil, err
		}
		to = min(to, end)
	}
	switch {
	case from >= to:
		return roaring.New(), nil
	case from == 0 && to == x.rows:
		return among, nil
	case among == nil:
		return rowRange(from, to), nil
	}
	return roaring.And(among, rowRange(from, to)), nil
}

// find returns the rows among others that meet the rest of the selection. What the
// condition leaves are few rows, so they are asked about last; but for the geotag, the
// feelings and the sources, which take no time.
func (x *index) find(of *poststore.Selection, among *roaring.Bitmap) query.RowSet {
	found := query.RowSet{Matches: among}
	for _, step := range x.selectionSteps(of) {
		found = found.And(step(found.Possible()))
		if found.IsEmpty() {
			return found
		}
	}
	if found.Matches == nil || found.Matches == among {
		found.Matches = x.orAll(among).Clone()
	}
	return found
}

// selectionSteps returns the parts of a selection, in the order in which they are looked at.
func (x *index) selectionSteps(of *poststore.Selection) []func(among *roaring.Bitmap) query.RowSet {
	var steps []func(*roaring.Bitmap) query.RowSet
	add := func(field string, part poststore.Selection) {
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet {
			return x.Field(field, func(p *earshot.Post) bool { return enginekit.MatchesPost(&part, p) }, among)
		})
	}
	if of.Geotagged {
		add("geotagged", poststore.Selection{Geotagged: true})
	}
	if !of.Categories.IsZero() {
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet { return x.feelings(of.Categories, among) })
	}
	if of.After > 0 {
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet { return x.arrivedAfter(of.After, among) })
	}
	if len(of.Sources) > 0 {
		add("source", poststore.Selection{Sources: of.Sources})
	}
	if of.Where != nil {
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet { return of.Where.Bind(x).Select(x, among) })
	}
	if of.ContentSource != 0 {
		add("contentSource", poststore.Selection{ContentSource: of.ContentSource})
	}
	if len(of.Sites) > 0 {
		add("site", poststore.Selection{Sites: of.Sites})
	}
	if of.Engagement != "" {
		add("engagementType", poststore.Selection{Engagement: of.Engagement})
	}
	if len(of.Parents) > 0 {
		wanted := make(map[string]bool, len(of.Parents)) // there may be thousands
		for _, guid := range of.Parents {
			wanted[guid] = guid != ""
		}
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet {
			return x.Field("parentGuid", func(p *earshot.Post) bool { return wanted[p.ParentGUID] }, among)
		})
	}
	if len(of.Authors) > 0 {
		add("author", poststore.Selection{Authors: of.Authors})
	}
	for i := range of.Having {
		steps = append(steps, func(among *roaring.Bitmap) query.RowSet { return x.having(&of.Having[i], among) })
	}
	return steps
}

// feelings returns the rows that have one of the sentiments or of the emotions.
func (x *index) feelings(f poststore.CategoryFilter, among *roaring.Bitmap) query.RowSet {
	sentiments, err := x.byNumber(colSentiment, func(plusOne uint64) bool { return f.Has(int(plusOne)-1, -1) }, among)
	if err == nil {
		var emotions *roaring.Bitmap
		if emotions, err = x.byNumber(colEmotion, func(plusOne uint64) bool { return f.Has(-1, int(plusOne)-1) }, among); err == nil {
			sentiments.Or(emotions)
			return query.RowSet{Matches: sentiments}
		}
	}
	x.err = err
	return query.RowSet{Matches: roaring.New()}
}

// arrivedAfter returns the rows that came with a journal entry after a position.
func (x *index) arrivedAfter(at earshot.Position, among *roaring.Bitmap) query.RowSet {
	rows, err := x.byNumber(colArrived, func(arrived uint64) bool { return arrived > uint64(at) }, among)
	if err != nil {
		x.err = err
		return query.RowSet{Matches: roaring.New()}
	}
	return query.RowSet{Matches: rows}
}

// matchPosts returns the rows whose posts the selection matches. It reads every one of
// the posts, so it is for what nothing else can tell.
func (x *index) matchPosts(of *poststore.Selection, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	blobs, err := x.file.Blobs(blobPosts)
	if err != nil {
		return nil, err
	}
	reader := blobs.Reader()
	var d query.Document
	kept := x.filter(rows, func(row uint32) bool {
		if x.err != nil {
			return false
		}
		record, err := reader.Get(row)
		if err != nil {
			x.err = err
			return false
		}
		p, err := x.file.decode(row, record)
		if err != nil {
			x.err = err
			return false
		}
		if !enginekit.MatchesPost(of, &p) {
			return false
		}
		d.Reset(&p)
		return of.Where == nil || of.Where.Match(&d)
	})
	return kept, x.stopped()
}
