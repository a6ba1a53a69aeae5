package pipeline

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// revision is the job that has stored posts seen by newer models. What is wanted and
// what is done stands in the catalog, so it goes on after a restart.
type revision struct {
	mu       sync.Mutex
	progress earshot.Progress
	asked    chan struct{} // has an element when there is something to look for
}

// Refresh asks for stored posts to be seen by the models of today: those that older
// ones have seen, or all of them. It returns once that cannot get lost.
func (p *Pipeline) Refresh(ctx context.Context, all bool) error {
	models, err := p.Catalog.UpdateModels(ctx, func(m *catalog.Models) {
		if all {
			m.Generation++
		}
		// Done starts over: posts may have come from a backup of an older version.
		m.Wanted, m.Done = enrich.ModelVersion(m.Generation), 0
	})
	if err != nil {
		return err
	}
	p.Enrich.SetGeneration(models.Generation)
	p.revision.tell(func(progress *earshot.Progress) {
		if progress.State != earshot.Running {
			*progress = earshot.Progress{State: earshot.Waiting, Message: "Stored posts are about to be seen by the models"}
		}
	})
	p.revision.notify()
	return nil
}

// Refreshing tells how far that is.
func (p *Pipeline) Refreshing() earshot.Progress {
	p.revision.mu.Lock()
	defer p.revision.mu.Unlock()
	if p.revision.progress.State == "" {
		return earshot.Progress{State: earshot.Idle}
	}
	return p.revision.progress
}

func (r *revision) tell(f func(*earshot.Progress)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	f(&r.progress)
}

// channel returns the channel of asked, made at its first use.
func (r *revision) channel() chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.asked == nil {
		r.asked = make(chan struct{}, 1)
	}
	return r.asked
}

func (r *revision) notify() {
	select {
	case r.channel() <- struct{}{}:
	default:
	}
}

// loadGeneration reads how often all posts were wanted to be seen again.
func (p *Pipeline) loadGeneration(ctx context.Context) error {
	models, err := p.Catalog.Models(ctx)
	if err == nil {
		p.Enrich.SetGeneration(models.Generation)
	}
	return err
}

// keepRevising does what is wanted, until ctx ends.
func (p *Pipeline) keepRevising(ctx context.Context) {
	wait := firstWait
	for {
		err := p.revise(ctx)
		if ctx.Err() != nil {
			return
		}
		var again <-chan time.Time
		if err != nil {
			wait = min(2*wait, longestWait)
			again = time.After(wait)
			p.Log.Error("stored posts not seen by the models yet; trying again", "wait", wait, "error", err)
			p.revision.tell(func(progress *earshot.Progress) {
				progress.State, progress.Message = earshot.Failed, "Stored posts could not all be seen by the models and will be tried again; the log of the service says why"
			})
		} else {
			wait = firstWait
		}
		select {
		case <-ctx.Done():
			return
		case <-p.revision.channel():
		case <-again:
		}
	}
}

// revise has stored posts seen by the models of today, if that is wanted and not done.
// Another version was wanted by another program: its models are not here.
func (p *Pipeline) revise(ctx context.Context) (err error) {
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("panic while models see stored posts", "panic", r, "stack", string(debug.Stack()))
			reason, _, _ := strings.Cut(fmt.Sprint(r), "\n")
			err = fmt.Errorf("panic: %s", reason)
		}
	}()
	models, err := p.Catalog.Models(ctx)
	if err != nil || models.Wanted != p.Enrich.ModelVersion() || models.Done >= models.Wanted {
		return err
	}
	p.revision.tell(func(progress *earshot.Progress) {
		*progress = earshot.Progress{State: earshot.Running, Started: time.Now().UTC().Truncate(time.Second), Message: "Models see stored posts"}
	})
	err = p.Store.Revise(ctx, poststore.Revision{
		Models: models.Wanted,
		Revise: func(posts []earshot.Post) { p.seeAgain(ctx, posts) },
		Progress: func(done, total int64) {
			p.revision.tell(func(progress *earshot.Progress) { progress.Done, progress.Total = done, total })
		},
	})
	if err != nil {
		return err
	}
	if err := p.teachAgain(ctx); err != nil {
		return err
	}
	wanted := models.Wanted
	models, err = p.Catalog.UpdateModels(ctx, func(m *catalog.Models) {
		if m.Wanted == wanted { // more may have been asked for meanwhile
			m.Done = wanted
		}
	})
	if err != nil || models.Done < models.Wanted {
		p.revision.notify()
		return err
	}
	p.revision.tell(func(progress *earshot.Progress) {
		progress.State, progress.Done, progress.Message = earshot.Done, progress.Total, "The models have seen all stored posts"
	})
	return nil
}

// teachAgain has opinion monitors learn again, and their posts sorted: what models tell of a
// post is a part of what its categories are told by.
func (p *Pipeline) teachAgain(ctx context.Context) error {
	for _, m := range p.Catalog.Monitors.List() {
		if m.Removed || m.Training.Model.Record == 0 {
			continue
		}
		_, err := p.Catalog.Monitors.Update(ctx, m.ID, func(m *earshot.Monitor) error {
			m.Training.Changes++
			return nil
		})
		if err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
		p.Rematch(m.ID)
	}
	return nil
}

// seeAgain completes posts anew, on all cores. When ctx ends it leaves off, and the posts
// that are left show by their version that they are.
func (p *Pipeline) seeAgain(ctx context.Context, posts []earshot.Post) {
	for some := range slices.Chunk(posts, lookAtOnce) {
		p.Enrich.ClearInferred(some)
		p.Enrich.InferImages(ctx, some)
		spread(some, func() func([]earshot.Post, int) {
			return func(few []earshot.Post, _ int) {
				for i := range few {
					if ctx.Err() == nil {
						p.seeOne(&few[i])
					}
				}
			}
		})
	}
}

// lookAtOnce is how many posts have their images looked at within the time for that.
const lookAtOnce = 512

// seeOne completes a post. One that the models cannot see stays without what they tell:
// it must not keep the others from being seen.
func (p *Pipeline) seeOne(post *earshot.Post) {
	before := *post
	defer func() {
		if r := recover(); r != nil {
			p.Log.Error("panic while models see a stored post", "source", before.Source, "guid", before.GUID, "panic", r, "stack", string(debug.Stack()))
			*post = before
			post.InferredBy = p.Enrich.ModelVersion()
		}
	}()
	p.Enrich.Post(post)
}
