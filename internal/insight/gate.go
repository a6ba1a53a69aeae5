package insight

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A gate limits to maxContrasts how many computations that need much memory run at the same time.
// The zero gate is ready to use.
type gate struct {
	init  sync.Once
	slots *semaphore.Weighted // set by init
}

// enter waits for a slot. The caller must call leave if there is no error.
func (g *gate) enter(ctx context.Context) (leave func(), err error) {
	g.init.Do(func() { g.slots = semaphore.NewWeighted(maxContrasts) })
	if err := g.slots.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { g.slots.Release(1) }, nil
}
