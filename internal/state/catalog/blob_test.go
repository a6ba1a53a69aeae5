package catalog_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"earshot/internal/state/catalog"
	"earshot/internal/state/kv"
)

func TestBlobsRoundTrip(t *testing.T) {
	c := open(t, kv.NewMemory())
	for _, size := range []int{0, 1, 512<<10 - 1, 512 << 10, 512<<10 + 1, 3 << 20} {
		value := bytes.Repeat([]byte{byte(size), 1, 2}, size/3+1)[:size]
		id, err := c.AddBlob(t.Context(), value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.FindBlob(t.Context(), id)
		if err != nil || !bytes.Equal(got, value) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	if _, err := c.FindBlob(t.Context(), 4711); !errors.Is(err, catalog.ErrNotFound) {
		t.Errorf("a missing blob: got %v", err)
	}
}

func TestRemovingABlobRemovesAllChunks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := kv.NewMemory()
		c := open(t, store)
		ctx := t.Context()
		id, err := c.AddBlob(ctx, make([]byte, 2<<20))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if got := c.ListBlobs(); len(got) != 1 || got[0] != id {
			t.Errorf("large records: got %v, want %d", got, id)
		}
		for range 2 {
			if err := c.RemoveBlob(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		if got := c.ListBlobs(); len(got) != 0 {
			t.Errorf("after its removal: got %v", got)
		}
		if _, err := c.FindBlob(ctx, id); !errors.Is(err, catalog.ErrNotFound) {
			t.Errorf("a removed record: got %v", err)
		}
	})
}

// failingStore fails to write the nth chunk of a blob.
type failingStore struct {
	kv.Store
	part string
}

func (s *failingStore) Put(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	if strings.HasPrefix(key, "large.") && strings.HasSuffix(key, s.part) {
		return 0, errors.New("the disk is full")
	}
	return s.Store.Put(ctx, key, value, revision)
}

func TestAnInterruptedWriteLeavesNoBlob(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := &failingStore{kv.NewMemory(), ".2"}
		c := open(t, store)
		ctx := t.Context()
		if _, err := c.AddBlob(ctx, make([]byte, 2<<20)); err == nil {
			t.Fatal("want an error")
		}
		synctest.Wait()
		if left := open(t, store).ListBlobs(); len(left) != 0 {
			t.Fatalf("large records: got %v, want none", left)
		}
	})
}
