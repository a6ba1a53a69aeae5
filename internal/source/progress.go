package source

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"time"

	"earshot"
	"earshot/internal/connector"
	"earshot/internal/state/catalog"
	"earshot/internal/state/journal"
)

const (
	maxGaps = 100

	// openGapAfter is how long a source may be down before the outage counts as a gap.
	openGapAfter = 5 * time.Minute

	activityMinutes = 60
)

// progress is the progress of a source.
type progress struct {
	cursor   string
	position earshot.Position // of the last journal entry of the source, or of its checkpoint
	counters connector.Counters
	gapTime  time.Duration
	gaps     []catalog.Gap // oldest first
	lastPost time.Time
	lastLive time.Time // when it was last live; newer if it is live now
	activity activity
	lately   recentKeys
	dirty    bool      // the checkpoint is out of date
	saved    time.Time // when the checkpoint was written
}

func (p *progress) restore(cp *catalog.Checkpoint) {
	p.cursor, p.position = cp.Cursor, cp.Position
	p.counters = connector.Counters{
		Events: cp.Events, Posts: cp.Posts, Deletions: cp.Deletions, Skipped: maps.Clone(cp.Skipped), Bytes: cp.Bytes, Reconnects: cp.Reconnects,
	}
	p.gapTime, p.gaps = cp.GapTime, slices.Clone(cp.Gaps)
	p.lastPost, p.lastLive = cp.LastPost, cp.LastLive
	p.dirty = false
}

// checkpoint returns a copy of the progress.
func (p *progress) checkpoint() catalog.Checkpoint {
	c := p.counters
	return catalog.Checkpoint{
		Cursor: p.cursor, Position: p.position,
		Events: c.Events, Posts: c.Posts, Deletions: c.Deletions, Skipped: maps.Clone(c.Skipped), Bytes: c.Bytes, Reconnects: c.Reconnects,
		GapTime: p.gapTime, Gaps: slices.Clone(p.gaps), LastPost: p.lastPost.UTC(), LastLive: p.lastLive.UTC(),
	}
}

// save writes a checkpoint. last is a position of the journal at or before its end, or 0. No entry
// of the source is being written, so all of its entries up to last are before the cursor.
func (r *runner) save(ctx context.Context, last earshot.Position) error {
	r.delivering.Lock()
	defer r.delivering.Unlock()
	return r.saveDelivered(ctx, last)
}

// saveIfIdle is save, but does nothing while a batch is being written.
func (r *runner) saveIfIdle(ctx context.Context, last earshot.Position) error {
	if !r.delivering.TryLock() {
		return nil
	}
	defer r.delivering.Unlock()
	return r.saveDelivered(ctx, last)
}

// saveDelivered is save. The caller holds r.delivering. It does nothing if the progress may be that
// of an earlier time, because it would replace the checkpoint of the process that runs the source.
func (r *runner) saveDelivered(ctx context.Context, last earshot.Position) error {
	now := r.service.now()
	r.mu.Lock()
	if !r.loaded {
		r.mu.Unlock()
		return nil
	}
	if isUp(r.state.Phase) {
		r.lastLive = now
	}
	r.position = max(r.position, last)
	cp := r.progress.checkpoint()
	r.dirty = false
	r.mu.Unlock()
	err := r.service.putCheckpoint(r.fenced(ctx), r.id, &cp)
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.dirty = true
		return err
	}
	r.saved = now
	return nil
}

// putCheckpoint writes a checkpoint, whether or not there is one.
func (s *Service) putCheckpoint(ctx context.Context, id earshot.LiveSourceID, cp *catalog.Checkpoint) error {
	_, err := s.Catalog.Checkpoints.Update(ctx, id, func(old *catalog.Checkpoint) error {
		*old = *cp
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		err = s.Catalog.Checkpoints.Add(ctx, id, cp)
	}
	return err
}

// delivered records a batch that is in the journal.
func (r *runner) delivered(posts int, at earshot.Position, cursor string) {
	now := r.service.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirty = true
	r.position = max(r.position, at)
	if cursor != "" {
		r.cursor = cursor
	}
	if posts > 0 {
		r.lastPost = now
		r.activity.add(now, int64(posts))
	}
}

// originAfter returns the cursor and the counters after an entry, which adds to both. They are stored
// in the entry, so that a crash does not separate them.
func (r *runner) originAfter(cursor string, added connector.Counters) *journal.Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := r.counters
	total.Skipped = maps.Clone(total.Skipped)
	total.Add(added)
	text, err := json.Marshal(storedCounters(total))
	if err != nil {
		panic(err) // numbers and strings
	}
	return &journal.Origin{Source: r.id, Cursor: cmp.Or(cursor, r.cursor), Counters: string(text)}
}

