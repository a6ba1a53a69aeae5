package app

import "context"

// Compact flushes and compacts the post store now; otherwise that happens in the background.
func (a *App) Compact(ctx context.Context) error { return a.posts.Compact(ctx) }
