package catalog

import (
	"context"
	"errors"
)

// A Store keeps small records by key, for good, and tells everyone who watches
// what changed. Keys are made of letters, digits, '-', '_', '=' and '.'.
//
// Implementations: internal/state/catalog/jetstream and its plain twin
// internal/state/catalog/memory. internal/state/catalog/catalogtest holds what both promise.
type Store interface {
	// Get returns the record at key, or ErrNotFound.
	Get(ctx context.Context, key string) (Record, error)

	// Put writes value if the record's revision is still the given one, and
	// returns the new revision; 0 means that there must be no record. Otherwise
	// ErrConflict. When Put returns, the value survives a crash.
	Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error)

	// Delete removes the record if its revision is still the given one,
	// otherwise ErrConflict.
	Delete(ctx context.Context, key string, revision uint64) error

	// Watch calls change for every record there is, then ready once, then change
	// for later writes in order, until ctx ends. Of several writes to one record in
	// quick succession it may report the last alone. A deleted record comes with a
	// nil Value and the revision of its deletion. It returns ctx's error, or the
	// reason it cannot go on.
	Watch(ctx context.Context, change func(Record), ready func()) error
}

// A Record is a value and the revision that wrote it. Revisions only grow.
type Record struct {
	Key      string
	Value    []byte
	Revision uint64
}

var (
	ErrNotFound = errors.New("catalog: no such record")
	ErrConflict = errors.New("catalog: record was changed by someone else")
)
