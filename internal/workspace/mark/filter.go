package mark

import (
	"fmt"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// matches reports whether a filter picks the post of a mark.
func (s *Service) matches(f *earshot.MarkFilter, m *earshot.PostMark) bool {
	if f.Starred && !m.Starred {
		return false
	}
	if f.Assigned || len(f.Assignees) > 0 {
		u, ok := s.Assignee(m)
		if !ok || slices.ContainsFunc(f.Assignees, func(any []earshot.UserID) bool { return !slices.Contains(any, u.ID) }) {
			return false
		}
	}
	return !slices.ContainsFunc(f.Tags, func(any []string) bool { return !hasTag(m, any) })
}

// hasTag reports whether a mark has one of the tags.
func hasTag(m *earshot.PostMark, any []string) bool {
	return slices.ContainsFunc(m.Tags, func(tag string) bool {
		return slices.ContainsFunc(any, func(wanted string) bool { return strings.EqualFold(tag, wanted) })
	})
}

// Select returns the posts that a filter picks among those that a team has marked. Some of them may
// no longer exist.
func (s *Service) Select(team earshot.TeamID, f earshot.MarkFilter) *poststore.KeySet {
	_, users := s.Catalog.Users.Changes(^uint64(0)) // who may be an assignee
	return s.selections.get(fmt.Sprintf("%d %d %#v", team, users, f), s.version(), func() *poststore.KeySet {
		return poststore.NewKeySet(func(yield func(earshot.PostKey) bool) {
			for _, m := range s.ofTeam(team) {
				if s.matches(&f, m) && !yield(m.Post) {
					return
				}
			}
		})
	})
}

// FindMember returns the user with a name, ignoring case, if posts of a team can be assigned to that
// user.
func (s *Service) FindMember(team earshot.TeamID, username string) (earshot.UserID, bool) {
	for _, u := range s.Catalog.Users.List() {
		if strings.EqualFold(u.Username, username) && isMember(u, team) {
			return u.ID, true
		}
	}
	return 0, false
}
