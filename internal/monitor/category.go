package monitor

import (
	"context"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/patch"
)

// assignIDs assigns consecutive IDs to the monitor, its categories and emotions.
func (s *Service) assignIDs(ctx context.Context, m *earshot.Monitor) error {
	if m.Type != earshot.Opinion {
		m.Categories = newCategories(earshot.BasicCategories)
	}
	m.Emotions = newCategories(earshot.BasicEmotions)
	first, err := s.Catalog.NextIDs(ctx, 1+len(m.Categories)+len(m.Emotions))
	if err != nil {
		return err
	}
	m.ID = earshot.MonitorID(first)
	next := earshot.CategoryID(first + 1)
	for _, list := range [][]earshot.Category{m.Categories, m.Emotions} {
		for i := range list {
			list[i].ID = next
			next++
		}
	}
	return s.assignGroupIDs(ctx, &earshot.Monitor{}, m)
}

// assignGroupIDs assigns IDs to groups of categories. Existing groups keep their IDs.
func (s *Service) assignGroupIDs(ctx context.Context, before, m *earshot.Monitor) error {
	ids := map[string]earshot.CategoryID{}
	for _, c := range before.Categories {
		if c.GroupID != 0 {
			ids[c.Group] = c.GroupID
		}
	}
	for i := range m.Categories {
		c := &m.Categories[i]
		if c.Group != "" && ids[c.Group] == 0 {
			id, err := s.Catalog.NextIDs(ctx, 1)
			if err != nil {
				return err
			}
			ids[c.Group] = earshot.CategoryID(id)
		}
		c.GroupID = ids[c.Group]
	}
	return nil
}

func newCategories(names []string) []earshot.Category {
	list := make([]earshot.Category, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// assignNewIDs assigns IDs to categories and groups that do not have one.
func (s *Service) assignNewIDs(ctx context.Context, before, after *earshot.Monitor) error {
	for i := range after.Categories {
		c := &after.Categories[i]
		if c.ID != 0 {
			continue
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return err
		}
		c.ID = earshot.CategoryID(id)
	}
	return s.assignGroupIDs(ctx, before, after)
}

// A CategoryChange changes or creates a category of an OPINION monitor. With an ID, it changes that
// category; an unknown ID is an error. Without an ID, it changes the category with that name or, if
// there is none, creates it. Nil fields stay unchanged, or get their defaults in a new category.
type CategoryChange struct {
	ID     earshot.CategoryID
	Name   *string
	Group  *string
	Hidden *bool
}

// changeCategories applies a list of changes and returns the new categories in the order of the
// list. Categories that are not listed are removed. New categories do not have an ID yet.
func changeCategories(previous []earshot.Category, list []CategoryChange) ([]earshot.Category, error) {
	named := map[earshot.CategoryID]bool{}
	for i, ch := range list {
		if ch.ID != 0 && named[ch.ID] {
			return nil, earshot.InvalidBody("categories[%d].id %d appears twice", i, ch.ID)
		}
		named[ch.ID] = true
	}
	categories := make([]earshot.Category, len(list))
	for i, ch := range list {
		switch at := ch.find(previous); {
		case at < 0 && ch.ID != 0:
			return nil, earshot.Errorf(earshot.NotFound, "Category %d does not exist", ch.ID)
		case at < 0 || ch.ID == 0 && named[previous[at].ID]: // a change with an explicit ID already uses this category
			categories[i] = ch.create()
		default:
			categories[i] = previous[at]
			ch.apply(&categories[i])
		}
	}
	return categories, nil
}

// find returns the index of the category that ch changes, or -1.
func (ch CategoryChange) find(previous []earshot.Category) int {
	return slices.IndexFunc(previous, func(c earshot.Category) bool {
		if ch.ID != 0 {
			return c.ID == ch.ID
		}
		return ch.Name != nil && strings.EqualFold(c.Name, strings.TrimSpace(*ch.Name))
	})
}

// create returns a new category. Off-topic categories are hidden by default.
func (ch CategoryChange) create() (c earshot.Category) {
	ch.apply(&c)
	if ch.Hidden == nil {
		c.Hidden = isOffTopic(c.Name)
	}
	return c
}

func (ch CategoryChange) apply(c *earshot.Category) {
	patch.Set(&c.Name, ch.Name)
	patch.Set(&c.Group, ch.Group)
	patch.Set(&c.Hidden, ch.Hidden)
}

// isOffTopic reports whether name is a spelling of "off-topic", ignoring case, hyphens, spaces and
// underscores.
func isOffTopic(name string) bool {
	return strings.EqualFold(strings.NewReplacer("-", "", " ", "", "_", "").Replace(name), "offtopic")
}

// removesTraining reports whether a change removed a category with training posts, which means that
// the model must be trained again.
func removesTraining(before, after *earshot.Monitor) bool {
	return slices.ContainsFunc(before.Categories, func(c earshot.Category) bool {
		return c.TrainingDocs > 0 && CategoryChange{ID: c.ID}.find(after.Categories) < 0
	})
}

// completesTraining reports whether a change made the training posts sufficient, for example by
// hiding the categories that lack them.
func completesTraining(before, after *earshot.Monitor) bool {
	return earshot.RequireTraining(before) != nil && earshot.RequireTraining(after) == nil
}
