package memory

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"sort"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// Days implements [poststore.Reader]. It counts each day separately.
func (s *Store) Days(ctx context.Context, of poststore.Selection, starts []time.Time, ts []poststore.Tally) ([][][]poststore.Row, error) {
	answers := make([][][]poststore.Row, len(ts))
	s.mu.RLock()
	defer s.mu.RUnlock()
	for d := range max(len(starts)-1, 0) {
		of.From, of.To = starts[d], starts[d+1]
		rows, err := s.tallies(ctx, of, ts)
		if err != nil {
			return nil, err
		}
		for i := range ts {
			answers[i] = append(answers[i], rows[i])
		}
	}
	return answers, ctx.Err()
}

// Histogram implements [poststore.Reader].
func (s *Store) Histogram(ctx context.Context, of poststore.Selection, starts []time.Time) ([]int64, error) {
	counts := make([]int64, max(len(starts)-1, 0))
	if len(counts) == 0 {
		return counts, ctx.Err()
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	of.From, of.To = starts[0], starts[len(counts)]
	for e, err := range s.scan(ctx, &of) {
		if err != nil {
			return nil, err
		}
		// The last interval that does not begin after the post; those before it may be empty.
		d := sort.Search(len(starts), func(i int) bool { return starts[i].After(e.post.Time) }) - 1
		counts[d]++
	}
	return counts, ctx.Err()
}

// Fingerprint implements [poststore.Reader].
func (s *Store) Fingerprint(ctx context.Context, id poststore.SetID, from, to time.Time) (v poststore.Fingerprint, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	var sums [2]uint64 // sums do not depend on the order of posts
	for e, err := range s.scan(ctx, &poststore.Selection{Set: id, From: from, To: to}) {
		if err != nil {
			return v, err
		}
		sum := poststore.SumOf(e.post.Key())
		b := binary.BigEndian.AppendUint64(sum[:], uint64(e.arrived))
		b = binary.BigEndian.AppendUint32(b, e.post.InferredBy)
		hash := sha256.Sum256(b) // sums of weaker hashes may cancel out
		sums[0] += binary.BigEndian.Uint64(hash[:])
		sums[1] += binary.BigEndian.Uint64(hash[8:])
	}
	binary.BigEndian.PutUint64(v[:], sums[0])
	binary.BigEndian.PutUint64(v[8:], sums[1])
	return v, nil
}

// Find implements [poststore.Reader].
func (s *Store) Find(ctx context.Context, keys []earshot.PostKey) (posts []earshot.Post, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	seen := map[earshot.PostKey]bool{}
	for _, k := range keys {
		if e, ok := s.posts[k]; ok && !seen[k] {
			seen[k] = true
			posts = append(posts, clonePost(&e.post))
		}
	}
	return posts, ctx.Err()
}

// Words implements [poststore.Reader].
func (s *Store) Words(ctx context.Context, of poststore.Selection, sample int, visit func([]poststore.Word)) (int64, error) {
	var doc query.Document
	return s.eachSampled(ctx, &of, sample, func(p *earshot.Post) { visit(enginekit.WordsOf(p, &doc)) })
}

// changeTimes are the times of a [poststore.CounterChange].
type changeTimes struct{ received, posted time.Time }

// CounterChanges implements [poststore.Reader].
func (s *Store) CounterChanges(ctx context.Context, id poststore.SetID, from, to time.Time, visit func(poststore.CounterChange)) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, c := range s.counters[id] {
		if enginekit.ChangedWithin(c, from, to) {
			visit(c)
		}
	}
	return nil
}

// trackCounters records how counters change when new replaces old. as is the matched post that new
// was created from. The caller holds s.mu.
func (s *Store) trackCounters(old, new *entry, as *poststore.MatchedPost) {
	if len(as.Tracked) == 0 {
		return
	}
	enginekit.InheritCounters(&old.post, &new.post)
	came := as.Received
	if came.IsZero() {
		came = s.now()
	}
	change := enginekit.NewCounterChange(&old.post, &new.post, came)
	if enginekit.IsUnchanged(change) {
		return
	}
	times := changeTimes{change.Time, change.Posted}
	for _, m := range as.Tracked {
		if !old.in(m) {
			continue
		}
		if s.counters[m] == nil {
			s.counters[m] = map[changeTimes]poststore.CounterChange{}
		}
		s.counters[m][times] = enginekit.AddChanges(change, s.counters[m][times])
	}
}

// Changed implements [poststore.Reader].
func (s *Store) Changed(ctx context.Context, id poststore.SetID, starts []time.Time) ([]time.Time, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	changed := make([]time.Time, max(len(starts)-1, 0))
	for at, when := range s.changed[id] {
		d, _ := slices.BinarySearchFunc(starts, at+1, func(t time.Time, after int64) int { return cmp.Compare(t.Unix(), after) })
		if d--; d >= 0 && d < len(changed) && when.After(changed[d]) {
			changed[d] = when
		}
	}
	return changed, ctx.Err()
}

// markChanged records that a post of the given sets was added, removed or modified. The caller
// holds s.mu.
func (s *Store) markChanged(e *entry, monitors ...poststore.SetID) {
	for _, m := range monitors {
		if m.IsCategory() {
			continue // its posts also belong to a monitor's set, which is recorded
		}
		if s.changed[m] == nil {
			s.changed[m] = map[int64]time.Time{}
		}
		s.changed[m][e.post.Time.Unix()] = s.now()
	}
}
