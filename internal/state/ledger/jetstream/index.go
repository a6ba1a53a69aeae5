package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/state/ledger"
)

// The key user.5.7 says that the record 7 is one of user 5. It is written before the record,
// so that there is one for every record, and perhaps some without.

func userKeys(user earshot.UserID) string {
	return "user." + strconv.FormatInt(int64(user), 10) + "."
}

// enter notes whose record r is. A repeat is harmless.
func (l *Ledger) enter(ctx context.Context, r *ledger.Record) error {
	key := userKeys(r.User) + strconv.FormatInt(int64(r.ID), 10)
	if _, err := l.bucket.Set(ctx, key, nil); err != nil {
		return fmt.Errorf("enter %s: %w", key, err)
	}
	return nil
}

// List implements ledger.Ledger. It reads no more records than it returns, but for keys
// without one.
func (l *Ledger) List(ctx context.Context, user earshot.UserID, before earshot.ResultID, most int) ([]*ledger.Record, error) {
	ids, err := l.entered(ctx, user)
	if err != nil {
		return nil, fmt.Errorf("list the records of user %d: %w", user, err)
	}
	var list []*ledger.Record
	for _, id := range slices.Backward(ids) {
		if len(list) >= most {
			break
		}
		if before != 0 && id >= before {
			continue
		}
		r, _, err := l.Find(ctx, id)
		if errors.Is(err, ledger.ErrNotFound) || err == nil && r.User != user {
			continue // it was never written
		}
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// entered returns the ids of the records of a user, ascending.
func (l *Ledger) entered(ctx context.Context, user earshot.UserID) ([]earshot.ResultID, error) {
	prefix := userKeys(user)
	keys, err := l.bucket.Keys(ctx, prefix+"*")
	if err != nil {
		return nil, err
	}
	ids := make([]earshot.ResultID, 0, len(keys))
	for _, key := range keys {
		if id, err := strconv.ParseInt(strings.TrimPrefix(key, prefix), 10, 64); err == nil {
			ids = append(ids, earshot.ResultID(id))
		}
	}
	slices.Sort(ids)
	return ids, nil
}
