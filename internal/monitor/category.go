package monitor

import (
	"context"

	"earshot"
)

// assignIDs gives the monitor and what belongs to it their ids, all consecutive.
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

// assignGroupIDs gives each group of categories an id. Groups that were there before keep theirs.
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

// assignNewIDs numbers the categories that are new.
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
