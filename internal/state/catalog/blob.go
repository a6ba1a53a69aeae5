package catalog

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"earshot/internal/state/kv"
)

// Blobs are values of any size, stored in chunks and read on demand: training posts, and models
// fitted to them. A blob is written once under a new ID, and a record then refers to it. Replacing
// a blob is therefore a change of that record, which is atomic. Keys are large.7.0, large.7.1 and
// so on.
const (
	blobPrefix      = "large"
	blobSequenceKey = "largesequence"

	blobChunkBytes = 512 << 10 // NATS servers accept messages of up to 1 MB by default
	maxBlobChunks  = 1 << 10   // limits a blob to 512 MB
)

// A blobIndex lists the stored chunks of each blob.
type blobIndex struct {
	mu     sync.Mutex
	chunks map[int64]map[int]bool // guarded by mu
}

// apply applies a change reported by a watch.
func (b *blobIndex) apply(e kv.Entry) {
	fields := strings.Split(e.Key, ".")
	if len(fields) != 3 || fields[0] != blobPrefix {
		return
	}
	id, err := strconv.ParseInt(fields[1], 10, 64)
	chunk, err2 := strconv.Atoi(fields[2])
	if err != nil || err2 != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case e.Value == nil:
		if delete(b.chunks[id], chunk); len(b.chunks[id]) == 0 {
			delete(b.chunks, id)
		}
	case b.chunks[id] == nil:
		b.chunks[id] = map[int]bool{chunk: true}
	default:
		b.chunks[id][chunk] = true
	}
}

// AddBlob stores a blob under a new ID.
func (c *Catalog) AddBlob(ctx context.Context, value []byte) (id int64, err error) {
	chunks := slices.Collect(slices.Chunk(value, blobChunkBytes))
	if len(chunks) == 0 {
		chunks = [][]byte{nil}
	}
	if len(chunks) > maxBlobChunks {
		return 0, fmt.Errorf("a blob of %d bytes is too large", len(value))
	}
	if id, err = c.reserveIDs(ctx, blobSequenceKey, 1, 1); err != nil {
		return 0, err
	}
	for i, chunk := range chunks {
		if i == 0 { // the first chunk starts with the number of chunks
			chunk = append(binary.AppendUvarint(nil, uint64(len(chunks))), chunk...)
		}
		if _, err := c.store.Put(ctx, blobKey(id, i), chunk, 0); err != nil {
			_ = c.RemoveBlob(context.WithoutCancel(ctx), id) // if this fails, the next start removes the rest
			return 0, fmt.Errorf("write chunk %d of blob %d: %w", i, id, err)
		}
	}
	return id, nil
}

// FindBlob returns a blob, or [ErrNotFound] if it does not exist or lacks a chunk.
func (c *Catalog) FindBlob(ctx context.Context, id int64) ([]byte, error) {
	first, err := c.store.Get(ctx, blobKey(id, 0))
	if err != nil {
		return nil, err
	}
	chunks, n := binary.Uvarint(first.Value)
	if n <= 0 || chunks > maxBlobChunks {
		return nil, fmt.Errorf("blob %d has an invalid number of chunks: %d", id, chunks)
	}
	value := slices.Clone(first.Value[n:])
	for i := 1; i < int(chunks); i++ {
		chunk, err := c.store.Get(ctx, blobKey(id, i))
		if err != nil {
			return nil, err
		}
		value = append(value, chunk.Value...)
	}
	return value, nil
}

// RemoveBlob removes a blob. It is not an error if the blob does not exist. The first chunk, which
// contains the number of chunks, is removed last.
func (c *Catalog) RemoveBlob(ctx context.Context, id int64) error {
	first, err := c.store.Get(ctx, blobKey(id, 0))
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	chunks, _ := binary.Uvarint(first.Value)
	for i := int(min(chunks, maxBlobChunks)) - 1; i >= 0; i-- {
		e, err := c.store.Get(ctx, blobKey(id, i))
		if err == nil {
			err = c.store.Delete(ctx, e.Key, e.Revision)
		}
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, kv.ErrConflict) {
			return err
		}
	}
	return nil
}

// ListBlobs returns the IDs of all blobs, ascending. The list includes incomplete blobs that are
// being written or removed, or were when a process ended.
func (c *Catalog) ListBlobs() []int64 {
	c.blobs.mu.Lock()
	defer c.blobs.mu.Unlock()
	return slices.Sorted(maps.Keys(c.blobs.chunks))
}

func blobKey(id int64, chunk int) string { return fmt.Sprintf("%s.%d.%d", blobPrefix, id, chunk) }
