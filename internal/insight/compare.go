package insight

import (
	"context"
	"fmt"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// A CompareRow selects posts to compare with those of other rows: of a monitor, a refinement and
// some days.
type CompareRow struct {
	Monitor *earshot.Monitor
	ReportRequest
	Before *earshot.Days // the earlier period that the row is held against; nil: none
}

// A ComparedRow contains the metrics of a row.
type ComparedRow struct {
	*Overview           // of the days that have results
	Coverage   float64  // share of the requested days that have results
	Ongoing    bool     // whether the last day is not over
	Earlier    *Earlier // nil if no earlier period was requested or none of it has results
	Share      float64  // of the posts of all rows with the same days: share of voice
	Reactions  int64    // likes, shares, comments, replies and retweets, added up
	Topics     []TopicDetail
	Separating Drivers // what separates the row from the others
	Estimated  bool
}

// Earlier is the period that a row is held against.
type Earlier struct {
	Days     earshot.Days // as far as they have results
	Coverage float64      // share of the period that has results
	Posts    int64

	// Change is the relative change of posts per day. It is nil if there were none.
	Change *float64
}

// IsPartial reports whether part of a period has no results, so that totals are not comparable.
func (r *ComparedRow) IsPartial() bool {
	return r.Coverage < 1 || r.Ongoing || r.Earlier != nil && r.Earlier.Coverage < 1
}

// Limits of a comparison.
const (
	MaxCompareRows = 10
	compareTopics  = 5
)

// comparedParts are the parts of the overview of a row.
var comparedParts = []Part{DaysPart, CategoriesPart, EmotionsPart, SourcesPart, LanguagesPart, AuthorsPart}

// Compare compares rows with each other, and each with its own earlier period.
func (s *Service) Compare(ctx context.Context, rows []CompareRow) ([]ComparedRow, error) {
	compared := make([]ComparedRow, len(rows))
	totals := map[earshot.Days]int64{}
	for i, row := range rows {
		if err := s.compareRow(ctx, row, &compared[i]); err != nil {
			return nil, err
		}
		totals[row.Days] += compared[i].Posts
	}
	for i, row := range rows {
		if n := totals[row.Days]; n > 0 {
			compared[i].Share = float64(compared[i].Posts) / float64(n)
		}
	}
	return compared, s.separate(ctx, rows, compared)
}

// compareRow sets everything that does not depend on other rows.
func (s *Service) compareRow(ctx context.Context, row CompareRow, c *ComparedRow) (err error) {
	c.Overview, err = s.Overview(ctx, row.Monitor, OverviewRequest{Days: row.Days, Parts: comparedParts, Filter: row.Filter, Refine: row.Refine})
	if err != nil {
		return err
	}
	if requested := row.Days.Len(); requested > 0 {
		c.Coverage = float64(max(0, c.Overview.Days.Len())) / float64(requested)
	}
	today := earshot.DateOf(s.Now().In(row.Monitor.Location()))
	c.Ongoing = c.Overview.Days.Len() > 0 && c.Overview.Days.Contains(today)
	report, err := s.ReportTopics(ctx, row.Monitor, row.ReportRequest, compareTopics)
	if err != nil {
		return err
	}
	c.Topics = report.Topics
	return s.withReport(ctx, row.Monitor, row.ReportRequest, func(q *reportQuery) error {
		if q.days.Len() > 0 {
			sums, err := poststore.TallyOne(ctx, s.Store, q.selection(q.days), poststore.Tally{Sum: enginekit.EngagementMeasures})
			if err != nil {
				return err
			}
			c.Reactions = 0
			for _, n := range sums[0].Sums {
				c.Reactions = poststore.SaturatingAdd(c.Reactions, n)
			}
		}
		return s.countEarlier(ctx, q, row, c)
	})
}

// countEarlier sets the earlier period.
func (s *Service) countEarlier(ctx context.Context, q *reportQuery, row CompareRow, c *ComparedRow) error {
	c.Earlier = nil
	if row.Before == nil || row.Before.Len() <= 0 {
		return nil
	}
	covered := s.withResults(row.Monitor, *row.Before)
	if covered.Len() <= 0 {
		return nil
	}
	posts, err := s.countSelected(ctx, q.selection(covered))
	if err != nil {
		return err
	}
	c.Earlier = &Earlier{Days: covered, Coverage: float64(covered.Len()) / float64(row.Before.Len()), Posts: posts}
	if days := c.Overview.Days.Len(); days > 0 && posts > 0 {
		change := float64(c.Posts)/float64(days)/(float64(posts)/float64(covered.Len())) - 1
		c.Earlier.Change = &change
	}
	return nil
}

// separate finds the words and attributes that separate each row from all others.
func (s *Service) separate(ctx context.Context, rows []CompareRow, compared []ComparedRow) error {
	searched := map[string]bool{}
	sels := make([]*poststore.Selection, len(rows)) // nil for rows without posts
	for i, row := range rows {
		for word := range searchWords(row.Monitor.Criteria.Keywords) {
			searched[word] = true
		}
		err := s.withReport(ctx, row.Monitor, row.ReportRequest, func(q *reportQuery) error {
			if sels[i] = nil; compared[i].Posts > 0 && q.days.Len() > 0 {
				sel := q.selection(q.days)
				sels[i] = &sel
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("row %d: %w", i+1, err)
		}
	}
	for i := range rows {
		var others []poststore.Selection
		var posts int64
		for k, sel := range sels {
			if k != i && sel != nil {
				others = append(others, *sel)
				posts += compared[k].Posts
			}
		}
		if sels[i] == nil || len(others) == 0 || posts == 0 {
			continue
		}
		c := newContrast(rows[i].Monitor, float64(compared[i].Posts)/float64(posts))
		c.searched, c.sample = searched, explainSample/int64(len(rows))
		if err := s.fillContrast(ctx, c, []poststore.Selection{*sels[i]}, others); err != nil {
			return err
		}
		compared[i].Separating, compared[i].Estimated = c.drivers(), c.estimated
	}
	return nil
}
