package insight

import (
	"context"
	"fmt"

	"earshot/internal/poststore"
)

// Labels counts posts, and posts that an older version of the models has labeled. Posts that no model
// has processed were not labeled.
type Labels struct{ Posts, Outdated int64 }

// String returns a sentence for people, or "" if no labels are outdated.
func (l Labels) String() string {
	if l.Outdated == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d posts were labeled by an older version of the models", l.Outdated, l.Posts)
}

// Labels counts all stored posts.
func (s *Service) Labels(ctx context.Context) (Labels, error) {
	rows, err := s.Store.Tallies(ctx, poststore.Selection{}, []poststore.Tally{countBy(poststore.ByModels)})
	if err != nil {
		return Labels{}, err
	}
	return s.countLabels(rows[0]), nil
}

// countLabels counts rows by [poststore.ByModels].
func (s *Service) countLabels(rows []poststore.Row) (l Labels) {
	for _, row := range rows {
		l.Posts += row.Posts
		if by := inferredBy(row.Key[0]); s.Models != nil && by > 0 && by < s.Models() {
			l.Outdated += row.Posts
		}
	}
	return l
}
