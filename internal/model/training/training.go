// Package training manages the training posts of opinion monitors and the models trained on them.
//
// The training posts of a monitor are stored as one blob, and the monitor's record references it. A
// change writes a new blob and then updates the record in a single write, so it is atomic. Package
// rematch trains the model and categorizes stored posts later, in the background.
package training

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"earshot"
	"earshot/internal/sleep"
	"earshot/internal/state/catalog"
)

// A Matcher trains models and categorizes stored posts.
type Matcher interface {
	// Rematch brings the stored posts of a monitor up to date with the catalog. It closes done when
	// they are.
	Rematch(id earshot.MonitorID) (done <-chan struct{})

	// InUse returns the record of the model that categorized the stored posts of a monitor, or 0.
	InUse(id earshot.MonitorID) int64
}

// A Service manages training posts and models.
type Service struct {
	Catalog   *catalog.Catalog
	Rematcher Matcher
	Log       *slog.Logger
	Now       func() time.Time

	// Posts finds stored posts, whose sources documents without a type get. It may be nil.
	Posts PostFinder

	// Enrich enriches posts as on ingest, because inferred attributes are features.
	Enrich func([]earshot.Post)

	locks  sync.Map // MonitorID -> *sync.Mutex that serializes changes to its training posts
	models modelCache
}

// A PostFinder finds stored posts by their keys.
type PostFinder interface {
	Find(ctx context.Context, keys []earshot.PostKey) ([]earshot.Post, error)
}

// rematchWait is how long a change waits for the rematch it triggers. In a small installation the
// next response then includes the results; in a large one requests stay fast.
// docs/decisions/0030-rematching.md
const rematchWait = 2 * time.Second

// Added is the result of [Service.Add].
type Added struct {
	Category earshot.Category
	Posts    int // distinct posts that the request put into the category
	Replaced int // how many of them were training posts before

	// Previous is the category of each document before the request, or 0 if it was not a training
	// post.
	Previous []earshot.CategoryID
}

// Add puts documents into a category. A document with the URL of an existing training post replaces
// that post, whatever its category. Either all documents are added or none.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, category earshot.CategoryID, docs []Document) (Added, error) {
	var added Added
	if err := s.addTypes(ctx, docs); err != nil {
		return added, err
	}
	m, err := s.change(ctx, c, id, func(m *earshot.Monitor, set *trainingSet) error {
		if findCategory(m, category) == nil {
			return noCategory(category)
		}
		if len(docs) > MaxDocuments {
			return TooMany(len(docs))
		}
		if len(docs) == 0 {
			return earshot.InvalidBody("documents is empty")
		}
		added = Added{}
		for i := range docs {
			p, err := newTrainingPost(&docs[i])
			if err != nil {
				return earshot.InvalidBody("documents[%d].%s", i, err)
			}
			p.Category, p.AddedBy, p.Added = category, c.Name, s.Now().UTC().Truncate(time.Second)
			before, again := set.put(p)
			if !again {
				added.Posts++
			}
			if before != 0 && !again {
				added.Replaced++
			}
			added.Previous = append(added.Previous, before)
		}
		return set.checkSize()
	})
	if err != nil {
		return Added{}, err
	}
	added.Category = *findCategory(m, category)
	return added, nil
}

// Edit changes a training post. Changes to its URL, which identifies it, are ignored. An edit
// without changes writes nothing.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post string, edit func(*earshot.TrainingPost)) (*earshot.Monitor, earshot.TrainingPost, error) {
	var edited earshot.TrainingPost
	unchanged := false
	m, err := s.change(ctx, c, id, func(m *earshot.Monitor, set *trainingSet) error {
		at := set.find(post)
		if at < 0 {
			return noPost(post)
		}
		edited = set.posts[at]
		edit(&edited)
		unchanged = edited == set.posts[at]
		edited.URL = set.posts[at].URL
		if err := check(&edited); err != nil {
			return earshot.InvalidBody("%s", err)
		}
		if findCategory(m, edited.Category) == nil {
			return noCategory(edited.Category)
		}
		if unchanged {
			return errUnchanged
		}
		set.posts[at] = edited
		return set.checkSize()
	})
	if errors.Is(err, errUnchanged) {
		m, _ = s.Catalog.Monitors.Find(id)
		return m, edited, nil
	}
	return m, edited, err
}

// errUnchanged means that there is nothing to write.
var errUnchanged = errors.New("nothing to change")

// Remove removes a training post.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post string) error {
	_, err := s.change(ctx, c, id, func(m *earshot.Monitor, set *trainingSet) error {
		at := set.find(post)
		if at < 0 {
			return noPost(post)
		}
		set.posts = slices.Delete(set.posts, at, at+1)
		return nil
	})
	return err
}

// List returns the training posts of an opinion monitor in the order in which they were added. If
// category is not 0, it returns only the posts of that category.
func (s *Service) List(ctx context.Context, m *earshot.Monitor, category earshot.CategoryID) ([]earshot.TrainingPost, error) {
	if category != 0 && findCategory(m, category) == nil {
		return nil, noCategory(category)
	}
	set, err := s.readLatest(ctx, m)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(set.posts, func(p earshot.TrainingPost) bool { return category != 0 && p.Category != category }), nil
}

