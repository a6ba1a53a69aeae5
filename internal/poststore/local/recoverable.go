package local

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"path/filepath"

	"earshot"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/poststore/local/segment"
)

// LostKeys are the keys of posts that were in segments which are quarantined now, and that no other
// segment contains.
type LostKeys struct {
	keys      map[segment.Key]struct{}
	deletions []lostDeletion
}

// A lostDeletion is a deletion since a segment was quarantined.
type lostDeletion struct {
	at      earshot.Position
	matches func(*earshot.Post) bool
}

// Len returns the number of lost posts.
func (l *LostKeys) Len() int { return len(l.keys) }

// Has reports whether a post with the key is lost.
func (l *LostKeys) Has(k earshot.PostKey) bool {
	_, lost := l.keys[segment.KeyOf(k)]
	return lost
}

// Wants reports whether a post from the journal entry at a position should be appended again: it is
// lost, and was not deleted later.
func (l *LostKeys) Wants(p *earshot.Post, at earshot.Position) bool {
	if !l.Has(p.Key()) {
		return false
	}
	for _, d := range l.deletions {
		if d.at > at && d.matches(p) {
			return false
		}
	}
	return true
}

// LostKeys returns the keys of lost posts. It reads all keys in the database, but keeps only lost
// ones in memory.
func (s *Store) LostKeys(ctx context.Context) (*LostKeys, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	if err := s.flushAll(ctx); err != nil {
		return nil, err
	}
	lost := &LostKeys{keys: map[segment.Key]struct{}{}}
	ranges, err := s.quarantinedRanges()
	if err != nil || len(ranges) == 0 {
		return lost, err
	}
	if lost.deletions, err = s.deletionsSince(); err != nil {
		return nil, err
	}
	return lost, s.queryEntered(ctx, func(v *view) error {
		clear(lost.keys)
		return s.findLost(ctx, v, ranges, lost)
	})
}

// A secondsRange is a range of times of posts; see segment.Seconds.
type secondsRange struct{ first, last uint64 }

// quarantinedRanges returns the times of the posts in quarantined segments.
func (s *Store) quarantinedRanges() (ranges []secondsRange, err error) {
	err = each(s.db, recQuarantined, func(_, value []byte) error {
		var aside quarantinedRecord
		if err := json.Unmarshal(value, &aside); err != nil {
			return err
		}
		all := secondsRange{0, 1<<64 - 1} // not recorded
		if r := aside.Segment; r != nil {
			all = secondsRange{uint64(r.First) + 1<<63, uint64(r.After) + 1<<63}
		}
		ranges = append(ranges, all)
		return nil
	})
	return ranges, err
}

func (s *Store) deletionsSince() (deletions []lostDeletion, err error) {
	err = each(s.db, recDeletion, func(key, value []byte) error {
		var d earshot.Deletion
		if err := json.Unmarshal(value, &d); err != nil {
			return err
		}
		deletions = append(deletions, lostDeletion{earshot.Position(readID(key, 0)), enginekit.DeletionMatcher(d)})
		return nil
	})
	return deletions, err
}

// lostChunk is the number of keys that are searched for at a time.
const lostChunk = 64 << 10

// findLost adds the keys in the given time ranges that no segment contains.
func (s *Store) findLost(ctx context.Context, v *view, ranges []secondsRange, lost *LostKeys) error {
	var chunk []segment.Target
	flush := func() error {
		err := errors.Join(ctx.Err(), addMissing(v, chunk, lost))
		chunk = chunk[:0]
		return err
	}
	err := each(s.db, recKey, func(key, value []byte) error {
		unix, _ := binary.Varint(value)
		seconds := uint64(unix) + 1<<63
		for _, r := range ranges {
			if r.first <= seconds && seconds <= r.last {
				chunk = append(chunk, segment.Target{Key: segment.Key(key[1:]), Seconds: seconds})
				break
			}
		}
		if len(chunk) < lostChunk {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// addMissing adds the targets that no segment contains.
func addMissing(v *view, targets []segment.Target, lost *LostKeys) error {
	missing := make(map[segment.Key]struct{}, len(targets))
	for _, x := range targets {
		missing[x.Key] = struct{}{}
	}
	for _, p := range v.segments {
		among := within(targets, p)
		if len(among) == 0 {
			continue
		}
		err := reading(p, func() error {
			rows, err := p.data.Find(among)
			if err != nil {
				return err
			}
			for i, row := range rows {
				if row != segment.NoRow && !p.isDeleted(row) { // a deleted row is an older version
					delete(missing, among[i].Key)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for key := range missing {
		lost.keys[key] = struct{}{}
	}
	return nil
}

// Recover calls visit with the lost posts that are readable in the store in dir, which may be a
// backup or the store itself. It reads the posts of damaged segments that are intact, skips posts
// that were deleted later, and visits the newest version of each post once. The sets of the posts
// are not recovered. It changes nothing.
func Recover(ctx context.Context, dir string, lost *LostKeys, visit func(earshot.Post, earshot.Position) error) error {
	newest := map[segment.Key]earshot.Position{}
	for _, pass := range []bool{false, true} { // first find the newest version of each post
		for _, sub := range []string{segmentDir(dir), quarantineDir(dir)} {
			paths, err := filepath.Glob(filepath.Join(sub, "*"+segmentSuffix))
			if err != nil {
				return err
			}
			for _, path := range paths {
				err := recoverFile(ctx, path, func(key segment.Key, p *earshot.Post, at earshot.Position) error {
					if !lost.Wants(p, at) {
						return nil
					}
					known, seen := newest[key]
					switch {
					case !pass && (!seen || at > known):
						newest[key] = at
					case pass && seen && at == known:
						delete(newest, key)
						return visit(*p, at)
					}
					return nil
				})
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// recoverFile visits every readable post of a segment that may be damaged.
func recoverFile(ctx context.Context, path string, visit func(segment.Key, *earshot.Post, earshot.Position) error) error {
	f, err := segment.Open(path)
	if err != nil {
		return nil // without its footer, nothing can be read
	}
	defer f.Close()
	var visitErr error
	err = reading(&segmentState{data: f}, func() error {
		arrived, err := f.Arrived()
		if err != nil {
			arrived = func(uint32) earshot.Position { return 0 }
		}
		return f.ReadablePosts(func(row uint32, p *earshot.Post) bool {
			visitErr = errors.Join(ctx.Err(), visit(segment.KeyOf(p.Key()), p, arrived(row)))
			return visitErr == nil
		})
	})
	if _, damaged := errors.AsType[*damageError](err); damaged {
		err = nil
	}
	return errors.Join(err, visitErr)
}
