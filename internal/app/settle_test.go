package app

import "context"

// Settle brings posts to the disk and merges their files until nothing is left to merge, which
// otherwise happens in the background.
func (a *App) Settle(ctx context.Context) error { return a.posts.Compact(ctx) }
