// Package content ingests posts: documents that customers upload to their content sources, and
// posts that operators import. It accepts only items that package item finds valid. Accepted items are in the
// journal, on disk, before the caller gets a response.
package content

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// A Journal durably stores accepted documents and deletions.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
}

// A Store counts and finds the documents of content sources.
type Store interface {
	poststore.Counter
	Posts(ctx context.Context, of poststore.Selection, limit int) ([]earshot.Post, int64, error)
}

// A Service ingests content.
type Service struct {
	Catalog *catalog.Catalog
	Journal Journal
	Store   Store
	Now     func() time.Time
	Shared  bool // several nodes accept uploads
}

// MaxItems is the maximum number of documents in one request. It bounds the size of journal
// entries.
const MaxItems = 1000

// A Problem is the validation error of one item.
type Problem struct {
	Item    int    `json:"index"` // of the item
	Message string `json:"message"`
}
