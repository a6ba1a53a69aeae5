package source

import (
	"context"

	"earshot/internal/state/kv"
)

// withValues returns ctx with the values of another context, which include the fence of a source.
// Deadline and cancellation are those of ctx.
func withValues(ctx, values context.Context) context.Context { return valueContext{ctx, values} }

type valueContext struct {
	context.Context
	values context.Context
}

// Value implements context.Context.
func (c valueContext) Value(key any) any {
	if v := c.Context.Value(key); v != nil { // first, because package context finds its own types so
		return v
	}
	return c.values.Value(key)
}

// A fencedStore writes with the fence of another context.
type fencedStore struct {
	kv.Store
	fence context.Context
}

// Put implements kv.Store.
func (s fencedStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return s.Store.Put(withValues(ctx, s.fence), key, value, revision)
}

// Set implements kv.Store.
func (s fencedStore) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	return s.Store.Set(withValues(ctx, s.fence), key, value)
}

// Delete implements kv.Store.
func (s fencedStore) Delete(ctx context.Context, key string, revision uint64) error {
	return s.Store.Delete(withValues(ctx, s.fence), key, revision)
}

// Purge implements kv.Store.
func (s fencedStore) Purge(ctx context.Context, key string) error {
	return s.Store.Purge(withValues(ctx, s.fence), key)
}
