package bench

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/clickhouse"
)

// clickHouseOpener opens stores in ClickHouse. Each directory stands for a database, whose name has the
// last element of the directory at its end. A database is emptied if its directory does not exist.
type clickHouseOpener struct {
	db     *clickhouse.Database
	copies map[string]string // directories of copies, and of the stores that they have in common
}

// A clickHouseStore is a store that is measured.
type clickHouseStore struct {
	*clickhouse.Store
	db     *clickhouse.Database
	opener *clickHouseOpener
	dir    string
}

func (o *clickHouseOpener) open(ctx context.Context, dir string) (store, error) {
	if original, ok := o.copies[dir]; ok {
		dir = original
	}
	_, err := os.Stat(dir)
	empty := errors.Is(err, fs.ErrNotExist)
	if err != nil && !empty {
		return nil, err
	}
	suffix := "_bench_" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, filepath.Base(dir))
	db, err := o.db.Scratch(ctx, suffix, empty)
	if err != nil {
		return nil, err
	}
	if _, _, err = db.Migrate(ctx, nil); err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		db.Close()
		return nil, err
	}
	st, err := db.Open(ctx, func(context.Context) error { return nil })
	if err != nil {
		db.Close()
		return nil, err
	}
	return &clickHouseStore{Store: st, db: db, opener: o, dir: dir}, nil
}

// Flush implements store. A write returns when it is on disk.
func (s *clickHouseStore) Flush(ctx context.Context) error { return ctx.Err() }

// Compact implements store.
func (s *clickHouseStore) Compact(ctx context.Context) error { return s.db.Optimize(ctx) }

// Checkpoint implements store. A copy is another connection to the same database, which has not served
// any queries either.
func (s *clickHouseStore) Checkpoint(ctx context.Context, dir string) error {
	s.opener.copies[dir] = s.dir
	return ctx.Err()
}

// Delete implements store. It also affects the copies, so only the last measurement may delete posts, and
// the next run cannot use them.
func (s *clickHouseStore) Delete(ctx context.Context, at earshot.Position, d earshot.Deletion) error {
	if err := os.Remove(filepath.Join(filepath.Dir(s.dir), manifestName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.Store.Delete(ctx, at, d)
}

// Close implements store.
func (s *clickHouseStore) Close() error {
	defer s.db.Close()
	return s.Store.Close()
}

// groupBatches is the number of batches that are stored at once if that is faster, like the pipeline
// does with entries that wait.
const groupBatches = 100

// appendBatches appends batches that follow a position.
func appendBatches(ctx context.Context, into poststore.Store, after uint64, batches [][]poststore.MatchedPost) error {
	groups, ok := into.(poststore.GroupWriter)
	for i := 0; i < len(batches); {
		n := 1
		if ok {
			n = min(groupBatches, len(batches)-i)
		}
		group := make([]poststore.Batch, n)
		for j := range group {
			group[j] = poststore.Batch{At: earshot.Position(after + uint64(i+j) + 1), Posts: batches[i+j]}
		}
		var err error
		if ok {
			err = groups.AppendGroup(ctx, group)
		} else {
			err = into.Append(ctx, group[0].At, group[0].Posts)
		}
		if err != nil {
			return err
		}
		i += n
	}
	return nil
}
