package segment

import (
	"context"

	"github.com/RoaringBitmap/roaring/v2"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/colfile"
	"earshot/internal/query"
)

// Select returns the rows in scope whose posts match a selection. If scope is nil, it considers all
// rows. It ignores Set because the store passes the rows of the set as scope, and Except because the
// store removes those rows. The caller may modify the bitmap but must not use it after the segment is
// closed. Select does not modify scope.
func (s *Segment) Select(ctx context.Context, selection *poststore.Selection, scope *roaring.Bitmap) (*roaring.Bitmap, error) {
	return s.SelectCorrected(ctx, selection, scope, nil)
}

// SelectCorrected is [Segment.Select] for posts with corrections, which may be nil.
func (s *Segment) SelectCorrected(ctx context.Context, selection *poststore.Selection, scope *roaring.Bitmap, c *Corrections) (*roaring.Bitmap, error) {
	x, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	x.corrections = c
	scope, err = x.inTimeRange(selection, scope)
	if err != nil {
		return nil, err
	}
	found := query.RowSet{Matches: scope}
	for _, step := range x.selectionSteps(selection) {
		if found = found.And(step(found.Possible())); found.IsEmpty() {
			break
		}
	}
	if found.Matches == nil || found.Matches == scope {
		found.Matches = x.orAll(scope).Clone()
	}
	if err := x.stopped(); err != nil {
		return nil, err
	}
	if found.Candidates == nil || found.Candidates.IsEmpty() {
		return found.Matches, nil
	}
	more, err := x.matchPosts(selection, found.Candidates)
	if err != nil {
		return nil, err
	}
	found.Matches.Or(more)
	return found.Matches, nil
}

// inTimeRange returns the rows in scope that are in the selection's time range and at or after its
// FromPost in the order of [earshot.ComparePosts]. A nil result means all rows.
func (x *index) inTimeRange(selection *poststore.Selection, scope *roaring.Bitmap) (*roaring.Bitmap, error) {
	from, to := uint32(0), x.rows
	var err error
	if !selection.From.IsZero() {
		if from, err = x.segment.RowsBefore(selection.From); err != nil {
			return nil, err
		}
	}
	if !selection.To.IsZero() {
		if to, err = x.segment.RowsBefore(selection.To); err != nil {
			return nil, err
		}
	}
	if selection.FromPost != nil {
		end, err := x.segment.rowsFrom(selection.FromPost)
		if err != nil {
			return nil, err
		}
		to = min(to, end)
	}
	switch {
	case from >= to:
		return roaring.New(), nil
	case from == 0 && to == x.rows:
		return scope, nil
	case scope == nil:
		return rowRange(from, to), nil
	}
	return roaring.And(scope, rowRange(from, to)), nil
}

// selectionSteps returns the parts of a selection in the order in which they are applied. The
// condition leaves few rows, so most other parts come after it. Geotag, categories, position and
// sources come first because they take almost no time.
func (x *index) selectionSteps(selection *poststore.Selection) (steps []func(scope *roaring.Bitmap) query.RowSet) {
	add := func(step func(scope *roaring.Bitmap) query.RowSet) { steps = append(steps, step) }
	addField := func(field string, part poststore.Selection) {
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.Field(field, func(p *earshot.Post) bool { return enginekit.MatchesPost(&part, p) }, scope)
		})
	}
	if selection.Geotagged {
		addField("geotagged", poststore.Selection{Geotagged: true})
	}
	if !selection.Categories.IsZero() {
		add(func(scope *roaring.Bitmap) query.RowSet { return x.byCategory(selection.Categories, scope) })
	}
	if selection.After > 0 {
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.rowSet(x.byNumber(colArrived, func(arrived uint64) bool { return arrived > uint64(selection.After) }, scope))
		})
	}
	if len(selection.Sources) > 0 {
		addField("source", poststore.Selection{Sources: selection.Sources})
	}
	if selection.Where != nil {
		add(func(scope *roaring.Bitmap) query.RowSet { return selection.Where.Bind(x).Select(x, scope) })
	}
	if selection.ContentSource != 0 {
		addField("contentSource", poststore.Selection{ContentSource: selection.ContentSource})
	}
	if len(selection.Sites) > 0 {
		addField("site", poststore.Selection{Sites: selection.Sites})
	}
	if selection.Engagement != "" {
		addField("engagementType", poststore.Selection{Engagement: selection.Engagement})
	}
	if len(selection.Parents) > 0 {
		wanted := make(map[string]bool, len(selection.Parents)) // a map because there may be thousands
		for _, guid := range selection.Parents {
			wanted[guid] = guid != ""
		}
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.Field("parentGuid", func(p *earshot.Post) bool { return wanted[p.ParentGUID] }, scope)
		})
	}
	if len(selection.Authors) > 0 {
		addField("author", poststore.Selection{Authors: selection.Authors})
	}
	if len(selection.Handles) > 0 {
		wanted := make(map[string]bool, len(selection.Handles))
		for _, name := range selection.Handles {
			name = earshot.AccountName(name)
			wanted[name] = name != ""
		}
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.Field("author", func(p *earshot.Post) bool { return wanted[earshot.AccountName(p.Handle())] }, scope)
		})
	}
	if len(selection.Accounts) > 0 { // profile IDs have no column, so this reads all posts
		addField("account", poststore.Selection{Accounts: selection.Accounts})
	}
	for i := range selection.Having {
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.rowSet(x.having(&selection.Having[i], x.orAll(scope)))
		})
	}
	for i := range selection.Ranges {
		add(func(scope *roaring.Bitmap) query.RowSet {
			return x.rowSet(x.inRange(&selection.Ranges[i], x.orAll(scope)))
		})
	}
	return steps
}

