package rematch

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/parallel"
	"earshot/internal/poststore"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// Reinfer requests that the current models run on stored posts: on those that only older models
// have processed or, if all is true, on every post. It returns once the request is recorded in the
// catalog, so the work continues after a restart. Every node runs the models on its own store.
func (s *Service) Reinfer(ctx context.Context, all bool) error {
	models, err := s.Catalog.UpdateModels(ctx, func(m *catalog.Models) {
		if all {
			m.Generation++
		}
		m.Requests++
		// Done starts over because posts may have come from a backup of an older version.
		m.Wanted, m.Done = enrich.ModelVersion(m.Generation), 0
	})
	if err != nil {
		return err
	}
	s.Enrich.SetGeneration(models.Generation)
	s.updateReinfer(func(p *Progress) {
		if p.State != Running {
			*p = Progress{State: Waiting, Message: "Waiting to run the models on stored posts"}
		}
	})
	sleep.Notify(s.reinferWake)
	return nil
}

// ReinferProgress returns the progress of the current request, or of the last one since the service
// started.
func (s *Service) ReinferProgress() Progress {
	s.reinferMu.Lock()
	defer s.reinferMu.Unlock()
	return s.reinferProgress
}

func (s *Service) updateReinfer(change func(*Progress)) {
	s.reinferMu.Lock()
	defer s.reinferMu.Unlock()
	change(&s.reinferProgress)
}

// runReinfer processes requests, of any node, until ctx is done.
func (s *Service) runReinfer(ctx context.Context) {
	if s.Shared {
		defer s.Catalog.NotifyModels(s.reinferWake)()
	}
	wait := minWait
	for {
		err := s.reinfer(ctx)
		if ctx.Err() != nil {
			return
		}
		var retry <-chan time.Time
		if errors.Is(err, poststore.ErrElsewhere) {
			retry = time.After(elsewhereWait)
			s.updateReinfer(func(p *Progress) {
				*p = Progress{State: Waiting, Message: "Waiting for another node to run the models on stored posts"}
			})
			if err := s.Refresh(ctx); err != nil {
				s.Log.Warn("the state of stored posts cannot be read; retrying", "error", err)
			}
		} else if err != nil {
			wait = min(2*wait, maxWait)
			retry = time.After(wait)
			s.Log.Error("reinferring stored posts failed; retrying", "wait", wait, "error", err)
			s.updateReinfer(func(p *Progress) {
				p.State, p.Message = Failed, "Running the models on stored posts failed and will be retried. See the service log for the reason"
			})
		} else {
			wait = minWait
		}
		select {
		case <-ctx.Done():
			return
		case <-s.reinferWake:
		case <-retry:
		}
	}
}

// reinfer runs the current models on stored posts if that was requested and is not done, and then
// has opinion monitors trained again. It ignores requests for another version, which come from another
// version of Earshot with different models.
func (s *Service) reinfer(ctx context.Context) (err error) {
	defer s.catch(&err, "panic while reinferring stored posts")
	models, err := s.Catalog.Models(ctx)
	if err != nil {
		return err
	}
	s.Enrich.SetGeneration(models.Generation)
	if models.Wanted != s.Enrich.ModelVersion() {
		return nil
	}
	pending := !s.hasReinferred(models)
	if pending {
		if err := s.reinferStore(ctx, models); err != nil {
			return err
		}
	}
	if models.Done < models.Wanted {
		if more, err := s.finishModels(ctx, models.Wanted); err != nil || more {
			sleep.Notify(s.reinferWake)
			return err
		}
	}
	if pending || s.ReinferProgress().State == Waiting { // another node may have done it
		s.updateReinfer(func(p *Progress) {
			p.State, p.Done, p.Message = Done, p.Total, "The models have processed all stored posts"
		})
	}
	return nil
}

