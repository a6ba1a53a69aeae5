package pipeline

import (
	"context"
	"sync"

	"earshot"
)

// A waitablePosition is a journal position that others can wait for.
type waitablePosition struct {
	mu      sync.Mutex
	at      uint64        // guarded by mu
	changed chan struct{} // guarded by mu; closed when at changes; nil: nobody waits
}

// Load returns the position.
func (p *waitablePosition) Load() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at
}

// Store sets the position and wakes waiters.
func (p *waitablePosition) Store(at uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at = at
	if p.changed != nil {
		close(p.changed)
		p.changed = nil
	}
}

// get returns the position, and a channel that is closed when it changes.
func (p *waitablePosition) get() (uint64, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.at, p.changed
}

// WaitPosition waits until all entries up to a position have been processed, or returns the error of
// ctx.
func (p *Pipeline) WaitPosition(ctx context.Context, at earshot.Position) error {
	for {
		current, changed := p.position.get()
		if current >= uint64(at) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-changed:
		}
	}
}
