package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"time"
)

const documentsKey = "usage.documents"

// Usage is counted in slots of ten minutes, so the last 24 hours are exact to
// one slot and the record stays small.
const (
	usageSlot   = 10 * time.Minute
	usagePeriod = 24 * time.Hour
)

// ErrOverLimit says that a reservation would exceed what is allowed.
var ErrOverLimit = errors.New("catalog: over the limit")

// ReserveDocuments adds n to the documents uploaded in the 24 hours before now
// and returns the sum, or adds nothing and fails with ErrOverLimit when that
// would exceed limit (0: none). A negative n gives a reservation back.
func (c *Catalog) ReserveDocuments(ctx context.Context, now time.Time, n, limit int64) (int64, error) {
	var used int64
	err := c.update(ctx, documentsKey, func(value []byte) ([]byte, error) {
		slots := map[int64]int64{}
		if value != nil {
			if err := json.Unmarshal(value, &slots); err != nil {
				return nil, err
			}
		}
		maps.DeleteFunc(slots, func(slot, _ int64) bool { return isPast(slot, now) })
		used = n
		for _, count := range slots {
			used += count
		}
		if limit > 0 && n > 0 && used > limit {
			return nil, ErrOverLimit
		}
		slots[now.Truncate(usageSlot).Unix()] += n
		return json.Marshal(slots)
	})
	return used, err
}

// DocumentsUsed returns how many documents were uploaded in the 24 hours before now.
func (c *Catalog) DocumentsUsed(ctx context.Context, now time.Time) (used int64, err error) {
	slots, err := single[map[int64]int64](ctx, c, documentsKey)
	for slot, count := range slots {
		if !isPast(slot, now) {
			used += count
		}
	}
	return used, err
}

// isPast reports whether a slot is no longer of the 24 hours before now.
func isPast(slot int64, now time.Time) bool { return now.Sub(time.Unix(slot, 0)) >= usagePeriod }