// hasReinferred reports whether the store is up to date with the last request. If several nodes have
// stores, the store records that.
func (s *Service) hasReinferred(models catalog.Models) bool {
	if !s.Shared {
		return models.Done >= models.Wanted
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generations[poststore.ReinferredSet] >= max(models.Requests, 1)
}

// reinferStore runs the current models on the store.
func (s *Service) reinferStore(ctx context.Context, models catalog.Models) error {
	s.updateReinfer(func(p *Progress) {
		*p = Progress{State: Running, Started: s.Now().UTC().Truncate(time.Second), Message: "Running the models on stored posts"}
	})
	err := s.Store.Reinfer(ctx, poststore.Reinfer{
		Models: models.Wanted,
		Infer:  func(posts []earshot.Post) { s.reinferPosts(ctx, posts) },
		Progress: func(done, total int64) {
			s.updateReinfer(func(p *Progress) { p.Done, p.Total = done, total })
		},
	})
	if err != nil || !s.Shared {
		return err
	}
	// Another node may have trained the models already, and they may have categorized posts before
	// the posts had their new attributes.
	if !s.isTrainer() || models.Done >= models.Wanted { // otherwise monitors are trained next
		if err := s.recategorize(ctx); err != nil {
			return err
		}
	}
	done := max(models.Requests, 1)
	if err := s.Store.Rematch(ctx, poststore.Rematch{From: never, Rules: poststore.Rules{poststore.ReinferredSet: {Generation: done}}}); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.generations[poststore.ReinferredSet] = done
	return nil
}

// never is later than any post, so that a rule from then on examines none.
var never = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)

// finishModels has all opinion monitors trained again and marks a request as done, unless another node
// fits models. It reports whether there is a newer request.
func (s *Service) finishModels(ctx context.Context, requested uint32) (more bool, err error) {
	role, cancel := s.roleContext(ctx)
	defer cancel()
	if role == nil {
		return false, nil
	}
	if err := s.retrainAll(role); err != nil {
		return false, err
	}
	models, err := s.Catalog.UpdateModels(role, func(m *catalog.Models) {
		if m.Wanted == requested { // otherwise there is a newer request
			m.Done = requested
		}
	})
	return models.Done < models.Wanted, err
}

// retrainAll requests that all opinion monitors be trained again and their posts categorized,
// because inferred attributes are features of their models.
func (s *Service) retrainAll(ctx context.Context) error {
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed || m.Training.Model.Record == 0 {
			continue
		}
		_, err := s.Catalog.Monitors.Update(ctx, m.ID, func(m *earshot.Monitor) error {
			m.Training.Changes++
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		s.Rematch(m.ID)
	}
	return nil
}

// imageBatch is the number of posts that share the time limit for fetching images. It is large
// enough to fetch many images at once, and small enough that slow servers do not use up the limit
// for all posts.
const imageBatch = 512

// reinferPosts enriches posts again, on all cores. When ctx is done, it leaves the remaining posts
// unchanged, as their model version shows.
func (s *Service) reinferPosts(ctx context.Context, posts []earshot.Post) {
	for batch := range slices.Chunk(posts, imageBatch) {
		s.Enrich.ClearInferred(batch)
		if s.Pictures != nil {
			s.Pictures(ctx, batch)
		}
		_ = parallel.For(ctx, len(batch), 0, func(_ context.Context, i int) error {
			s.reinferPost(&batch[i])
			return nil
		}) // fails only if ctx is done
	}
}

// reinferPost enriches a post. If a model panics, the post has no inferred attributes, and the
// others are not affected.
func (s *Service) reinferPost(post *earshot.Post) {
	before := *post
	defer func() {
		if r := recover(); r != nil {
			s.Log.Error("panic while reinferring a stored post", "source", before.Source, "guid", before.GUID, "panic", r, "stack", string(debug.Stack()))
			*post = before
			post.InferredBy = s.Enrich.ModelVersion()
		}
	}()
	s.Enrich.Post(post)
}
