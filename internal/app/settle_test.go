package app

import "context"

// Compact brings posts to the disk and merges their files until nothing is left to merge, which
// otherwise happens in the background.
func (a *App) Compact(ctx context.Context) error { return a.posts.Compact(ctx) }
