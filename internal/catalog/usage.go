package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

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
	err := c.update(ctx, "usage.documents", func(value []byte) ([]byte, error) {
		slots := map[int64]int64{}
		if value != nil {
			if err := json.Unmarshal(value, &slots); err != nil {
				return nil, err
			}
		}
		used = n
		for slot, count := range slots {
			if now.Sub(time.Unix(slot, 0)) >= usagePeriod {
				delete(slots, slot)
				continue
			}
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
