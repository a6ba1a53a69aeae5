package clickhouse

import (
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
)

// inRange returns the condition that a post has a number in a range.
func (s *selector) inRange(r *poststore.Range) string {
	var stated uint64
	var columns []string
	for _, m := range r.Of {
		if column := measureColumns[m]; column != "" {
			stated |= 1 << (m - poststore.Impressions)
			columns = append(columns, column)
		}
	}
	if stated == 0 {
		return never
	}
	return "(bitAnd(stated, " + s.args.Uint(stated) + ") != 0 AND " + saturatingSum(columns) + " BETWEEN " + s.args.Int(r.Min) + " AND " + s.args.Int(r.Max) + ")"
}

// measureColumns are the columns of measures.
var measureColumns = map[poststore.Measure]string{
	poststore.Impressions: "followers",
	poststore.Likes:       "likes",
	poststore.Shares:      "shares",
	poststore.Comments:    "comments",
	poststore.Replies:     "replies",
	poststore.Retweets:    "retweets",
	poststore.Views:       "views",
}

// saturatingSum returns an expression for the sum of columns of a row, like
// [poststore.SaturatingAdd]. The numbers are not negative, so the sum of two fits into 64 bits without
// a sign.
func saturatingSum(columns []string) string {
	if len(columns) == 1 {
		return columns[0]
	}
	sum := "toUInt64(" + columns[0] + ")"
	for _, c := range columns[1:] {
		sum = "least(" + sum + " + toUInt64(" + c + "), toUInt64(9223372036854775807))"
	}
	return "toInt64(" + sum + ")"
}

// engagementColumns are the columns that make up the engagement of a post.
func engagementColumns() (columns []string) {
	for _, m := range enginekit.EngagementMeasures {
		columns = append(columns, measureColumns[m])
	}
	return columns
}
