package ledger

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"earshot"
)

// Kinds of keys: result.7 is an analysis, open.7 means that 7 is pending.
const (
	analysisKind = "result"
	pendingKind  = "open"
)

// A key names an analysis or a pending ID.
type key struct {
	id      earshot.ResultID
	pending bool // if false, the key is that of the analysis
}

func (k key) String() string {
	kind := analysisKind
	if k.pending {
		kind = pendingKind
	}
	return kind + "." + strconv.FormatInt(int64(k.id), 10)
}

// parseKey parses the result of String.
func parseKey(s string) (key, error) {
	kind, text, _ := strings.Cut(s, ".")
	id, err := strconv.ParseInt(text, 10, 64)
	k := key{id: earshot.ResultID(id), pending: kind == pendingKind}
	if err != nil || k.String() != s {
		return key{}, fmt.Errorf("ledger: invalid key %q", s)
	}
	return k, nil
}

// encode returns the stored form of an analysis. Decoding it returns an equal analysis with times
// in UTC.
func encode(a *Analysis) ([]byte, error) {
	stored := *a
	for _, t := range []*time.Time{&stored.Created, &stored.Due, &stored.Request.Start, &stored.Request.End} {
		*t = t.UTC()
	}
	value, err := json.Marshal(stored)
	if err != nil {
		return nil, fmt.Errorf("encode analysis %d: %w", a.ID, err)
	}
	return value, nil
}

// decode decodes the result of encode.
func decode(value []byte) (*Analysis, error) {
	var a Analysis
	if err := json.Unmarshal(value, &a); err != nil {
		return nil, fmt.Errorf("decode analysis: %w", err)
	}
	return &a, nil
}
