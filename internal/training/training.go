// Package training keeps what analysts teach opinion monitors: posts that they have put
// into categories, and the models that are learnt from them. A change of training posts is
// one write of the monitor's record, which names where they are kept, so it happens as a
// whole or not at all; learning from them, and having stored posts sorted anew, is the
// pipeline's work and comes after.
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
	"earshot/internal/state/catalog"
)

// A Matcher has models learnt, and stored posts sorted by them.
type Matcher interface {
	// Rematch sees to it that the posts of a monitor are as the catalog wants them. done is
	// closed when that is so.
	Rematch(id earshot.MonitorID) (done <-chan struct{})

	// InUse returns the record of the model that has sorted the posts of a monitor, 0 when none
	// has.
	InUse(id earshot.MonitorID) int64
}

// A Service keeps training posts and models.
type Service struct {
	Catalog *catalog.Catalog
	Matcher Matcher
	Log     *slog.Logger
	Now     func() time.Time

	// Enrich has posts completed as those that come in are, for what models tell of them.
	Enrich func([]earshot.Post)

	changing sync.Map // of monitors: a mutex each, so that changes of training posts come one after the other
	models   modelCache
}

// patience is how long a change waits for what follows from it. In a small installation that
// is enough to see its results in the next answer. docs/decisions/0030-matching-again.md
const patience = 2 * time.Second

// Added says what became of training posts.
type Added struct {
	Category earshot.Category
	Posts    int // those that have that category now because of it
	Replaced int // those among them that were training posts before

	// Before are the categories that they were in until then, in the order of the documents; 0
	// for those that were no training posts.
	Before []earshot.CategoryID
}

// Add puts documents into a category. One with the url of a training post takes its place,
// whichever category that was in. All are added, or none.
func (s *Service) Add(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, category earshot.CategoryID, docs []Document) (Added, error) {
	var added Added
	m, err := s.change(ctx, c, id, func(m *earshot.Monitor, l *lesson) error {
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
			p, err := newPost(&docs[i])
			if err != nil {
				return earshot.InvalidBody("documents[%d].%s", i, err)
			}
			p.Category, p.AddedBy, p.Added = category, c.Name, s.Now().UTC().Truncate(time.Second)
			before, again := l.put(p)
			if !again {
				added.Posts++
			}
			if before != 0 && !again {
				added.Replaced++
			}
			added.Before = append(added.Before, before)
		}
		return l.checkSize()
	})
	if err != nil {
		return Added{}, err
	}
	added.Category = *findCategory(m, category)
	return added, nil
}

// Edit changes a training post. Its url stays: that is what it is known by.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post string, edit func(*earshot.TrainingPost)) (*earshot.Monitor, earshot.TrainingPost, error) {
	var edited earshot.TrainingPost
	unchanged := false
	m, err := s.change(ctx, c, id, func(m *earshot.Monitor, l *lesson) error {
		at := l.find(post)
		if at < 0 {
			return noPost(post)
		}
		edited = l.posts[at]
		edit(&edited)
		unchanged = edited == l.posts[at]
		edited.URL = l.posts[at].URL
		if err := check(&edited); err != nil {
			return earshot.InvalidBody("%s", err)
		}
		if findCategory(m, edited.Category) == nil {
			return noCategory(edited.Category)
		}
		if unchanged {
			return errUnchanged
		}
		l.posts[at] = edited
		return l.checkSize()
	})
	if errors.Is(err, errUnchanged) {
		m, _ = s.Catalog.Monitors.Find(id)
		return m, edited, nil
	}
	return m, edited, err
}

// errUnchanged says that there is nothing to write.
var errUnchanged = errors.New("nothing changes")

// Remove takes a training post away.
func (s *Service) Remove(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, post string) error {
	_, err := s.change(ctx, c, id, func(m *earshot.Monitor, l *lesson) error {
		at := l.find(post)
		if at < 0 {
			return noPost(post)
		}
		l.posts = slices.Delete(l.posts, at, at+1)
		return nil
	})
	return err
}