// inRange returns the rows whose posts have a number in a range.
func (x *index) inRange(r *poststore.Range, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	columns := make([]*colfile.Uints, len(r.Of))
	for i, m := range r.Of {
		var err error
		if columns[i], err = x.segment.Uints(measureColumns[m]); err != nil {
			return nil, err
		}
	}
	values, sums := make([]uint64, chunkRows), make([]int64, chunkRows)
	return x.filterChunks(rows, func(chunk []uint32) []uint32 {
		sums := sums[:len(chunk)] // -1: none of the numbers is stated
		for i := range sums {
			sums[i] = -1
		}
		for _, c := range columns {
			readColumn(c, values, chunk)
			for i, v := range values[:len(chunk)] {
				if plusOne := v + c.Base(); plusOne > 0 {
					sums[i] = poststore.SaturatingAdd(max(sums[i], 0), int64(plusOne-1))
				}
			}
		}
		n := 0
		for i, row := range chunk {
			if sums[i] >= 0 && r.Contains(sums[i]) {
				chunk[n] = row
				n++
			}
		}
		return chunk[:n]
	}), nil
}

// byCategory returns the rows that have one of the filter's sentiments or emotions.
func (x *index) byCategory(f poststore.CategoryFilter, scope *roaring.Bitmap) query.RowSet {
	sentiments, err := x.byNumber(colSentiment, func(plusOne uint64) bool { return f.Has(int(plusOne)-1, -1) }, scope)
	if err != nil {
		return x.rowSet(nil, err)
	}
	emotions, err := x.byNumber(colEmotion, func(plusOne uint64) bool { return f.Has(-1, int(plusOne)-1) }, scope)
	if err != nil {
		return x.rowSet(nil, err)
	}
	sentiments.Or(emotions)
	return x.rowSet(x.correct(sentiments, scope, f.Has))
}

// correct decides again about the corrected rows in scope: it adds a row to found if the indexes of
// its sentiment and emotion are accepted, and removes it otherwise.
func (x *index) correct(found, scope *roaring.Bitmap, accept func(sentiment, emotion int) bool) (*roaring.Bitmap, error) {
	if x.corrections == nil {
		return found, nil
	}
	sentiments, err := x.segment.corrected(x.corrections, colSentiment, correctedSentiment)
	if err != nil {
		return nil, err
	}
	emotions, err := x.segment.corrected(x.corrections, colEmotion, correctedEmotion)
	if err != nil {
		return nil, err
	}
	return x.corrections.decide(found, scope, func(i int) bool { return accept(int(sentiments[i])-1, int(emotions[i])-1) }), nil
}

// matchPosts returns the rows whose posts match the selection. It reads each post, so it is used
// only for rows that columns cannot decide.
func (x *index) matchPosts(selection *poststore.Selection, rows *roaring.Bitmap) (*roaring.Bitmap, error) {
	blobs, err := x.segment.Blobs(blobPosts)
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
		p, err := x.segment.decode(row, record)
		if err != nil {
			x.err = err
			return false
		}
		if x.corrections.apply(row, &p); !enginekit.MatchesPost(selection, &p) {
			return false
		}
		d.Reset(&p)
		return selection.Where == nil || selection.Where.Match(&d)
	})
	return kept, x.stopped()
}
