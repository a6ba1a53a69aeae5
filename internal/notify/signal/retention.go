package signal

import (
	"context"
	"errors"
	"slices"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

const (
	retentionMonths = 13 // for which resolved signals are kept
	pruneEvery      = time.Hour
)

// prune removes old signals: resolved ones after 13 months, and the oldest resolved ones of teams with
// too many.
func (s *Service) prune(ctx context.Context) error {
	now := s.Now()
	if now.Sub(s.pruned) < pruneEvery {
		return nil
	}
	byTeam := map[earshot.TeamID][]*earshot.Signal{}
	for _, sig := range s.Catalog.Signals.List() {
		byTeam[sig.Team] = append(byTeam[sig.Team], sig)
	}
	oldest := now.AddDate(0, -retentionMonths, 0)
	for _, all := range byTeam {
		excess := len(all) - earshot.MaxSignals
		slices.SortStableFunc(all, func(a, b *earshot.Signal) int { return a.Resolved.Compare(b.Resolved) })
		for _, sig := range all {
			if sig.State != earshot.ResolvedSignal {
				continue
			}
			if excess <= 0 && !sig.Resolved.Before(oldest) {
				break
			}
			if err := s.Catalog.Signals.Remove(ctx, sig.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
				return err
			}
			excess--
		}
	}
	s.pruned = now
	return nil
}

// RemovePosts removes what signals say about posts that are erased, and signals about their authors. It
// returns the number of signals that it changed.
func (s *Service) RemovePosts(ctx context.Context, keys []earshot.PostKey) (int, error) {
	erased := make(map[earshot.PostKey]bool, len(keys))
	for _, k := range keys {
		erased[k] = true
	}
	authors := map[string]bool{}
	for part := range slices.Chunk(keys, 1000) {
		posts, err := s.Posts.Find(ctx, part)
		if err != nil {
			return 0, err
		}
		for i := range posts {
			for name := range posts[i].AccountNames() {
				authors[name] = true
			}
		}
	}
	gone := func(k earshot.PostKey) bool { return erased[k] }
	isNewcomer := func(x earshot.Newcomer) bool {
		return x.Kind == earshot.AuthorSignal && authors[earshot.AccountName(x.Subject)]
	}
	var removed, changed []earshot.SignalID
	for _, sig := range s.Catalog.Signals.List() {
		switch x := sig.Explanation; {
		case sig.Kind == earshot.AuthorSignal && authors[earshot.AccountName(sig.Subject)]:
			removed = append(removed, sig.ID)
		case slices.ContainsFunc(sig.Posts, gone), slices.ContainsFunc(sig.Newcomers, isNewcomer), x != nil && slices.ContainsFunc(x.Posts, gone):
			changed = append(changed, sig.ID)
		}
	}
	// Before the signals, because a repetition would not find them.
	if err := s.eraseMessages(ctx, removed, changed); err != nil {
		return 0, err
	}
	for _, id := range removed {
		if err := s.Catalog.Signals.Remove(ctx, id); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return 0, err
		}
	}
	for _, id := range changed {
		err := s.amend(ctx, id, func(sig *earshot.Signal) error {
			sig.Posts = slices.DeleteFunc(sig.Posts, gone)
			sig.Newcomers = slices.DeleteFunc(sig.Newcomers, isNewcomer)
			if x := sig.Explanation; x != nil && slices.ContainsFunc(x.Posts, gone) {
				sig.Explanation = nil // its words are those of the posts; a firing signal gets another one
				s.retitle(sig)
			}
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return len(removed) + len(changed), s.eraseMessages(ctx, removed, changed) // what was handed over meanwhile
}

func (s *Service) eraseMessages(ctx context.Context, removed, changed []earshot.SignalID) error {
	if s.Deliveries == nil || len(removed)+len(changed) == 0 {
		return nil
	}
	threads := func(ids []earshot.SignalID) (list []string) {
		for _, id := range ids {
			list = append(list, thread(id))
		}
		return list
	}
	return s.Deliveries.RemoveThreads(ctx, threads(removed), threads(changed))
}
