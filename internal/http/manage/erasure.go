package manage

import (
	"context"

	"earshot"
	"earshot/internal/operate/erasure"
)

// eraseAuthor serves POST /manage/v1/authors/erase.
func (a *API) eraseAuthor(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Network *string `json:"network"` // nil: all networks and content sources
		Author  string  `json:"author"`  // handle, profile ID or page ID
		DryRun  bool    `json:"dryRun"`
	} `body:"json"`
}) (erasure.Result, error) {
	r := erasure.Request{Author: p.Body.Author, DryRun: p.Body.DryRun}
	if p.Body.Network != nil {
		r.Network = earshot.Source(*p.Body.Network)
	}
	return a.Erasure.Erase(ctx, c, r)
}
