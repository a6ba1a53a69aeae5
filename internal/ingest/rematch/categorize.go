package rematch

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
)

// A Trainer manages the models of opinion monitors. See docs/decisions/0047-opinion-models.md.
type Trainer interface {
	// Train fits a model to the training posts of a monitor and writes it to the catalog. used is
	// the record of the model that categorized the posts in the store.
	Train(ctx context.Context, id earshot.MonitorID, used int64) (*earshot.Monitor, error)

	// IsCurrent reports whether a model was trained with the current method.
	IsCurrent(m earshot.Model) bool

	// Model returns the fitted model described by m.
	Model(ctx context.Context, m earshot.Model) (*opinion.Model, error)

	// ReleasePrevious removes models that are no longer needed because the model with the record
	// used has categorized the posts in the store.
	ReleasePrevious(ctx context.Context, id earshot.MonitorID, used int64) error

	// RemoveAll removes the models of a removed monitor. Its category sets must already be empty.
	RemoveAll(ctx context.Context, id earshot.MonitorID) error
}

// Categorizers returns functions that append the category sets of a post of m: one for the newest
// model and one for the model that it is about to replace. It omits unreadable models. If the
// newest model is unreadable, m is trained again and its posts are categorized then.
func (s *Service) Categorizers(m *earshot.Monitor) (list []func([]poststore.SetID, *earshot.Post) []poststore.SetID) {
	if s.Trainer == nil {
		return nil
	}
	for _, model := range []earshot.Model{m.Training.Model, m.Training.Previous} {
		if model.Record == 0 {
			continue
		}
		loaded, err := s.Trainer.Model(context.Background(), model)
		if err != nil {
			s.Log.Error("model cannot be read; training it again", "monitor", m.ID, "error", err)
			s.retrain(m.ID, model.Record)
			continue
		}
		s.markReadable(model.Record)
		list = append(list, categorizer(loaded, model.Buffer))
	}
	return list
}

// categorizer returns a function that appends a post's category sets in the given buffer.
func categorizer(model *opinion.Model, buffer int) func([]poststore.SetID, *earshot.Post) []poststore.SetID {
	return func(sets []poststore.SetID, p *earshot.Post) []poststore.SetID {
		var levels [earshot.MaxCategories]uint8
		assigned, scored := model.Categorize(p, levels[:0])
		return poststore.AppendCategorySets(sets, model.Categories, buffer, assigned, scored)
	}
}

// retrain marks the model in a record as unreadable. If it is the newest model of the monitor, the
// monitor is queued for training. If another node fits models, this one tries to read the model again
// and then categorizes all posts.
func (s *Service) retrain(id earshot.MonitorID, record int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.Shared && s.role == nil {
		if m, ok := s.Catalog.Monitors.Find(id); ok && m.Training.Model.Record == record {
			s.markStale(id)
		}
		return
	}
	s.unreadable[record] = true
	s.requestIfOutdated(id)
}

// markReadable notes that a model could be read, perhaps after a failure.
func (s *Service) markReadable(record int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.unreadable, record)
}

// InUse returns the record of the model that categorized the stored posts of a monitor, or 0.
func (s *Service) InUse(id earshot.MonitorID) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.generations[poststore.CategorizedSet(id)]
}

// categorization returns how to categorize the posts of the plan's monitor, and adds the rule that
// records the model.
func (s *Service) categorization(ctx context.Context, p plan, rules poststore.Rules) ([]poststore.Categorization, error) {
	if !p.categorizes || p.monitor == nil || p.monitor.Type != earshot.Opinion {
		return nil, nil
	}
	newest := p.monitor.Training.Model
	if p.removed() || newest.Record == 0 {
		rules[poststore.CategorizedSet(p.id)] = poststore.Rule{}
		return []poststore.Categorization{{Posts: poststore.MonitorSet(p.id), Sets: s.categorySets(ctx, p.monitor)}}, nil
	}
	model, err := s.Trainer.Model(ctx, newest)
	if err != nil {
		if s.isTrainer() {
			s.retrain(p.id, newest.Record)
		}
		return nil, err
	}
	s.markReadable(newest.Record)
	c := poststore.Categorization{Posts: poststore.MonitorSet(p.id), Sets: poststore.CategorySets(model.Categories, newest.Buffer), Categorize: categorizer(model, newest.Buffer)}
	switch {
	case newest.Record == p.model && p.stale: // inferred attributes have changed
	case newest.Record == p.model: // same model: retain posts that it has already categorized
		c.Retained = poststore.AssignedSets(model.Categories, newest.Buffer)
	default:
		// The other buffer remains unchanged for requests that began before the generation changed.
		rules[poststore.CategorizedSet(p.id)] = poststore.Rule{Generation: newest.Record}
	}
	return []poststore.Categorization{c}, nil
}

// categorySets returns all sets, in both buffers, that may contain posts of a monitor: those of its
// categories and those of the categories in its models, some of which may have been removed.
func (s *Service) categorySets(ctx context.Context, m *earshot.Monitor) []poststore.SetID {
	var categories []earshot.CategoryID
	for _, c := range m.Categories {
		categories = append(categories, c.ID)
	}
	for _, trained := range []earshot.Model{m.Training.Model, m.Training.Previous} {
		if model, err := s.Trainer.Model(ctx, trained); err == nil {
			categories = append(categories, model.Categories...)
		}
	}
	slices.Sort(categories)
	categories = slices.Compact(categories)
	return append(poststore.CategorySets(categories, 0), poststore.CategorySets(categories, 1)...)
}

// releaseModels asks the trainer to remove models that no set needs anymore. If that fails, some
// posts are categorized unnecessarily until the next attempt.
func (s *Service) releaseModels(ctx context.Context, p plan, rules poststore.Rules) {
	if !p.categorizes || p.monitor == nil || p.monitor.Type != earshot.Opinion {
		return
	}
	var err error
	if p.removed() {
		err = s.Trainer.RemoveAll(ctx, p.id)
	} else if used := rules[poststore.CategorizedSet(p.id)].Generation; used != 0 {
		err = s.Trainer.ReleasePrevious(ctx, p.id, used)
	}
	if err != nil {
		s.Log.Warn("could not remove an obsolete model", "monitor", p.id, "error", err)
	}
}
