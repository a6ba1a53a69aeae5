package pipeline

import (
	"context"
	"slices"

	"earshot"
	"earshot/internal/model/opinion"
	"earshot/internal/poststore"
)

// A Teacher has the models of opinion monitors. docs/decisions/0047-opinion-models.md
type Teacher interface {
	// Train makes a model of the training posts of a monitor and writes it to the catalog.
	// used is the record of the model that has sorted the posts in the store.
	Train(ctx context.Context, id earshot.MonitorID, used int64) (*earshot.Monitor, error)

	// IsCurrent reports whether a model was learnt as models are learnt now.
	IsCurrent(m earshot.Model) bool

	// Model returns a model.
	Model(ctx context.Context, m earshot.Model) (*opinion.Model, error)

	// ReleasePrevious is told which model has sorted the posts in the store by now.
	ReleasePrevious(ctx context.Context, id earshot.MonitorID, used int64) error

	// RemoveAll is told that the sets of a removed monitor are gone.
	RemoveAll(ctx context.Context, id earshot.MonitorID) error
}

// A sorter puts the posts of an opinion monitor into the sets of its categories.
type sorter struct {
	model *opinion.Model
	slot  int
}

// sorters are those of the monitors that have any. New posts are sorted by the newest model
// and by the one that it is about to replace.
type sorters map[earshot.MonitorID][]sorter

// sort appends the sets that a post belongs to because it is one of the monitors'.
func (s sorters) sort(monitors []earshot.MonitorID, p *earshot.Post) []earshot.MonitorID {
	if len(s) == 0 {
		return monitors
	}
	for _, id := range monitors[:len(monitors):len(monitors)] {
		for _, by := range s[id] {
			monitors = by.model.Categorize(monitors, by.slot, p)
		}
	}
	return monitors
}

// withSorters returns sorters as they are once monitors have changed. A model that cannot be
// read is left out: its posts are sorted when it has been learnt again.
func (p *Pipeline) withSorters(now sorters, ids []earshot.MonitorID) sorters {
	next := sorters{}
	for id, list := range now {
		if !slices.Contains(ids, id) {
			next[id] = list
		}
	}
	for _, id := range ids {
		if m, ok := p.Catalog.Monitors.Find(id); ok && !m.Removed {
			if list := p.sortersOf(m); len(list) > 0 {
				next[id] = list
			}
		}
	}
	return next
}

func (p *Pipeline) sortersOf(m *earshot.Monitor) (list []sorter) {
	if p.Teacher == nil {
		return nil
	}
	for _, model := range []earshot.Model{m.Training.Model, m.Training.Previous} {
		if model.Record == 0 {
			continue
		}
		read, err := p.Teacher.Model(context.Background(), model)
		if err != nil {
			p.Log.Error("a model cannot be read; it is learnt again", "monitor", m.ID, "error", err)
			p.learnAgain(m.ID, model.Record)
			continue
		}
		list = append(list, sorter{read, model.Buffer})
	}
	return list
}

// learnAgain has the model of a monitor learnt again, because the one of a record is lost.
func (p *Pipeline) learnAgain(id earshot.MonitorID, record int64) {
	b := &p.backfills
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost == nil {
		b.lost = map[int64]bool{}
	}
	b.lost[record] = true
	if p.behind(id) {
		p.ask(id)
	}
}

// InUse returns the record of the model that has sorted the posts of a monitor, 0 when none
// has.
func (p *Pipeline) InUse(id earshot.MonitorID) int64 {
	p.backfills.mu.Lock()
	defer p.backfills.mu.Unlock()
	return p.backfills.stamps[id.Sorted()]
}

// learns reports whether the monitor was taught what its model does not know yet.
func (a attempt) learns() bool {
	if a.gone() || !a.opinions || a.monitor.Type != earshot.Opinion || earshot.RequireTraining(a.monitor) != nil {
		return false
	}
	t := &a.monitor.Training
	return t.Model.Changes != t.Changes || a.outdated || a.lost
}

// sorts reports whether stored posts were not sorted by the newest model.
func (a attempt) sorts() bool {
	return !a.gone() && a.opinions && a.monitor.Training.Model.Record != a.used
}

// sorting says which sets the posts of the monitor are in, and adds the stamp that tells by
// which model to the rules.
func (p *Pipeline) sorting(ctx context.Context, a attempt, rules poststore.Rules) ([]poststore.Sorting, error) {
	if !a.opinions || a.monitor == nil || a.monitor.Type != earshot.Opinion {
		return nil, nil
	}
	newest := a.monitor.Training.Model
	if a.gone() || newest.Record == 0 {
		rules[a.id.Sorted()] = poststore.Rule{}
		return []poststore.Sorting{{Of: a.id, Sets: p.setsOf(ctx, a)}}, nil
	}
	model, err := p.Teacher.Model(ctx, newest)
	if err != nil {
		p.learnAgain(a.id, newest.Record)
		return nil, err
	}
	s := poststore.Sorting{Of: a.id, Sort: func(sets []earshot.MonitorID, post *earshot.Post) []earshot.MonitorID {
		return model.Categorize(sets, newest.Buffer, post)
	}}
	if newest.Record == a.used { // the model is the same, and what it has sorted stays
		s.Sets, s.Keep = opinion.SetsOf(model.Categories, newest.Buffer), opinion.AssignedOf(model.Categories, newest.Buffer)
		return []poststore.Sorting{s}, nil
	}
	// What is in the other slot stays, for questions that were asked before the stamp is known
	// to be another.
	rules[a.id.Sorted()] = poststore.Rule{Stamp: newest.Record}
	s.Sets = opinion.SetsOf(model.Categories, newest.Buffer)
	return []poststore.Sorting{s}, nil
}

// setsOf returns all sets that posts of the monitor may be in, in both slots: those of its
// categories, and of those that its models know, of which some may be gone by now.
func (p *Pipeline) setsOf(ctx context.Context, a attempt) []earshot.MonitorID {
	t := &a.monitor.Training
	var categories []earshot.CategoryID
	for _, c := range a.monitor.Categories {
		categories = append(categories, c.ID)
	}
	for _, m := range []earshot.Model{t.Model, t.Previous} {
		if model, err := p.Teacher.Model(ctx, m); err == nil {
			categories = append(categories, model.Categories...)
		}
	}
	slices.Sort(categories)
	categories = slices.Compact(categories)
	return append(opinion.SetsOf(categories, 0), opinion.SetsOf(categories, 1)...)
}
