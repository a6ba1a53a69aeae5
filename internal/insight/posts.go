package insight

import (
	"context"

	"earshot"
	"earshot/internal/poststore"
)

// Posts returns at most limit posts of m, newest first, and how many there are.
// narrow adds conditions to the selection; its Monitor, From and To are set here.
func (s *Service) Posts(ctx context.Context, m *earshot.Monitor, days earshot.Days, narrow poststore.Selection, limit int) ([]earshot.Post, int64, error) {
	of := selection(m, days)
	narrow.Monitor, narrow.From, narrow.To = of.Monitor, of.From, of.To
	return s.Store.Posts(ctx, narrow, limit)
}
