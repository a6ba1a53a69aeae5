package source

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/state/kv"
)

// maxRecordBytes is the maximum size of a record of a connector.
const maxRecordBytes = 512 << 10

// A recordStore contains the records of one source. It is part of a store that all sources share.
type recordStore struct {
	store  kv.Store
	prefix string // the ID of the source and a dot
}

var _ kv.Store = recordStore{}

func (s *Service) records(id earshot.LiveSourceID) recordStore {
	return recordStore{s.Records, strconv.FormatInt(int64(id), 10) + "."}
}

// Get implements kv.Store.
func (r recordStore) Get(ctx context.Context, key string) (kv.Entry, error) {
	e, err := r.store.Get(ctx, r.prefix+key)
	return r.own(e), err
}

// Put implements kv.Store.
func (r recordStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if err := checkSize(key, value); err != nil {
		return 0, err
	}
	return r.store.Put(ctx, r.prefix+key, value, revision)
}

// Set implements kv.Store.
func (r recordStore) Set(ctx context.Context, key string, value []byte) (uint64, error) {
	if err := checkSize(key, value); err != nil {
		return 0, err
	}
	return r.store.Set(ctx, r.prefix+key, value)
}

// Delete implements kv.Store.
func (r recordStore) Delete(ctx context.Context, key string, revision uint64) error {
	return r.store.Delete(ctx, r.prefix+key, revision)
}

// Purge implements kv.Store.
func (r recordStore) Purge(ctx context.Context, key string) error {
	return r.store.Purge(ctx, r.prefix+key)
}

// Keys implements kv.Store.
func (r recordStore) Keys(ctx context.Context, filter string) ([]string, error) {
	keys, err := r.store.Keys(ctx, r.prefix+filter)
	for i := range keys {
		keys[i] = strings.TrimPrefix(keys[i], r.prefix)
	}
	return keys, err
}

// Watch implements kv.Store.
func (r recordStore) Watch(ctx context.Context, change func(kv.Entry), ready func(revision uint64)) error {
	return r.store.Watch(ctx, func(e kv.Entry) {
		if strings.HasPrefix(e.Key, r.prefix) {
			change(r.own(e))
		}
	}, ready)
}

// Unseen implements kv.Store.
func (r recordStore) Unseen(ctx context.Context, after uint64) (upTo uint64, more bool, err error) {
	return r.store.Unseen(ctx, after)
}

func (r recordStore) removeAll(ctx context.Context) error {
	keys, err := r.Keys(ctx, ">")
	if err != nil {
		return err
	}
	for _, key := range keys {
		if err := r.Purge(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (r recordStore) own(e kv.Entry) kv.Entry {
	e.Key = strings.TrimPrefix(e.Key, r.prefix)
	return e
}

func checkSize(key string, value []byte) error {
	if len(value) > maxRecordBytes {
		return fmt.Errorf("the record %s has %d bytes; at most %d are allowed", key, len(value), maxRecordBytes)
	}
	return nil
}
