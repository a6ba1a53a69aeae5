// Package content takes posts in: documents that customers upload into their
// content sources, and posts that operators import. Every item is checked before
// any is taken, and what is taken is in the journal, on disk, before the caller
// hears of it.
package content

import (
	"context"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

// Journal is where accepted documents and deletions go.
type Journal interface {
	Append(ctx context.Context, e journal.Entry) (earshot.Position, error)
}

// A Service takes content in.
type Service struct {
	Catalog *catalog.Catalog
	Journal Journal
	Store   poststore.Counter // counts the documents of content sources
	Now     func() time.Time
}
