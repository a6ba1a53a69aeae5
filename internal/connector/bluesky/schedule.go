package bluesky

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"

	"earshot/internal/state/kv"
)

// stages are the ages at which a stored post is checked again.
var stages = []time.Duration{1 * time.Hour, 6 * time.Hour, 24 * time.Hour, 7 * 24 * time.Hour}

// A check is a stored post to check later.
type check struct {
	stored int64  // time of the post's event, in seconds since 1970
	guid   string // of the stored post
	shows  string // for a repost, the original post; otherwise empty
}

// uri returns the post that is read.
func (c *check) uri() string {
	if c.shows != "" {
		return c.shows
	}
	return c.guid
}

func (c *check) due(stage int) time.Time { return time.Unix(c.stored, 0).Add(stages[stage]) }

// A schedule remembers which posts to check, and when. It has a queue for each stage, in
// chronological order, stored as chunks of a hundred checks. Only the first and the last chunk of each
// queue are in memory:
//
//	stage 0    [chunk 4: next check is here] [chunk 5] … [chunk 9: new checks are added here]
//	stage 1    …
//
// A check that is done moves to the queue of the next stage if its post still exists. A crash repeats
// at most one request. A schedule is safe for concurrent use.
type schedule struct {
	store  kv.Store
	log    *slog.Logger
	stages int // number of stages in use

	mu     sync.Mutex
	queues []queue // by stage; guarded by mu
	warned bool    // that a queue is full; guarded by mu
}

// A queue is the sequence of chunks first, …, last. Chunk last may be empty, and then it is not
// stored.
type queue struct {
	first, last int
	head, tail  []check // chunks first and last; the same if first == last
}

const (
	chunkSize = 100
	maxChunks = 1000 // per stage, which is 100,000 posts
)

// openSchedule reads a schedule. New checks are added only to the given number of stages.
func openSchedule(ctx context.Context, store kv.Store, log *slog.Logger, use int) (*schedule, error) {
	s := &schedule{store: store, log: log, stages: use, queues: make([]queue, len(stages))}
	for stage := range s.queues {
		keys, err := store.Keys(ctx, fmt.Sprintf("check.%d.*", stage))
		if err != nil {
			return nil, fmt.Errorf("read the schedule: %w", err)
		}
		q := &s.queues[stage]
		if len(keys) == 0 {
			continue
		}
		q.first, q.last = chunkNumber(keys[0]), chunkNumber(keys[len(keys)-1])
		if q.head, err = s.load(ctx, stage, q.first); err != nil {
			return nil, err
		}
		if q.tail, err = s.load(ctx, stage, q.last); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func chunkKey(stage, n int) string { return fmt.Sprintf("check.%d.%012d", stage, n) }

func chunkNumber(key string) int {
	n, _ := strconv.Atoi(key[strings.LastIndexByte(key, '.')+1:])
	return n
}

// load reads a chunk. A chunk that does not exist is empty.
func (s *schedule) load(ctx context.Context, stage, n int) ([]check, error) {
	entry, err := s.store.Get(ctx, chunkKey(stage, n))
	if err == kv.ErrNotFound {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the schedule: %w", err)
	}
	return parseChecks(entry.Value), nil
}

// parseChecks reads the lines of a chunk. It skips damaged lines.
func parseChecks(chunk []byte) (checks []check) {
	for line := range strings.Lines(string(chunk)) {
		fields := strings.Fields(line)
		if len(fields) != 2 && len(fields) != 3 || len(checks) == chunkSize {
			continue
		}
		stored, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			continue
		}
		c := check{stored: stored, guid: fields[1]}
		if len(fields) == 3 {
			c.shows = fields[2]
		}
		checks = append(checks, c)
	}
	return checks
}

func formatChecks(checks []check) []byte {
	var b bytes.Buffer
	for _, c := range checks {
		fmt.Fprintf(&b, "%d %s", c.stored, c.guid)
		if c.shows != "" {
			b.WriteString(" " + c.shows)
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
}

// add schedules checks of new posts, each for the first stage that is still ahead.
func (s *schedule) add(ctx context.Context, checks []check, now time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	byStage := make([][]check, len(stages))
	for _, c := range checks {
		for stage := range s.stages {
			if c.due(stage).After(now) {
				byStage[stage] = append(byStage[stage], c)
				break
			}
		}
	}
	for stage, list := range byStage {
		if err := s.appendTo(ctx, stage, list); err != nil {
			return err
		}
	}
	return nil
}

// appendTo adds checks at the end of a queue. Checks that do not fit into the queue are dropped. The
// caller holds s.mu.
func (s *schedule) appendTo(ctx context.Context, stage int, checks []check) error {
	q := &s.queues[stage]
	for len(checks) > 0 {
		if len(q.tail) == chunkSize {
			if q.last-q.first+1 >= maxChunks {
				if !s.warned {
					s.warned = true
					s.log.Warn("too many posts to check again; some will have no like counts", "max", maxChunks*chunkSize)
				}
				return nil
			}
			q.last++
			q.tail = nil
		}
		n := min(chunkSize-len(q.tail), len(checks))
		q.tail = append(q.tail[:len(q.tail):len(q.tail)], checks[:n]...)
		checks = checks[n:]
		if q.first == q.last {
			q.head = q.tail
		}
		if _, err := s.store.Set(ctx, chunkKey(stage, q.last), formatChecks(q.tail)); err != nil {
			return fmt.Errorf("write the schedule: %w", err)
		}
	}
	return nil
}

// due returns the next checks that are due and their stage: at most 25, all of one stage. It prefers
// full requests, but does not delay any check for long.
func (s *schedule) due(ctx context.Context, now time.Time) (stage int, checks []check, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const patience = time.Minute
	for stage := range s.queues {
		q := &s.queues[stage]
		for len(q.head) == 0 && q.first < q.last {
			if q.head, err = s.load(ctx, stage, q.first+1); err != nil {
				return 0, nil, err
			}
			q.first++
		}
		rest := q.head
		n := 0
		for n < len(rest) && n < perRequest && !rest[n].due(stage).After(now) {
			n++
		}
		if n == perRequest || n > 0 && (n == len(rest) && q.first < q.last || now.Sub(rest[0].due(stage)) > patience) {
			return stage, rest[:n:n], nil
		}
	}
	return 0, nil, nil
}

// finish removes the first n checks of a stage, which are done. Those in next continue with the
// next stage.
func (s *schedule) finish(ctx context.Context, stage, n int, next []check) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if stage+1 < s.stages {
		if err := s.appendTo(ctx, stage+1, next); err != nil {
			return err
		}
	}
	q := &s.queues[stage]
	q.head = q.head[n:]
	if q.first == q.last {
		q.tail = q.head
	}
	var err error
	if len(q.head) > 0 {
		_, err = s.store.Set(ctx, chunkKey(stage, q.first), formatChecks(q.head))
	} else {
		err = s.store.Purge(ctx, chunkKey(stage, q.first))
	}
	if err != nil {
		return fmt.Errorf("write the schedule: %w", err)
	}
	return nil
}

// recent returns the last posts that were added, oldest first, at most n.
func (s *schedule) recent(ctx context.Context, n int) ([]check, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []check
	for stage := range s.queues {
		q := &s.queues[stage]
		for number := q.last; number >= q.first && len(found) < n; number-- {
			checks, err := s.load(ctx, stage, number)
			if err != nil {
				return nil, err
			}
			found = append(checks, found...)
		}
	}
	return found[max(0, len(found)-n):], nil
}