// List returns the training posts of an opinion monitor, or of one of its categories, in the
// order in which they came.
func (s *Service) List(ctx context.Context, m *earshot.Monitor, category earshot.CategoryID) ([]earshot.TrainingPost, error) {
	if category != 0 && findCategory(m, category) == nil {
		return nil, noCategory(category)
	}
	l, err := s.readNow(ctx, m)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(l.posts, func(p earshot.TrainingPost) bool { return category != 0 && p.Category != category }), nil
}

// change changes the training posts of a monitor that c may see: they are written to a new
// record, then the monitor names that one, then the old one goes.
func (s *Service) change(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor, *lesson) error) (*earshot.Monitor, error) {
	m, err := s.write(ctx, c, id, change)
	if err != nil {
		return nil, err
	}
	done := s.Matcher.Rematch(id)
	select {
	case <-done:
	case <-time.After(patience):
	case <-ctx.Done():
	}
	return m, nil
}

func (s *Service) write(ctx context.Context, c *earshot.Caller, id earshot.MonitorID, change func(*earshot.Monitor, *lesson) error) (*earshot.Monitor, error) {
	defer s.lock(id)()
	for try := range 1 + maxTries {
		if try > 0 { // the monitors in memory may be behind those that are stored
			select {
			case <-time.After(retryWait):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		m, ok := s.Catalog.Monitors.Find(id)
		if !ok || m.Removed || !c.In(m.Team) {
			return nil, earshot.NoMonitor(id)
		}
		if err := earshot.RequireOpinion(m); err != nil {
			return nil, err
		}
		l, err := s.read(ctx, m)
		if err != nil {
			return nil, err
		}
		if err := change(m, l); err != nil {
			return nil, err
		}
		written, err := s.replace(ctx, c, m, l)
		if !errors.Is(err, errChanged) {
			return written, err
		}
	}
	return nil, &earshot.Error{Kind: earshot.Unavailable, Message: "Too many changes at the same time; try again", RetryAfter: time.Second}
}

// How often a change is tried again that someone else's came before.
const (
	maxTries  = 20
	retryWait = 50 * time.Millisecond
)

// lock lets others who change the training posts of a monitor wait until the function that it
// returns is called.
func (s *Service) lock(id earshot.MonitorID) (unlock func()) {
	held, _ := s.changing.LoadOrStore(id, new(sync.Mutex))
	held.(*sync.Mutex).Lock()
	return held.(*sync.Mutex).Unlock
}

// errChanged says that the monitor is not the one any more that a change was made for.
var errChanged = errors.New("the monitor changed meanwhile")

// replace makes l the training posts of a monitor.
func (s *Service) replace(ctx context.Context, c *earshot.Caller, m *earshot.Monitor, l *lesson) (*earshot.Monitor, error) {
	data, err := l.encode()
	if err != nil {
		return nil, err
	}
	ctx = context.WithoutCancel(ctx) // what is written is to be known, also when nobody waits for it
	record, err := s.Catalog.AddBlob(ctx, data)
	if err != nil {
		return nil, fmt.Errorf("write training posts: %w", err)
	}
	old := m.Training.Documents
	refused := false
	written, err := s.Catalog.Monitors.Update(ctx, m.ID, func(now *earshot.Monitor) error {
		if now.Training.Documents == record {
			return nil // it was written, and the answer got lost
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
		l.count(now.Categories)
		now.Record(earshot.EventTrained, c.Name, s.Now())
		return nil
	})
	if err != nil {
		if refused { // otherwise it may be written all the same; if it is not, Sweep removes it
			s.discard(ctx, record)
		}
		return nil, err
	}
	s.discard(ctx, old)
	return written, nil
}

// discard removes a large record that nothing names any more. Should that fail, Sweep does it.
func (s *Service) discard(ctx context.Context, record int64) {
	if record == 0 {
		return
	}
	if err := s.Catalog.RemoveBlob(context.WithoutCancel(ctx), record); err != nil {
		s.Log.Warn("a record that is not needed any more was not removed", "record", record, "error", err)
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

func noCategory(id earshot.CategoryID) error {
	return earshot.Errorf(earshot.NotFound, "Category %d does not exist", id)
}

func noPost(id string) error {
	return earshot.Errorf(earshot.NotFound, "Training post %s does not exist", id)
}
