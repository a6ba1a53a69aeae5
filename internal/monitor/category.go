package monitor

import (
	"context"
	"slices"

	"earshot"
)

// number gives the monitor and what belongs to it their ids, all consecutive.
func (s *Service) number(ctx context.Context, m *earshot.Monitor) error {
	if m.Type != earshot.Opinion {
		m.Categories = named(earshot.BasicCategories)
	}
	m.Emotions = named(earshot.BasicEmotions)
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
	return s.numberGroups(ctx, m)
}

// numberGroups gives each group of categories an id.
func (s *Service) numberGroups(ctx context.Context, m *earshot.Monitor) error {
	ids := map[string]earshot.CategoryID{}
	for _, c := range m.Categories {
		if c.GroupID != 0 {
			ids[c.Group] = c.GroupID
		}
	}
	for i := range m.Categories {
		c := &m.Categories[i]
		if c.Group == "" {
			c.GroupID = 0
			continue
		}
		if ids[c.Group] == 0 {
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

func named(names []string) []earshot.Category {
	list := make([]earshot.Category, len(names))
	for i, name := range names {
		list[i].Name = name
	}
	return list
}

// renumber keeps the ids of categories that keep their name and numbers new ones.
func (s *Service) renumber(ctx context.Context, before, after *earshot.Monitor) error {
	for i := range after.Categories {
		c := &after.Categories[i]
		if c.ID != 0 {
			continue
		}
		old := slices.IndexFunc(before.Categories, func(o earshot.Category) bool { return o.Name == c.Name })
		if old >= 0 {
			c.ID, c.TrainingDocs = before.Categories[old].ID, before.Categories[old].TrainingDocs
			continue
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return err
		}
		c.ID = earshot.CategoryID(id)
	}
	return s.numberGroups(ctx, after)
}
