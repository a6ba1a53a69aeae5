package local

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"earshot"
)

// A snapshotRecord contains the counters of an account on a day. A nil counter is not stated.
type snapshotRecord struct {
	Followers *int64 `json:"followers,omitempty"`
	Likes     *int64 `json:"likes,omitempty"`
}

func snapshotKey(m earshot.MonitorID, day earshot.Date) []byte {
	return append(recID(recSnapshot, uint64(m)), day.String()...)
}

// AddSnapshots implements [poststore.Writer]. Snapshots may reach the disk before their position
// does. That is harmless because replaying the journal writes the same ones.
func (s *Store) AddSnapshots(ctx context.Context, at earshot.Position, m earshot.MonitorID, snapshots []earshot.Snapshot) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.space.check(0); err != nil {
		return err
	}
	return s.change(at, nil, func(*view, *viewChange) error {
		b := s.db.NewBatch()
		defer b.Close()
		for _, snap := range snapshots {
			if err := putJSON(b, snapshotKey(m, snap.Date), snapshotRecord{stated(snap.Followers), stated(snap.Likes)}); err != nil {
				return err
			}
		}
		return b.Commit(pebble.NoSync)
	})
}

// Snapshots implements [poststore.Reader].
func (s *Store) Snapshots(ctx context.Context, m earshot.MonitorID, days earshot.Days) (found []earshot.Snapshot, err error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	found = []earshot.Snapshot{}
	if !days.Start.Before(days.End) {
		return found, ctx.Err()
	}
	it, err := s.db.NewIter(&pebble.IterOptions{LowerBound: snapshotKey(m, days.Start), UpperBound: snapshotKey(m, days.End)})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok && ctx.Err() == nil; ok = it.Next() {
		snap, err := readSnapshot(it)
		if err != nil {
			return nil, err
		}
		found = append(found, snap)
	}
	return found, errors.Join(ctx.Err(), it.Error())
}

func readSnapshot(it *pebble.Iterator) (snap earshot.Snapshot, err error) {
	value, err := it.ValueAndErr()
	if err != nil {
		return snap, err
	}
	var r snapshotRecord
	if err := json.Unmarshal(value, &r); err != nil {
		return snap, err
	}
	snap.Date, err = earshot.ParseDate(string(it.Key()[9:]))
	snap.Followers, snap.Likes = counted(r.Followers), counted(r.Likes)
	return snap, err
}

func stated(c earshot.Count) *int64 {
	if n, stated := c.Value(); stated {
		return &n
	}
	return nil
}

func counted(n *int64) earshot.Count {
	if n == nil {
		return earshot.Count{}
	}
	return earshot.Counted(*n)
}
