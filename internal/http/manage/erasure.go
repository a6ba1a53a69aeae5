package manage

import (
	"context"

	"earshot"
	"earshot/internal/erasure"
)

// erasedAuthor counts what was erased or, in a dry run, would be.
type erasedAuthor struct {
	Posts    int64 `json:"posts"`
	Training int   `json:"training"`
}

// eraseAuthor serves POST /manage/v1/authors/erase.
func (a *API) eraseAuthor(ctx context.Context, c *earshot.Caller, p struct {
	Body struct {
		Network *string `json:"network"` // nil: all networks and content sources
		Author  string  `json:"author"`  // handle, profile ID or page ID
		DryRun  bool    `json:"dryRun"`
	} `body:"json"`
}) (erasedAuthor, error) {
	r := erasure.Request{Author: p.Body.Author, DryRun: p.Body.DryRun}
	if p.Body.Network != nil {
		r.Network = earshot.Source(*p.Body.Network)
	}
	erased, err := a.Erasure.Erase(ctx, c, r)
	return erasedAuthor(erased), err
}
