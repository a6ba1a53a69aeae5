package app

import "context"

// Compact flushes and compacts the post store immediately instead of in the background.
func (a *App) Compact(ctx context.Context) error { return a.posts.Compact(ctx) }
