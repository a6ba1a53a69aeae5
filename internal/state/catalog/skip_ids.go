package catalog

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
)

// idGap is more than the number of IDs that can have been assigned since the last readable record.
const idGap = 1 << 20

// SkipIDs makes sure that IDs that were ever assigned are not assigned again, even if some records
// were lost: the next IDs are far above all IDs in the catalog, and above seen, the highest ID that
// the caller knows of. It returns the next ID.
func (c *Catalog) SkipIDs(ctx context.Context, seen int64) (next int64, err error) {
	ids, blobs, err := c.highestIDs(ctx)
	if err != nil {
		return 0, fmt.Errorf("skip IDs: %w", err)
	}
	if next, err = c.skipTo(ctx, sequenceKey, max(earshot.FirstID, ids+1, seen+1)+idGap); err != nil {
		return 0, fmt.Errorf("skip IDs: %w", err)
	}
	if _, err = c.skipTo(ctx, blobSequenceKey, blobs+1+idGap); err != nil {
		return 0, fmt.Errorf("skip IDs of blobs: %w", err)
	}
	return next, nil
}

// skipTo raises the sequence at key to at least next, and by idGap. A value that is not a number
// counts as lost.
func (c *Catalog) skipTo(ctx context.Context, key string, next int64) (int64, error) {
	err := c.update(ctx, key, func(value []byte) ([]byte, error) {
		var current int64
		if value != nil && json.Unmarshal(value, &current) == nil {
			next = max(next, current+idGap)
		}
		return json.Marshal(next)
	})
	return next, err
}

// highestIDs returns the highest ID of an object and of a blob in the catalog.
func (c *Catalog) highestIDs(ctx context.Context) (ids, blobs int64, err error) {
	keys, err := c.store.Keys(ctx, ">")
	if err != nil {
		return 0, 0, err
	}
	for _, key := range keys {
		table, rest, _ := strings.Cut(key, ".")
		number, _, _ := strings.Cut(rest, ".")
		id, err := strconv.ParseInt(number, 10, 64)
		switch {
		case err != nil: // a name or a singleton
		case id >= earshot.FirstDerivedID: // not of the sequence
		case table == blobPrefix:
			blobs = max(blobs, id)
		default:
			ids = max(ids, id)
		}
	}
	for _, m := range c.Monitors.List() {
		for _, f := range m.Filters {
			ids = max(ids, int64(f.ID))
		}
		for _, category := range slices.Concat(m.Categories, m.Emotions) {
			ids = max(ids, int64(category.ID))
		}
		for _, blob := range m.Training.Records() {
			blobs = max(blobs, blob)
		}
	}
	return ids, blobs, nil
}
