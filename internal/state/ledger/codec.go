package ledger

import (
	"encoding/json"
	"fmt"
	"time"
)

// Encode returns a record as it is stored. Times become those of UTC; nothing else changes on
// the way through Encode and Decode.
func Encode(r *Record) ([]byte, error) {
	stored := *r
	for _, t := range []*time.Time{&stored.Created, &stored.Due, &stored.Request.Start, &stored.Request.End} {
		*t = t.UTC()
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("encode record %d: %w", r.ID, err)
	}
	return value, nil
}

// Decode reads what Encode returned.
func Decode(value []byte) (*Record, error) {
	var r Record
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	return &r, nil
}
