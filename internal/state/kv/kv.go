// Package kv is the contract of a small key-value store. Every entry has a revision, and a
// write can be made conditional on it (compare-and-set), so that concurrent writers neither
// overwrite each other nor need a lock. The catalog, the ledger of analyses and the cursors of
// streams are plain code over it.
//
// Implementations: [earshot/internal/state/natsnode.Bucket], which is durable, and [Memory].
// Package kvtest holds what both promise.
package kv

import (
	"context"
	"errors"
	"fmt"
	"regexp"
)

var (
	ErrNotFound = errors.New("kv: key not found")
	ErrConflict = errors.New("kv: another revision than expected")
)

// A Store maps keys to values. Keys are letters, digits, '-', '_' and '=', in parts separated
// by dots: user.5.7. All methods may be called at the same time. When a write returns, it
// survives a crash.
type Store interface {
	// Get returns the entry at key, or ErrNotFound.
	Get(ctx context.Context, key string) (Entry, error)

	// Put writes value if the entry still has the given revision, and returns the new
	// revision; 0 means that there must be no entry. Otherwise ErrConflict.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Set writes value unconditionally and returns the new revision. A repeat is harmless.
	Set(ctx context.Context, key string, value []byte) (uint64, error)

	// Delete removes the entry if it still has the given revision, otherwise ErrConflict.
	// Watchers see the deletion. It may leave a tombstone, which Keys may list.
	Delete(ctx context.Context, key string, revision uint64) error

	// Purge removes the entry and leaves no tombstone. Watchers do not see it. It is no error
	// if there is no entry. An entry written after Purge has begun stays.
	Purge(ctx context.Context, key string) error

	// Keys returns the keys that match filter, in byte order. In the filter, * stands for one
	// part and a final > for one or more: open.*, user.5.>
	Keys(ctx context.Context, filter string) ([]string, error)

	// Watch calls change for every entry there is, then ready once, then change for later
	// writes in order, until ctx ends. Of several writes to one key in quick succession it may
	// report the last alone. A deletion has a nil Value and a revision of its own. Watch
	// returns ctx's error, or the reason why it cannot go on.
	Watch(ctx context.Context, change func(Entry), ready func()) error
}

// An Entry is a value and the revision that wrote it. Revisions only grow.
type Entry struct {
	Key      string
	Value    []byte
	Revision uint64
}

var validKey = regexp.MustCompile(`^[-_=A-Za-z0-9]+(\.[-_=A-Za-z0-9]+)*$`)

// CheckKey returns an error unless key is valid.
func CheckKey(key string) error {
	if !validKey.MatchString(key) {
		return fmt.Errorf("invalid key %q", key)
	}
	return nil
}
