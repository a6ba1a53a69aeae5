package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// Kinds of keys: result.7 is a record, open.7 says that 7 needs attention.
const (
	analysisKind = "result"
	pendingKind  = "open"
)

// A key names a record or an opened id.
type key struct {
	id      earshot.ResultID
	pending bool // the id needs attention; otherwise its record
}

func (k key) String() string {
	kind := analysisKind
	if k.pending {
		kind = pendingKind
	}
	return kind + "." + strconv.FormatInt(int64(k.id), 10)
}

// parseKey reads what String returned.
func parseKey(s string) (key, error) {
	kind, text, _ := strings.Cut(s, ".")
	id, err := strconv.ParseInt(text, 10, 64)
	k := key{id: earshot.ResultID(id), pending: kind == pendingKind}
	if err != nil || k.String() != s {
		return key{}, fmt.Errorf("ledger: %q is no key", s)
	}
	return k, nil
}

// encode returns the stored form of a record. Times are converted to UTC; everything else decodes
// to the same.
func encode(r *Analysis) ([]byte, error) {
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

// decode reads what encode returned.
func decode(value []byte) (*Analysis, error) {
	var r Analysis
	if err := json.Unmarshal(value, &r); err != nil {
		return nil, fmt.Errorf("decode record: %w", err)
	}
	return &r, nil
}
