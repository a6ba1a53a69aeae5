package hackernews

import (
	"context"

	"earshot"
	"earshot/internal/connector"
)

// Sample implements [connector.Connector]. It returns the newest items.
func (h *hackerNews) Sample(ctx context.Context, n int) ([]earshot.Post, error) {
	cfg, err := parseSettings(h.Settings)
	if err != nil {
		return nil, err
	}
	c := h.client(cfg, func(connector.Counters) {})
	newest, err := c.maxItem(ctx)
	if err != nil {
		return nil, err
	}
	var posts []earshot.Post
	for last := newest; last > max(newest-headStart, 0) && len(posts) < n; last -= parallelism {
		var ids []int64
		for id := last; id > max(last-parallelism, 0); id-- {
			ids = append(ids, id)
		}
		results, err := c.items(ctx, ids)
		if err != nil {
			if len(posts) > 0 {
				break
			}
			return nil, err
		}
		for _, r := range results {
			if r.item == nil || len(posts) == n {
				continue
			}
			if p, skip := r.item.post(h.Now()); skip == "" {
				posts = append(posts, p)
			}
		}
	}
	return posts, nil
}
