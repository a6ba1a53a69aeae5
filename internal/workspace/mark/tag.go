package mark

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/state/catalog"
)

// A TagCount is a tag of a team and the number of posts that have it.
type TagCount struct {
	Name  string `json:"name"`
	Posts int    `json:"posts"`
}

// Tags returns the tags of a team by name. They may count posts that were deleted since the last
// [Service.Clean].
func (s *Service) Tags(c *earshot.Caller, team earshot.TeamID) ([]TagCount, error) {
	if err := s.checkTeam(c, team); err != nil {
		return nil, err
	}
	return s.tags(team), nil
}

func (s *Service) tags(team earshot.TeamID) []TagCount {
	posts := map[string]int{}
	for _, m := range s.ofTeam(team) {
		for _, tag := range m.Tags {
			posts[tag]++
		}
	}
	list := make([]TagCount, 0, len(posts))
	for name, n := range posts {
		list = append(list, TagCount{name, n})
	}
	slices.SortFunc(list, func(a, b TagCount) int {
		return cmp.Or(strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), strings.Compare(a.Name, b.Name))
	})
	return list
}

// RenameTag renames a tag on all posts of a team. If the team already has a tag with the new name,
// the two become one. It changes one mark after the other; repeating it after a failure completes it.
func (s *Service) RenameTag(ctx context.Context, c *earshot.Caller, team earshot.TeamID, from, to string) (TagCount, error) {
	known, err := s.findTag(c, team, from)
	if err != nil {
		return TagCount{}, err
	}
	if to, err = checkTag(to); err != nil {
		return TagCount{}, err
	}
	if !strings.EqualFold(known, to) {
		to = spelling(s.tags(team), to)
	}
	if err := s.replaceTag(ctx, team, known, to); err != nil {
		return TagCount{}, err
	}
	tags := s.tags(team)
	if i := slices.IndexFunc(tags, func(t TagCount) bool { return t.Name == to }); i >= 0 {
		return tags[i], nil
	}
	return TagCount{Name: to}, nil
}

// RemoveTag removes a tag from all posts of a team.
func (s *Service) RemoveTag(ctx context.Context, c *earshot.Caller, team earshot.TeamID, name string) error {
	known, err := s.findTag(c, team, name)
	if err != nil {
		return err
	}
	return s.replaceTag(ctx, team, known, "")
}

// findTag returns a tag of a team as the team spells it.
func (s *Service) findTag(c *earshot.Caller, team earshot.TeamID, name string) (string, error) {
	if err := s.checkTeam(c, team); err != nil {
		return "", err
	}
	for _, t := range s.tags(team) {
		if strings.EqualFold(t.Name, strings.TrimSpace(name)) {
			return t.Name, nil
		}
	}
	return "", earshot.Errorf(earshot.NotFound, "The team has no tag '%s'", earshot.Clip(name, maxTag))
}

// replaceTag replaces a tag, or removes it if to is empty.
func (s *Service) replaceTag(ctx context.Context, team earshot.TeamID, from, to string) error {
	for _, m := range s.ofTeam(team) {
		if !slices.Contains(m.Tags, from) {
			continue
		}
		if err := s.replaceTagOf(ctx, m.ID, from, to); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return err
		}
	}
	return nil
}

// replaceTagOf replaces a tag of a mark, and removes the mark if it then says nothing. It runs
// under Exclusive so that nobody adds to a mark that is being removed.
func (s *Service) replaceTagOf(ctx context.Context, id earshot.MarkID, from, to string) error {
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		changed, err := s.Catalog.Marks.Update(ctx, id, func(m *earshot.PostMark) error {
			m.Tags = slices.DeleteFunc(m.Tags, func(t string) bool { return t == from || t == to })
			if to != "" {
				m.Tags = append(m.Tags, to)
			}
			sortTags(m)
			return nil
		})
		if err != nil || !changed.IsEmpty() {
			return err
		}
		return s.Catalog.Marks.Remove(ctx, id)
	})
}

// editTags applies the changes to the tags of a mark.
func (s *Service) editTags(m *earshot.PostMark, ch Changes) error {
	known, tags, add := s.tags(m.Team), m.Tags, ch.AddTags
	if ch.Tags != nil {
		tags, add = nil, append(slices.Clone(*ch.Tags), add...)
	}
	for _, name := range add {
		tag, err := checkTag(name)
		if err != nil {
			return err
		}
		if tag = spelling(known, tag); !slices.ContainsFunc(tags, func(t string) bool { return strings.EqualFold(t, tag) }) {
			tags = append(slices.Clone(tags), tag)
		}
	}
	for _, name := range ch.RemoveTags {
		tags = slices.DeleteFunc(slices.Clone(tags), func(t string) bool { return strings.EqualFold(t, strings.TrimSpace(name)) })
	}
	if len(tags) > earshot.MaxPostTags {
		return earshot.InvalidBody("a post can have at most %d tags", earshot.MaxPostTags)
	}
	m.Tags = tags
	sortTags(m)
	return checkTagLimit(known, m)
}

// checkTagLimit returns an error if the new tags of a mark exceed the number of different tags of a
// team.
func checkTagLimit(known []TagCount, m *earshot.PostMark) error {
	total := len(known)
	for _, tag := range m.Tags {
		if !slices.ContainsFunc(known, func(t TagCount) bool { return t.Name == tag }) {
			total++
		}
	}
	if total > earshot.MaxTags && total > len(known) {
		return earshot.Errorf(earshot.Invalid, "The team has %d different tags, which is the maximum. Use one of them, or delete some first", earshot.MaxTags)
	}
	return nil
}

// spelling returns a tag as the team already spells it, so that case does not make two tags of one.
func spelling(known []TagCount, tag string) string {
	for _, t := range known {
		if strings.EqualFold(t.Name, tag) {
			return t.Name
		}
	}
	return tag
}

func sortTags(m *earshot.PostMark) {
	slices.SortFunc(m.Tags, func(a, b string) int { return strings.Compare(strings.ToLower(a), strings.ToLower(b)) })
}

// checkTag returns a tag without extra spaces. A tag is a value of the filter language, so it cannot
// contain that language's separators.
func checkTag(name string) (string, error) {
	name = strings.Join(strings.Fields(name), " ")
	if err := earshot.CheckText("tag", name, 1, maxTag); err != nil {
		return "", err
	}
	if strings.ContainsAny(name, ",|") {
		return "", earshot.InvalidBody("tag must not contain a comma or a vertical bar")
	}
	return name, nil
}
