package training

import (
	"context"
	"errors"
	"slices"

	"earshot"
)

// RemoveWhere removes the training posts that match from the monitors that c can access, and returns
// their number. The models of these monitors are retrained in the background. With dryRun, it
// only counts the posts. A failed removal can be repeated.
func (s *Service) RemoveWhere(ctx context.Context, c *earshot.Caller, match func(*earshot.TrainingPost) bool, dryRun bool) (int, error) {
	total := 0
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed || m.Training.Documents == 0 || !c.In(m.Team) {
			continue
		}
		removed, err := s.removeFrom(ctx, c, m, match, dryRun)
		if err != nil {
			return total, err
		}
		total += removed
	}
	return total, nil
}

// removeFrom is RemoveWhere for one monitor.
func (s *Service) removeFrom(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, match func(*earshot.TrainingPost) bool, dryRun bool) (int, error) {
	found, err := s.countStored(ctx, m, match)
	if err != nil || found == 0 || dryRun {
		return found, err
	}
	_, err = s.write(ctx, c, m.ID, func(now *earshot.Monitor, set *trainingSet) (err error) {
		if found, err = s.countStored(ctx, now, match); err != nil {
			return err
		}
		if found == 0 {
			return errUnchanged
		}
		set.posts = slices.DeleteFunc(set.posts, func(p earshot.TrainingPost) bool { return match(&p) })
		return nil
	})
	switch {
	case errors.Is(err, errUnchanged), earshot.IsKind(err, earshot.NotFound): // the monitor was removed
		return 0, nil
	case err != nil:
		return 0, err
	}
	s.Rematcher.Rematch(m.ID)
	return found, nil
}

// countStored counts the stored training posts that match, including those of removed categories,
// which stay in the blob until it is written again.
func (s *Service) countStored(ctx context.Context, m *earshot.Monitor, match func(*earshot.TrainingPost) bool) (n int, err error) {
	set, err := s.readStored(ctx, m)
	if err != nil {
		return 0, err
	}
	for i := range set.posts {
		if match(&set.posts[i]) {
			n++
		}
	}
	return n, nil
}