func (r *runner) count(c connector.Counters) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counters.Add(c)
	r.dirty = true
}

func (r *runner) addGap(g connector.Gap) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gaps = append(r.gaps, catalog.Gap{From: g.From.UTC(), To: g.To.UTC(), Reason: g.Reason})
	r.gaps = r.gaps[max(0, len(r.gaps)-maxGaps):]
	r.gapTime += g.To.Sub(g.From)
	r.dirty = true
}

// describe fills in what the source has done and is doing.
func (r *runner) describe(info *Info) {
	now := r.service.now()
	r.mu.Lock()
	defer r.mu.Unlock()
	info.State, info.Counters, info.GapTime, info.LastPost = r.state, r.counters, r.gapTime, r.lastPost
	info.Counters.Skipped = maps.Clone(r.counters.Skipped)
	info.Activity = r.activity.minutes(now)
	if info.Paused {
		info.State.Phase, info.State.Reason = connector.Stopped, "Paused"
	}
	if g, ok := r.openGap(info.LiveSource, now); ok {
		info.Gaps = append(info.Gaps, SourceGap{info.ID, info.Name, g, true})
	}
	for _, g := range slices.Backward(r.gaps) {
		info.Gaps = append(info.Gaps, SourceGap{info.ID, info.Name, connector.Gap(g), false})
	}
}

// openGap returns the period since the source was last live, if it is long enough. The caller holds
// r.mu.
func (r *runner) openGap(src *earshot.LiveSource, now time.Time) (connector.Gap, bool) {
	from := r.lastLive
	if from.IsZero() {
		from = src.Created
	}
	if src.Paused || isUp(r.state.Phase) || now.Sub(from) <= openGapAfter {
		return connector.Gap{}, false
	}
	reason := r.state.Reason
	if reason == "" {
		reason = "The source is not connected"
	}
	return connector.Gap{From: from, To: now, Reason: reason}, true
}

// activity counts posts by minute.
type activity struct {
	counts [activityMinutes]int64
	last   int64 // minute of the newest count, since 1970
}

// advance makes minute the newest one.
func (a *activity) advance(minute int64) {
	for m := max(a.last+1, minute-activityMinutes+1); m <= minute; m++ {
		a.counts[m%activityMinutes] = 0
	}
	a.last = max(a.last, minute)
}

func (a *activity) add(t time.Time, n int64) {
	minute := t.Unix() / 60
	a.advance(minute)
	a.counts[minute%activityMinutes] += n
}

// minutes returns the counts of the last 60 minutes, ending with the current one.
func (a *activity) minutes(now time.Time) []int64 {
	minute := now.Unix() / 60
	a.advance(minute)
	list := make([]int64, activityMinutes)
	for i := range list {
		m := minute - activityMinutes + 1 + int64(i)
		if m >= 0 {
			list[i] = a.counts[m%activityMinutes]
		}
	}
	return list
}

// recentKeys are the keys of the posts that were delivered last. Those posts may not be stored yet.
type recentKeys struct {
	keys map[earshot.PostKey]int // value: index in ring
	ring []earshot.PostKey
	next int
}

// maxRecent is more than a source delivers while an entry is on its way to the store.
const maxRecent = 10_000

func (k *recentKeys) add(key earshot.PostKey) {
	if k.keys == nil {
		k.keys = map[earshot.PostKey]int{}
	}
	if len(k.ring) < maxRecent {
		k.ring = append(k.ring, key)
	} else {
		if old := k.ring[k.next]; k.keys[old] == k.next {
			delete(k.keys, old)
		}
		k.ring[k.next] = key
	}
	k.keys[key] = k.next
	k.next = (k.next + 1) % maxRecent
}

// remember records the keys of posts that are in the journal.
func (r *runner) remember(posts []earshot.Post) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range posts {
		r.lately.add(posts[i].Key())
	}
}

func (r *runner) deliveredLately(key earshot.PostKey) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	_, ok := r.lately.keys[key]
	return ok
}
