package app

import (
	"context"

	"earshot/internal/poststore/local"
)

// Compact flushes and compacts a local post store immediately instead of in the background.
func (a *App) Compact(ctx context.Context) error {
	if store, ok := a.posts.(*local.Store); ok {
		return store.Compact(ctx)
	}
	return nil
}
