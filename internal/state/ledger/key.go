package ledger

import (
	"fmt"
	"strconv"
	"strings"

	"earshot"
)

// Keys of what a ledger has: result.7 is a record, open.7 says that 7 needs attention.
const (
	recordKind = "result"
	openKind   = "open"
)

// A Key names something that a ledger stores.
type Key struct {
	ID   earshot.ResultID
	Open bool // that ID needs attention; otherwise its record
}

func (k Key) String() string {
	if k.Open {
		return openKind + "." + strconv.FormatInt(int64(k.ID), 10)
	}
	return recordKind + "." + strconv.FormatInt(int64(k.ID), 10)
}

// ParseKey reads what String returned.
func ParseKey(s string) (Key, error) {
	kind, text, _ := strings.Cut(s, ".")
	id, err := strconv.ParseInt(text, 10, 64)
	k := Key{ID: earshot.ResultID(id), Open: kind == openKind}
	if err != nil || k.String() != s {
		return Key{}, fmt.Errorf("ledger: %q is no key", s)
	}
	return k, nil
}
