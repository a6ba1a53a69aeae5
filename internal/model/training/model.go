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

// Train trains a model on the training posts of a monitor, writes it to the catalog and returns the
// updated monitor. used is the record of the model that categorized the stored posts. That model is
// kept until [Service.ReleasePrevious].
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
	trained := earshot.Model{Record: record, Changes: m.Training.Changes, Method: method, Time: s.Now().UTC()}
	var dropped []int64
	refused := false
	written, err := s.Catalog.Monitors.Update(context.WithoutCancel(ctx), id, func(now *earshot.Monitor) error {
		if now.Training.Model.Record == record {
			return nil // already written, but the response was lost
		}
		if refused = now.Removed; refused {
			return earshot.NoMonitor(id)
		}
		dropped = now.Training.Adopt(trained, used) // even if training posts have changed since
		return nil
	})
	if err != nil {
		if refused { // otherwise it may have been written; if not, Sweep removes it
			s.removeRecord(ctx, record)
		}
		return nil, err
	}
	s.models.add(record, model)
	s.removeModels(ctx, dropped...)
	return written, nil
}

// method identifies how models are trained: the algorithm and the models that infer the attributes
// of posts.
const method = opinion.Version<<16 | enrich.Version

// IsCurrent reports whether a model was trained with the current method.
func (s *Service) IsCurrent(m earshot.Model) bool { return m.Method == method }

// fit trains a model on the training posts of a monitor.
func (s *Service) fit(ctx context.Context, m *earshot.Monitor) (*opinion.Model, error) {
	if err := earshot.RequireTraining(m); err != nil {
		return nil, err
	}
	set, err := s.readLatest(ctx, m)
	if err != nil {
		return nil, err
	}
	var categories []earshot.CategoryID
	trained := map[earshot.CategoryID]bool{}
	for _, c := range m.Categories {
		if c.IsTrained() {
			categories = append(categories, c.ID)
			trained[c.ID] = true
		}
	}
	posts := make([]earshot.Post, 0, len(set.posts))
	var labels []earshot.CategoryID
	for i := range set.posts {
		if p := &set.posts[i]; trained[p.Category] {
			posts, labels = append(posts, p.Post()), append(labels, p.Category)
		}
	}
	s.Enrich(posts)
	docs := make([]opinion.Document, len(posts))
	for i := range posts {
		docs[i] = opinion.Document{Post: posts[i], Category: labels[i]}
	}
	model, err := opinion.Train(ctx, categories, docs)
	if err != nil {
		return nil, fmt.Errorf("train on %d training posts of monitor %d: %w", len(docs), m.ID, err)
	}
	return model, nil
}

// ReleasePrevious removes the previous model of a monitor if used is the record of the newest one,
// which means that the newest model has categorized all stored posts.
func (s *Service) ReleasePrevious(ctx context.Context, id earshot.MonitorID, used int64) error {
	return s.release(ctx, id, func(m *earshot.Monitor) (dropped []int64) {
		if t := &m.Training; t.Model.Record == used && t.Previous.Record != 0 {
			dropped = []int64{t.Previous.Record}
			t.Previous = earshot.Model{}
		}
		return dropped
	})
}

// RemoveAll removes the training posts and models of a removed monitor. It does nothing if the
// monitor is not removed.
func (s *Service) RemoveAll(ctx context.Context, id earshot.MonitorID) error {
	return s.release(ctx, id, func(m *earshot.Monitor) (dropped []int64) {
		if m.Removed {
			dropped = m.Training.Records()
			m.Training = earshot.Training{}
		}
		return dropped
	})
}

// release calls change, which drops references to records from the monitor, and then removes those
// records. It does nothing if change drops none.
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
		s.removeModels(ctx, dropped...)
	}
	return err
}

// Model returns a model, from the cache if possible.
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
	return s.models.add(m.Record, model), nil
}

// InUse returns the model that categorized the stored posts of a monitor, or zero values if there
// is none. The model may be replaced at any time.
func (s *Service) InUse(ctx context.Context, id earshot.MonitorID) (earshot.Model, *opinion.Model, error) {
	m, ok := s.Catalog.Monitors.Find(id)
	if !ok {
		return earshot.Model{}, nil, earshot.NoMonitor(id)
	}
	used := m.Training.InUse(s.Rematcher.InUse(id))
	if used.Record == 0 {
		return earshot.Model{}, nil, nil
	}
	model, err := s.Model(ctx, used)
	return used, model, err
}

// removeModels removes models and their records.
func (s *Service) removeModels(ctx context.Context, records ...int64) {
	for _, record := range records {
		s.models.remove(record)
		s.removeRecord(ctx, record)
	}
}

// A modelCache caches models by record. It never evicts, because new posts are scored by the models
// of all monitors.
type modelCache struct {
	mu     sync.Mutex
	models map[int64]*opinion.Model // guarded by mu
}

func (c *modelCache) find(record int64) *opinion.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.models[record]
}

// add caches m under its record and returns it, or returns the model that another goroutine cached
// first.
func (c *modelCache) add(record int64, m *opinion.Model) *opinion.Model {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.models[record]; known != nil {
		return known
	}
	if c.models == nil {
		c.models = map[int64]*opinion.Model{}
	}
	c.models[record] = m
	return m
}

func (c *modelCache) remove(record int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.models, record)
}
