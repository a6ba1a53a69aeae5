package signal

import (
	"context"
	"errors"
	"sync"
	"time"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// A rule about posts follows the journal: it looks at posts from entries after its cursor. A post that
// it already raised a signal about, and that arrives again with new counters, raises nothing, because
// signals list their posts. Posts that a changed monitor matches from now on have old entries, and do
// not count either.
//
// The first post raises a signal. Further posts join it as long as they come within an hour of each
// other, and within a day; then the signal is resolved, and the next post raises another.
const (
	maxPostAge   = 24 * time.Hour // older posts, for example from imports, raise no signals
	collectPause = time.Hour
	collectFor   = 24 * time.Hour
	saveCursor   = time.Hour // how often the cursor is written while there are no posts
)

// cursors has the positions up to which rules about posts were evaluated.
type cursors struct {
	mu  sync.Mutex
	all map[earshot.RuleID]cursor
}

type cursor struct {
	at    earshot.Position
	saved time.Time
}

func (c *cursors) of(r *earshot.Rule) cursor {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.all[r.ID]
	found.at = max(found.at, r.Cursor)
	return found
}

func (c *cursors) set(id earshot.RuleID, to cursor) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all == nil {
		c.all = map[earshot.RuleID]cursor{}
	}
	c.all[id] = to
}

// evaluatePosts looks for posts that a rule is about.
func (s *Service) evaluatePosts(ctx context.Context, t *target, r *earshot.Rule, now time.Time) error {
	if err := s.closePosts(ctx, t, r, now); err != nil || r.Disabled {
		return err
	}
	cursor := s.cursors.of(r)
	position, err := s.Posts.Position(ctx) // before the query, so that nothing is missed
	if err != nil || position <= cursor.at {
		return err
	}
	began := time.Now()
	found, total, err := s.findPosts(ctx, t, r, cursor.at, now)
	s.queried = time.Since(began)
	if err != nil {
		return err
	}
	before := len(found)
	fresh := found[:0]
	for i := range found {
		if !s.found.knows(s.Catalog, r.ID, &found[i], now) {
			fresh = append(fresh, found[i])
		}
	}
	if len(fresh) > 0 && isActive(t, r, now) {
		done, err := s.collect(ctx, t, r, fresh, total-int64(before), now)
		if err != nil || !done {
			return err
		}
	}
	cursor.at = position
	if len(fresh) > 0 || now.Sub(cursor.saved) >= saveCursor {
		_, err := s.Catalog.Rules.Update(ctx, r.ID, func(r *earshot.Rule) error {
			r.Cursor = max(r.Cursor, position)
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		cursor.saved = now
	}
	s.cursors.set(r.ID, cursor)
	return nil
}

// findPosts returns posts that a rule is about, newest first, from journal entries after a position,
// and their number.
func (s *Service) findPosts(ctx context.Context, t *target, r *earshot.Rule, after earshot.Position, now time.Time) (posts []earshot.Post, total int64, err error) {
	err = s.selectPosts(ctx, t.Monitor, r.Filter, func(of poststore.Selection) (err error) {
		of.After, of.From, of.To = after, now.Add(-maxPostAge), time.Time{}
		for _, begin := range []time.Time{r.Created, r.MutedUntil} {
			if of.From.Before(begin) && !begin.After(now) {
				of.From = begin // earlier posts that arrive again are not new
			}
		}
		posts, total, err = s.Posts.Posts(ctx, of, earshot.MaxSignalPosts)
		return err
	})
	return posts, total, err
}

// collect raises a signal about posts, or adds them to the one that is open. more is the number of
// further posts. It reports whether the posts are dealt with.
func (s *Service) collect(ctx context.Context, t *target, r *earshot.Rule, posts []earshot.Post, more int64, now time.Time) (bool, error) {
	f := finding{kind: earshot.PostSignal, filter: r.Filter, holds: true, posts: posts, observed: float64(int64(len(posts)) + more)}
	f.from, f.to = posts[len(posts)-1].Time, now
	if more > 0 {
		f.from = now.Add(-maxPostAge)
	}
	for _, p := range posts {
		if !p.Time.Before(f.to) {
			f.to = p.Time.Add(time.Second) // a clock is ahead of ours
		}
	}
	if open := s.signals.find(s.Catalog, keyOf(t.ID, r.ID, f.kind, "")); open != nil {
		f.observed += open.Observed
		return true, s.follow(ctx, t, r, open, &f, now, true)
	}
	return s.raise(ctx, t, r, &f, now)
}

// closePosts resolves the signal of a rule about posts if no further posts came. People are not
// notified: nothing has ended.
func (s *Service) closePosts(ctx context.Context, t *target, r *earshot.Rule, now time.Time) error {
	open := s.signals.find(s.Catalog, keyOf(t.ID, r.ID, earshot.PostSignal, ""))
	if open == nil || now.Sub(open.Evaluated) < collectPause && now.Sub(open.Raised) < collectFor {
		return nil
	}
	err := s.amend(ctx, open.ID, func(sig *earshot.Signal) error {
		if sig.State != earshot.Firing {
			return errUnchanged
		}
		s.resolveBy(sig, "")
		return nil
	})
	if err != nil {
		return err
	}
	return s.Catalog.ReleaseName(ctx, signalKey(open).name(), int64(open.ID))
}

// evaluatePrompt evaluates the rules about thresholds and posts of monitors that got posts. Then their
// teams rest.
func (s *Service) evaluatePrompt(ctx context.Context) {
	now := s.Now()
	took := map[earshot.TeamID]time.Duration{}
	for _, id := range s.touched.takePrompt(now) {
		if len(s.rulesOf(id)) == 0 {
			continue
		}
		m, ok := s.findMonitor(id)
		if !ok || !m.Enabled {
			continue
		}
		if now.Before(s.restUntil[m.Team]) || took[m.Team] >= maxPrompt {
			s.touched.postpone(id, now)
			continue
		}
		t := s.newTarget(m, nil)
		for _, r := range t.others {
			if !r.Threshold.Below { // more posts do not make less
				took[m.Team] += s.evaluateRule(ctx, &t, r, now)
			}
		}
	}
	for team, until := range s.restUntil {
		if !now.Before(until) {
			delete(s.restUntil, team)
		}
	}
	for team, d := range took {
		s.restUntil[team] = now.Add(restFactor * d)
	}
}

const (
	// restFactor bounds the share of time that the rules of a team are evaluated promptly: one that adds
	// up a week of a large monitor takes a while, and the team has to rest 50 times as long.
	restFactor = 50

	// maxPrompt is the time after which the other monitors of a team wait for its next turn.
	maxPrompt = time.Second
)
