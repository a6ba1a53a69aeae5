package manage

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/content"
	"earshot/internal/http/document"
	"earshot/internal/http/rest"
	"earshot/internal/ingest/item"
)

type checkContentParams struct {
	Body struct {
		Items         checkedItems            `json:"items"`
		ContentSource earshot.ContentSourceID `json:"contentSource"`
	} `body:"json,large"`
}

// checkedItems are decoded individually, so that a malformed item does not hide problems of the
// others.
type checkedItems []json.RawMessage

// CheckLength implements [rest.Bounded].
func (checkedItems) CheckLength(n int) error {
	if n > content.MaxItems {
		return content.TooManyItems(n)
	}
	return nil
}

type checkedContent struct {
	Valid  int               `json:"valid"`
	Errors []content.Problem `json:"errors"`
}

// checkContent returns the errors that an upload would report for each document. It stores nothing.
// Invalid documents are part of the response, not an error.
func (a *API) checkContent(_ context.Context, c *earshot.Caller, p checkContentParams) (checkedContent, error) {
	if p.Body.ContentSource == 0 {
		return checkedContent{}, earshot.InvalidBody("contentSource is missing")
	}
	items, problems := a.readItems(p.Body.Items)
	found, err := a.Content.Check(c, p.Body.ContentSource, items)
	if err != nil {
		return checkedContent{}, err
	}
	problems = append(problems, found...)
	slices.SortFunc(problems, func(a, b content.Problem) int { return cmp.Compare(a.Item, b.Item) })
	return checkedContent{Valid: len(items) - len(problems), Errors: problems}, nil
}

// readItems decodes documents. A document that cannot be decoded is nil and has a problem.
func (a *API) readItems(texts []json.RawMessage) (items []*item.Item, problems []content.Problem) {
	items = make([]*item.Item, len(texts))
	for i, text := range texts {
		var d document.Document
		if err := rest.Decode(text, "", &d); err != nil {
			problems = append(problems, content.Problem{Item: i, Message: strings.TrimPrefix(err.Error(), invalidBody)})
			continue
		}
		it := d.Item()
		items[i] = &it
	}
	return items, problems
}

// invalidBody is the prefix of error messages about request bodies.
var invalidBody = earshot.InvalidBody("").Message
