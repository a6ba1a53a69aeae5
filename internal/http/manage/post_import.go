package manage

import (
	"context"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/http/rest"
)

type importParams struct {
	// DocumentType is the content source to import into. If it is 0, each line's type names its
	// network.
	DocumentType earshot.ContentSourceID `query:"documentType"`
	Body         *rest.BodyStream        `body:"stream"`
}

// importPosts serves POST /manage/v1/posts.
func (a *API) importPosts(ctx context.Context, c *earshot.Caller, p importParams) (content.Imported, error) {
	var into *earshot.ContentSource
	if p.DocumentType != 0 {
		var err error
		if into, err = a.Content.FindSource(c, p.DocumentType); err != nil {
			return content.Imported{}, err
		}
	}
	return a.Content.ImportLines(ctx, p.Body, into, a.Pictures)
}
