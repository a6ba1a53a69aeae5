package bench

import (
	"context"

	"earshot/internal/poststore/local"
)

// openLocal opens the store that the service uses.
func openLocal(ctx context.Context, dir string) (store, error) {
	return local.Open(ctx, local.Options{Dir: dir})
}