// change changes the training posts of a monitor that c can access, and waits up to rematchWait for
// the rematch.
func (s *Service) change(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor, *trainingSet) error) (*earshot.Monitor, error) {
	m, err := s.write(ctx, c, id, change)
	if err != nil {
		return nil, err
	}
	done := s.Rematcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(rematchWait):
	case <-ctx.Done():
	}
	return m, nil
}

// write writes the changed training posts to a new blob, makes the monitor reference it, and
// removes the old blob. It retries after concurrent changes.
func (s *Service) write(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor, *trainingSet) error) (*earshot.Monitor, error) {
	defer s.lock(id)()
	for try := range 1 + maxRetries {
		m, ok := s.Catalog.Monitors.Find(id)
		if try > 0 { // another process has changed the monitor
			var err error
			if m, err = s.refresh(ctx, id); err != nil {
				return nil, err
			}
			ok = true
		}
		if !ok || m.Removed || !c.In(m.Team) {
			return nil, earshot.NoMonitor(id)
		}
		if err := earshot.RequireOpinion(m); err != nil {
			return nil, err
		}
		set, err := s.read(ctx, m)
		if err == nil {
			err = change(m, set)
		}
		if errors.Is(err, catalog.ErrNotFound) && try < maxRetries {
			continue // another process has replaced the training posts
		}
		if err != nil {
			return nil, err
		}
		written, err := s.replace(ctx, c, m, set)
		if !errors.Is(err, errChanged) {
			return written, err
		}
	}
	return nil, &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}
}

// Retries of a change after a concurrent one.
const (
	maxRetries = 20
	retryWait  = 50 * time.Millisecond
)

// refresh waits a moment and returns the stored version of a monitor.
func (s *Service) refresh(ctx context.Context, id earshot.MonitorID) (*earshot.Monitor, error) {
	if !sleep.For(ctx, retryWait) {
		return nil, ctx.Err()
	}
	m, err := s.Catalog.Monitors.Refresh(ctx, id)
	if errors.Is(err, catalog.ErrNotFound) {
		return nil, earshot.NoMonitor(id)
	}
	return m, err
}

// lock serializes changes to a monitor's training posts.
func (s *Service) lock(id earshot.MonitorID) (unlock func()) {
	held, _ := s.locks.LoadOrStore(id, new(sync.Mutex))
	held.(*sync.Mutex).Lock()
	return held.(*sync.Mutex).Unlock
}

// errChanged means that the monitor changed concurrently.
var errChanged = errors.New("the monitor changed concurrently")

// replace stores the training posts of a monitor. It fails with errChanged if m is out of date.
func (s *Service) replace(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, set *trainingSet) (*earshot.Monitor, error) {
	data, err := set.encode()
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // finish the write even if the caller gives up
	record, err := s.Catalog.AddBlob(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("write training posts: %w", err)
	}
	old := m.Training.Documents
	refused := false
	written, err := s.Catalog.Monitors.Update(ctx, m.ID, func(now *earshot.Monitor) error {
		if now.Training.Documents == record {
			return nil // already written, but the response was lost
		}
		refused = true
		if now.Removed {
			return earshot.NoMonitor(m.ID)
		}
		if now.Training.Documents != old || !sameCategories(now, m) {
			return errChanged
		}
		refused = false
		now.Training.Documents = record
		now.Training.Changes++
		set.count(now.Categories)
		now.Record(earshot.EventTrained, c.Name, s.Now())
		return nil
	})
	if err != nil {
		if refused { // otherwise it may have been written; if not, Sweep removes it
			s.removeRecord(ctx, record)
		}
		return nil, err
	}
	s.removeRecord(ctx, old)
	return written, nil
}

// removeRecord removes a blob that is no longer referenced. If that fails, Sweep removes it later.
func (s *Service) removeRecord(ctx context.Context, record int64) {
	if record == 0 {
		return
	}
	if err := s.Catalog.RemoveBlob(context.WithoutCancel(ctx), record); err != nil {
		s.Log.Warn("an unreferenced record was not removed", "record", record, "error", err)
	}
}

func sameCategories(a, b *earshot.Monitor) bool {
	return slices.EqualFunc(a.Categories, b.Categories, func(x, y earshot.Category) bool { return x.ID == y.ID })
}

func findCategory(m *earshot.Monitor, id earshot.CategoryID) *earshot.Category {
	i := slices.IndexFunc(m.Categories, func(c earshot.Category) bool { return c.ID == id })
	if i < 0 {
		return nil
	}
	return &m.Categories[i]
}

// categoryName returns the name of a category of m, or "" if the category was removed.
func categoryName(m *earshot.Monitor, id earshot.CategoryID) string {
	if c := findCategory(m, id); c != nil {
		return c.Name
	}
	return ""
}

func noCategory(id earshot.CategoryID) error {
	return earshot.Errorf(earshot.NotFound, "Category %d does not exist", id)
}

func noPost(id string) error {
	return earshot.Errorf(earshot.NotFound, "Training post %s does not exist", id)
}
