package catalog

import (
	"context"
	"errors"

	"earshot/internal/state/kv"
)

// A Lock waits until no other process has the lock, and returns a context for writes, the revision
// that the catalog must have read before, and a function that unlocks. Writes with the context fail
// with [kv.ErrFenced] once another process has the lock, because this one kept it for too long.
type Lock func(ctx context.Context) (held context.Context, revision uint64, unlock func(), err error)

// Exclusive runs f, which makes a change that depends on several records: a team's limit, a team's
// removal, the last administrator. It runs one such function at a time, in all processes. f sees what
// earlier ones have written. It must use the context that it gets, and must not call Exclusive.
func (c *Catalog) Exclusive(ctx context.Context, f func(ctx context.Context) error) error {
	select {
	case c.exclusive <- struct{}{}:
		defer func() { <-c.exclusive }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if c.Lock == nil {
		return f(ctx)
	}
	held, revision, unlock, err := c.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.WaitRevision(held, revision); err != nil {
		return err
	}
	if c.Revision() < revision { // the store seems to lack it
		return errBusy
	}
	err = f(held)
	if errors.Is(err, kv.ErrFenced) {
		return errBusy
	}
	return err
}

// Exclusively is [Catalog.Exclusive] for a function with a result.
func Exclusively[T any](ctx context.Context, c *Catalog, f func(ctx context.Context) (T, error)) (result T, err error) {
	err = c.Exclusive(ctx, func(ctx context.Context) (err error) {
		result, err = f(ctx)
		return err
	})
	return result, err
}
