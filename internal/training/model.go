package training

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"earshot"
	"earshot/internal/model/enrich"
	"earshot/internal/model/opinion"
)

// Train makes a model of the training posts of a monitor and writes it to the catalog. used
// is the record of the model that has sorted stored posts: that one stays, until Settle. It
// returns the monitor as it is then.
func (s *Service) Train(ctx context.Context, id earshot.MonitorID, used int64) (*earshot.Monitor, error) {
	m, ok := s.Catalog.Monitors.Find(id)
	if !ok || m.Removed {
		return nil, earshot.NoMonitor(id)
	}
	model, err := s.fit(ctx, m)
	if err != nil {
		return nil, err
	}
	data, err := model.AppendBinary(nil)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	record, err := s.Catalog.AddBlob(context.WithoutCancel(ctx), data)
	if err != nil {
		return nil, fmt.Errorf("write model: %w", err)
	}
	learnt := earshot.Model{Record: record, Changes: m.Training.Changes, Method: method, Time: s.Now().UTC()}
	var dropped []int64
	refused := false
	written, err := s.Catalog.Monitors.Update(context.WithoutCancel(ctx), id, func(now *earshot.Monitor) error {
		if now.Training.Model.Record == record {
			return nil // it was written, and the answer got lost
		}
		if refused = now.Removed; refused {
			return earshot.NoMonitor(id)
		}
		dropped = now.Training.Adopt(learnt, used) // also when there is more to learn by now
		return nil
	})
	if err != nil {
		if refused { // otherwise it may be written all the same; if it is not, Sweep removes it
			s.discard(ctx, record)
		}
		return nil, err
	}
	s.models.keep(record, model)
	s.drop(ctx, dropped...)
	return written, nil
}

// method is the way in which models are learnt: what is learnt, and what is told of posts.
const method = opinion.Version<<16 | enrich.Version

// IsCurrent reports whether a model was learnt as models are learnt now.
func (s *Service) IsCurrent(m earshot.Model) bool { return m.Method == method }

// fit learns from the training posts of a monitor.
func (s *Service) fit(ctx context.Context, m *earshot.Monitor) (*opinion.Model, error) {
	if err := earshot.RequireTraining(m); err != nil {
		return nil, err
	}
	l, err := s.readNow(ctx, m)
	if err != nil {
		return nil, err
	}
	var categories []earshot.CategoryID
	taught := map[earshot.CategoryID]bool{}
	for _, c := range m.Categories {
		if c.IsTrained() {
			categories = append(categories, c.ID)
			taught[c.ID] = true
		}
	}
	posts := make([]earshot.Post, 0, len(l.posts))
	var of []earshot.CategoryID
	for i := range l.posts {
		if p := &l.posts[i]; taught[p.Category] {
			posts, of = append(posts, p.Post()), append(of, p.Category)
		}
	}
	s.Enrich(posts)
	docs := make([]opinion.Document, len(posts))
	for i := range posts {
		docs[i] = opinion.Document{Post: posts[i], Category: of[i]}
	}
	model, err := opinion.Train(ctx, categories, docs)
	if err != nil {
		return nil, fmt.Errorf("learn from %d training posts of monitor %d: %w", len(docs), m.ID, err)
	}
	return model, nil
}

// ReleasePrevious notes that the newest model of a monitor, if it is this one, has sorted stored posts,
// so that the one before is not needed any more.
func (s *Service) ReleasePrevious(ctx context.Context, id earshot.MonitorID, used int64) error {
	return s.release(ctx, id, func(m *earshot.Monitor) (dropped []int64) {
		if t := &m.Training; t.Model.Record == used && t.Previous.Record != 0 {
			dropped = []int64{t.Previous.Record}
			t.Previous = earshot.Model{}
		}
		return dropped
	})
}

// RemoveAll removes what a removed monitor was taught.
func (s *Service) RemoveAll(ctx context.Context, id earshot.MonitorID) error {
	return s.release(ctx, id, func(m *earshot.Monitor) (dropped []int64) {
		if m.Removed {
			dropped = m.Training.Records()
			m.Training = earshot.Training{}
		}
		return dropped
	})
}

// release changes a monitor such that it does not name some records any more, and removes
// these. There is nothing to do when there are none.
func (s *Service) release(ctx context.Context, id earshot.MonitorID, change func(*earshot.Monitor) (dropped []int64)) error {
	var dropped []int64
	_, err := s.Catalog.Monitors.Update(ctx, id, func(m *earshot.Monitor) error {
		if dropped = change(m); len(dropped) == 0 {
			return errUnchanged
		}
		return nil
	})
	if errors.Is(err, errUnchanged) {
		return nil
	}
	if err == nil {
		s.drop(ctx, dropped...)
	}
	return err
}

// Sweep removes large records that no monitor names: what was being written when the process
// ended, or belongs to a removed monitor. It comes before anything is changed. While there are
// monitors that cannot be read, all might be theirs.
func (s *Service) Sweep(ctx context.Context) {
	if !s.Catalog.Monitors.Complete() {
		return
	}
	named := map[int64]bool{}
	for _, m := range s.Catalog.Monitors.List() {
		if m.Removed && m.Training != (earshot.Training{}) {
			if err := s.RemoveAll(ctx, m.ID); err != nil {
				s.Log.Warn("what a removed monitor was taught was not removed", "monitor", m.ID, "error", err)
			}
			continue
		}
		for _, record := range m.Training.Records() {
			named[record] = true
		}
	}
	for _, record := range s.Catalog.ListBlobs() {
		if !named[record] {
			s.discard(ctx, record)
		}
	}
}

// Model returns a model.
func (s *Service) Model(ctx context.Context, m earshot.Model) (*opinion.Model, error) {
	if model := s.models.find(m.Record); model != nil {
		return model, nil
	}
	data, err := s.Catalog.FindBlob(ctx, m.Record)
	if err != nil {
		return nil, fmt.Errorf("read model %d: %w", m.Record, err)
	}
	model, err := opinion.Open(data)
	if err != nil {
		return nil, fmt.Errorf("read model %d: %w", m.Record, err)
	}
	return s.models.keep(m.Record, model), nil
}

// InUse returns the model that has sorted the posts of a monitor, zero ones when none has. It
// may be replaced at any time.
func (s *Service) InUse(ctx context.Context, id earshot.MonitorID) (earshot.Model, *opinion.Model, error) {
	m, ok := s.Catalog.Monitors.Find(id)
	if !ok {
		return earshot.Model{}, nil, earshot.NoMonitor(id)
	}
	used := m.Training.InUse(s.Matcher.InUse(id))
	if used.Record == 0 {
		return earshot.Model{}, nil, nil
	}
	model, err := s.Model(ctx, used)
	return used, model, err
}

// drop forgets models and removes their records.
func (s *Service) drop(ctx context.Context, records ...int64) {
	for _, record := range records {
		s.models.forget(record)
		s.discard(ctx, record)
	}
}

// A modelCache has the models that were read, by their records. New posts are scored by the
// models of all monitors, so all of them stay.
type modelCache struct {
	mu   sync.Mutex
	kept map[int64]*opinion.Model
}

func (c *modelCache) find(record int64) *opinion.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept[record]
}

// keep returns the model that is kept of a record, which is the one given unless somebody was
// faster.
func (c *modelCache) keep(record int64, m *opinion.Model) *opinion.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.kept[record]; known != nil {
		return known
	}
	if c.kept == nil {
		c.kept = map[int64]*opinion.Model{}
	}
	c.kept[record] = m
	return m
}

func (c *modelCache) forget(record int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.kept, record)
}
