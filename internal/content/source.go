package content

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// AddSource creates a content source for one of the caller's teams. Its name must be unique in the
// team and not the name of a network.
func (s *Service) AddSource(ctx context.Context, c *earshot.Caller, src earshot.ContentSource) (*earshot.ContentSource, error) {
	src.Name, src.DomainChosen = strings.TrimSpace(src.Name), src.Domain != ""
	// The team must not be removed concurrently.
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.ContentSource, error) {
		if err := s.checkSource(c, &src); err != nil {
			return nil, err
		}
		id, err := s.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return nil, err
		}
		src.ID = earshot.ContentSourceID(id)
		err = s.Catalog.ReserveName(ctx, sourceName(&src), id, func(id int64) bool {
			_, ok := s.Catalog.Sources.Find(earshot.ContentSourceID(id))
			return ok
		})
		if errors.Is(err, catalog.ErrNameTaken) {
			return nil, earshot.InvalidBody("name '%s' is taken by another content source of the team", src.Name)
		}
		if err != nil {
			return nil, err
		}
		return &src, s.Catalog.Sources.Add(ctx, src.ID, &src)
	})
}

func (s *Service) checkSource(c *earshot.Caller, src *earshot.ContentSource) error {
	if !c.In(src.Team) {
		return earshot.ErrAccessDenied // even if there is no such team: IDs can be guessed
	}
	if _, ok := s.Catalog.Teams.Find(src.Team); !ok {
		return earshot.Errorf(earshot.NotFound, "Team %d does not exist", src.Team)
	}
	if err := earshot.CheckText("name", src.Name, 1, 200); err != nil {
		return err
	}
	if err := earshot.CheckText("description", src.Description, 0, 2000); err != nil {
		return err
	}
	if err := earshot.CheckTextDomain(src.Domain); err != nil {
		return err
	}
	if network, ok := earshot.FindNetwork(src.Name); ok {
		return earshot.InvalidBody("name '%s' is the name of a network; choose another", network)
	}
	return nil
}

// FindSource returns the content source, or an [earshot.NotFound] error if it does not exist or the
// caller may not see it.
func (s *Service) FindSource(c *earshot.Caller, id earshot.ContentSourceID) (*earshot.ContentSource, error) {
	if src, ok := s.Catalog.Sources.Find(id); ok && !src.Removed && c.In(src.Team) {
		return src, nil
	}
	return nil, earshot.NoContentSource(id)
}

// VisibleSources returns the content sources of a team that the caller may see, in order of ID. Team 0 stands
// for all teams.
func (s *Service) VisibleSources(c *earshot.Caller, team earshot.TeamID) []*earshot.ContentSource {
	return slices.DeleteFunc(slices.Clone(s.Catalog.Sources.List()), func(src *earshot.ContentSource) bool {
		return src.Removed || !c.In(src.Team) || team != 0 && src.Team != team
	})
}

// ListSources returns the content sources of a team in order of ID, and the number of documents in
// each.
func (s *Service) ListSources(ctx context.Context, team earshot.TeamID) ([]*earshot.ContentSource, map[earshot.ContentSourceID]int64, error) {
	list := slices.DeleteFunc(slices.Clone(s.Catalog.Sources.List()), func(src *earshot.ContentSource) bool {
		return src.Team != team || src.Removed
	})
	documents, err := s.CountDocuments(ctx)
	return list, documents, err
}

// CountDocuments returns the number of documents in each content source.
func (s *Service) CountDocuments(ctx context.Context) (map[earshot.ContentSourceID]int64, error) {
	rows, err := poststore.TallyOne(ctx, s.Store, poststore.Selection{}, poststore.Tally{By: []poststore.Dim{poststore.ByContentSource}})
	if err != nil {
		return nil, err
	}
	documents := map[earshot.ContentSourceID]int64{}
	for _, row := range rows {
		id, _ := strconv.ParseInt(row.Key[0], 10, 64)
		documents[earshot.ContentSourceID(id)] = row.Posts
	}
	return documents, nil
}

// RemoveSource deletes a content source and all of its documents. It first marks the source as
// removed, which is final. If a later step fails or the process stops, [Service.FinishRemovals]
// completes the removal at the next start.
func (s *Service) RemoveSource(ctx context.Context, c *earshot.Caller, id earshot.ContentSourceID) error {
	if _, err := s.FindSource(c, id); err != nil {
		return err
	}
	src, err := s.Catalog.Sources.Update(ctx, id, func(src *earshot.ContentSource) error {
		src.Removed = true
		return nil
	})
	if errors.Is(err, catalog.ErrNotFound) {
		return earshot.NoContentSource(id)
	}
	if err != nil {
		return err
	}
	return s.finishRemoval(context.WithoutCancel(ctx), src)
}

// FinishRemovals completes removals of content sources that were interrupted. It is called at
// startup.
func (s *Service) FinishRemovals(ctx context.Context) error {
	for _, src := range s.Catalog.Sources.List() {
		if src.Removed {
			if err := s.finishRemoval(ctx, src); err != nil {
				return fmt.Errorf("remove content source %d: %w", src.ID, err)
			}
		}
	}
	return nil
}

// finishRemoval deletes the documents of a removed source, then the source itself. Uploads that
// were written before the source was marked precede the deletion in the journal. A later upload
// sees the mark and deletes what it wrote (see deleteFromRemovedSources).
func (s *Service) finishRemoval(ctx context.Context, src *earshot.ContentSource) error {
	if err := s.removeDocuments(ctx, earshot.Deletion{ContentSource: src.ID}); err != nil {
		return err
	}
	if err := s.Catalog.Sources.Remove(ctx, src.ID); err != nil && !errors.Is(err, catalog.ErrNotFound) {
		return err
	}
	return s.Catalog.ReleaseName(ctx, sourceName(src), int64(src.ID))
}

func sourceName(src *earshot.ContentSource) catalog.UniqueName {
	return catalog.UniqueName{Kind: "source." + strconv.FormatInt(int64(src.Team), 10), Text: src.Name}
}
