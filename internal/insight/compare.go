package insight

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

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

// A ComparePart is a section of a comparison.
type ComparePart string

const (
	CompareTotals     ComparePart = "totals"     // numbers of posts in total and by day, also of the earlier period
	CompareCounts     ComparePart = "counts"     // the same, and by attribute
	CompareTopics     ComparePart = "topics"     // the topics of each row
	CompareSeparating ComparePart = "separating" // what separates each row from the others
)

// CompareParts lists all parts.
var CompareParts = []ComparePart{CompareTotals, CompareCounts, CompareTopics, CompareSeparating}

// A ComparedRow contains the metrics of a row. Parts that were not requested are zero.
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
	ByDay    []DayCount

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
var comparedParts = []Part{
	DaysPart, CategoriesPart, EmotionsPart, HashtagsPart, SourcesPart, LanguagesPart, AuthorsPart, PlacesPart, AgesPart, GendersPart,
}

// Compare compares rows with each other, and each with its own earlier period. The number of posts
// of a row is part of every comparison.
func (s *Service) Compare(ctx context.Context, rows []CompareRow, parts ...ComparePart) ([]ComparedRow, error) {
	compared := make([]ComparedRow, len(rows))
	totals := map[earshot.Days]int64{}
	for i, row := range rows {
		if err := s.compareRow(ctx, row, parts, &compared[i]); err != nil {
			return nil, err
		}
		totals[row.Days] += compared[i].Posts
	}
	for i, row := range rows {
		if n := totals[row.Days]; n > 0 {
			compared[i].Share = float64(compared[i].Posts) / float64(n)
		}
	}
	if !slices.Contains(parts, CompareSeparating) {
		return compared, nil
	}
	return compared, s.separate(ctx, rows, compared)
}

// compareRow sets everything that does not depend on other rows.
func (s *Service) compareRow(ctx context.Context, row CompareRow, parts []ComparePart, c *ComparedRow) (err error) {
	counted := slices.Contains(parts, CompareCounts)
	request := OverviewRequest{Days: row.Days, Filter: row.Filter, Refine: row.Refine}
	switch {
	case counted:
		request.Parts = comparedParts
	case slices.Contains(parts, CompareTotals):
		request.Parts = []Part{DaysPart}
	}
	if c.Overview, err = s.Overview(ctx, row.Monitor, request); err != nil {
		return err
	}
	if requested := row.Days.Len(); requested > 0 {
		c.Coverage = float64(max(0, c.Overview.Days.Len())) / float64(requested)
	}
	today := earshot.DateOf(s.Now().In(row.Monitor.Location()))
	c.Ongoing = c.Overview.Days.Len() > 0 && c.Overview.Days.Contains(today)
	if slices.Contains(parts, CompareTopics) {
		report, err := s.ReportTopics(ctx, row.Monitor, row.ReportRequest, compareTopics)
		if err != nil {
			return err
		}
		c.Topics = report.Topics
	}
	if len(request.Parts) == 0 {
		return nil
	}
	return s.withReport(ctx, row.Monitor, row.ReportRequest, func(q *reportQuery) error {
		if counted && q.days.Len() > 0 {
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
	counts, err := s.countDaysOf(ctx, row.Monitor, q.selection(covered), covered, allPosts)
	if err != nil {
		return err
	}
	posts := counts.total(0)
	c.Earlier = &Earlier{Days: covered, Coverage: float64(covered.Len()) / float64(row.Before.Len()), Posts: posts}
	for i, day := range counts.dates {
		c.Earlier.ByDay = append(c.Earlier.ByDay, DayCount{day, counts.posts(0, i)})
	}
	if days := c.Overview.Days.Len(); days > 0 && posts > 0 {
		change := float64(c.Posts)/float64(days)/(float64(posts)/float64(covered.Len())) - 1
		c.Earlier.Change = &change
	}
	return nil
}

// A separation is the condition that separates a row from the others.
type separation struct {
	Drivers
	estimated bool
}

type separations []separation

func (list separations) size() int { return len(list) << 14 }

// separate finds the words and attributes that separate each row from all others.
func (s *Service) separate(ctx context.Context, rows []CompareRow, compared []ComparedRow) error {
	return s.withReports(ctx, rows, nil, func(queries []*reportQuery) error {
		var sels []poststore.Selection
		var key strings.Builder
		for i, q := range queries {
			if compared[i].Posts > 0 {
				sels = append(sels, selection(q.monitor, q.days))
			}
			fmt.Fprintf(&key, "%d %s;", q.monitor.ID, q.key)
		}
		found, err := memoizeAll(ctx, s.Store, &s.separations, sels, key.String(), func() (separations, error) {
			return s.contrastRows(ctx, queries, compared)
		})
		for i := range found {
			compared[i].Separating, compared[i].Estimated = found[i].Drivers, found[i].estimated
		}
		return err
	})
}

// withReports calls do with the resolved requests of rows. queries are those of the first rows.
func (s *Service) withReports(ctx context.Context, rows []CompareRow, queries []*reportQuery, do func([]*reportQuery) error) error {
	n := len(queries)
	if n == len(rows) {
		return do(queries)
	}
	return s.withReport(ctx, rows[n].Monitor, rows[n].ReportRequest, func(q *reportQuery) error {
		return s.withReports(ctx, rows, append(queries[:n:n], q), do)
	})
}

// contrastRows compares each row with all others. Rows without posts are left out.
func (s *Service) contrastRows(ctx context.Context, queries []*reportQuery, compared []ComparedRow) (separations, error) {
	leave, err := s.contrasts.enter(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()
	searched := map[string]bool{}
	for _, q := range queries {
		maps.Copy(searched, searchWords(q.monitor.Criteria.Keywords))
	}
	found := make(separations, len(queries))
	for i, q := range queries {
		var others []poststore.Selection
		var posts int64
		for k, other := range queries {
			if k != i && compared[k].Posts > 0 {
				others = append(others, other.selection(other.days))
				posts += compared[k].Posts
			}
		}
		if compared[i].Posts == 0 || len(others) == 0 {
			continue
		}
		c := newContrast(q.monitor, float64(compared[i].Posts)/float64(posts))
		c.searched, c.sample = searched, explainSample/int64(len(queries))
		of := []poststore.Selection{q.selection(q.days)}
		if err := s.fillContrast(ctx, c, of, others); err != nil {
			return nil, err
		}
		drivers, err := s.drivers(ctx, q.monitor, c, of)
		if err != nil {
			return nil, err
		}
		found[i] = separation{drivers, c.estimated}
	}
	return found, nil
}
