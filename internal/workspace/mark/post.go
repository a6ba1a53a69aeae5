package mark

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"earshot"
	"earshot/internal/state/catalog"
)

// Changes are changes to the mark of a post. Nil fields stay unchanged.
type Changes struct {
	Starred    *bool
	Tags       *[]string // the complete list
	AddTags    []string
	RemoveTags []string
	Assignee   *earshot.UserID // 0: none
}

// Of returns the mark of a post, or an empty one. Callers must not modify it.
func (s *Service) Of(team earshot.TeamID, post earshot.PostKey) *earshot.PostMark {
	if m := s.find(team, post); m != nil {
		return m
	}
	return &earshot.PostMark{Team: team, Post: post}
}

// Assignee returns the user that a mark is assigned to. It is nobody if that user is gone or has left
// the team.
func (s *Service) Assignee(m *earshot.PostMark) (*earshot.User, bool) {
	if m.Assignee == 0 {
		return nil, false
	}
	u, ok := s.Catalog.Users.Find(m.Assignee)
	return u, ok && isMember(u, m.Team)
}

// isMember reports whether a mark of a team can be assigned to a user. Administrators work on every
// team.
func isMember(u *earshot.User, team earshot.TeamID) bool { return earshot.NewCaller(u).In(team) }

// Members returns the users that a mark of a team can be assigned to, in order of ID.
func (s *Service) Members(c *earshot.Caller, team earshot.TeamID) ([]*earshot.User, error) {
	if err := s.checkTeam(c, team); err != nil {
		return nil, err
	}
	var list []*earshot.User
	for _, u := range s.Catalog.Users.List() {
		if isMember(u, team) {
			list = append(list, u)
		}
	}
	return list, nil
}

// Edit changes the mark of a post that c sees in a monitor of a team.
func (s *Service) Edit(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, ch Changes) (*earshot.PostMark, error) {
	return s.change(ctx, c, team, post, func(m *earshot.PostMark) error { return s.edit(m, ch) })
}

// EditAll changes the marks of posts that c sees in a monitor of a team. If one of them cannot be
// changed, none is. It writes one mark after the other; repeating it after a failure completes it.
func (s *Service) EditAll(ctx context.Context, c *earshot.Caller, team earshot.TeamID, posts []earshot.PostKey, ch Changes) error {
	return s.Catalog.Exclusive(ctx, func(ctx context.Context) error {
		if err := s.checkTeam(c, team); err != nil {
			return err
		}
		added := 0
		for _, post := range posts {
			tried := *s.Of(team, post)
			tried.Tags = slices.Clone(tried.Tags)
			if err := s.edit(&tried, ch); err != nil {
				return err
			}
			if tried.ID == 0 && !tried.IsEmpty() {
				added++
			}
		}
		if n := len(s.ofTeam(team)); added > 0 && n+added > earshot.MaxMarks {
			return tooManyMarks(n)
		}
		for _, post := range posts {
			if _, err := s.write(ctx, team, post, func(m *earshot.PostMark) error { return s.edit(m, ch) }); err != nil {
				return err
			}
		}
		return nil
	})
}

func tooManyMarks(n int) error {
	return earshot.Errorf(earshot.Invalid, "The team has marked %d posts, which is the maximum. Remove some marks first", n)
}

// edit applies changes to a mark.
func (s *Service) edit(m *earshot.PostMark, ch Changes) error {
	if ch.Starred != nil {
		m.Starred = *ch.Starred
	}
	if ch.Assignee != nil && *ch.Assignee != m.Assignee {
		if u, ok := s.Catalog.Users.Find(*ch.Assignee); *ch.Assignee != 0 && (!ok || !isMember(u, m.Team)) {
			return earshot.InvalidBody("assignee must be a member of the team")
		}
		m.Assignee = *ch.Assignee
	}
	return s.editTags(m, ch)
}

// AddNote adds a note to a post.
func (s *Service) AddNote(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, text string) (*earshot.PostMark, error) {
	text = strings.TrimSpace(text)
	if err := checkLines("text", text, maxNote); err != nil {
		return nil, err
	}
	return s.change(ctx, c, team, post, func(m *earshot.PostMark) error {
		if len(m.Notes) >= earshot.MaxPostNotes {
			return earshot.Errorf(earshot.Invalid, "The post has %d notes, which is the maximum", len(m.Notes))
		}
		last := int64(0)
		for _, n := range m.Notes {
			last = max(last, n.ID)
		}
		m.Notes = append(m.Notes, earshot.PostNote{ID: last + 1, Text: text, By: c.Name, Time: s.now()})
		return nil
	})
}

// EditNote changes the text of a note. Only its writer and administrators may.
func (s *Service) EditNote(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, id int64, text string) (*earshot.PostMark, error) {
	text = strings.TrimSpace(text)
	if err := checkLines("text", text, maxNote); err != nil {
		return nil, err
	}
	return s.changeNote(ctx, c, team, post, id, func(m *earshot.PostMark, i int) {
		m.Notes[i].Text, m.Notes[i].Edited = text, s.now()
	})
}

// RemoveNote deletes a note. Only its writer and administrators may.
func (s *Service) RemoveNote(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, id int64) (*earshot.PostMark, error) {
	return s.changeNote(ctx, c, team, post, id, func(m *earshot.PostMark, i int) {
		m.Notes = slices.Delete(m.Notes, i, i+1)
	})
}

func (s *Service) changeNote(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, id int64, change func(m *earshot.PostMark, i int)) (*earshot.PostMark, error) {
	return s.change(ctx, c, team, post, func(m *earshot.PostMark) error {
		i := slices.IndexFunc(m.Notes, func(n earshot.PostNote) bool { return n.ID == id })
		if i < 0 {
			return earshot.Errorf(earshot.NotFound, "Note %d does not exist", id)
		}
		if m.Notes[i].By != c.Name && !c.Admin() {
			return earshot.Errorf(earshot.Forbidden, "Only %s can change this note", m.Notes[i].By)
		}
		change(m, i)
		return nil
	})
}

// change changes the mark of a post. It creates the mark if there is none, and removes it if it then
// says nothing. It runs under Exclusive so that a post never gets two marks.
func (s *Service) change(ctx context.Context, c *earshot.Caller, team earshot.TeamID, post earshot.PostKey, change func(*earshot.PostMark) error) (*earshot.PostMark, error) {
	return catalog.Exclusively(ctx, s.Catalog, func(ctx context.Context) (*earshot.PostMark, error) {
		if err := s.checkTeam(c, team); err != nil {
			return nil, err
		}
		return s.write(ctx, team, post, change)
	})
}

// write is the part of change that runs under Exclusive.
func (s *Service) write(ctx context.Context, team earshot.TeamID, post earshot.PostKey, change func(*earshot.PostMark) error) (*earshot.PostMark, error) {
	edit := func(m *earshot.PostMark) error {
		m.Edited = s.now()
		return change(m)
	}
	old := s.find(team, post)
	if old == nil {
		return s.add(ctx, team, post, edit)
	}
	m, err := s.Catalog.Marks.Update(ctx, old.ID, edit)
	if err == nil && m.IsEmpty() {
		err = s.Catalog.Marks.Remove(ctx, m.ID)
	}
	return m, err
}

// add creates the mark of a post, unless it says nothing.
func (s *Service) add(ctx context.Context, team earshot.TeamID, post earshot.PostKey, change func(*earshot.PostMark) error) (*earshot.PostMark, error) {
	m := &earshot.PostMark{Team: team, Post: post}
	if err := change(m); err != nil || m.IsEmpty() {
		return m, err
	}
	if n := len(s.ofTeam(team)); n >= earshot.MaxMarks {
		return nil, tooManyMarks(n)
	}
	id, err := s.Catalog.NextIDs(ctx, 1)
	if err != nil {
		return nil, err
	}
	m.ID = earshot.MarkID(id)
	return m, s.Catalog.Marks.Add(ctx, m.ID, m)
}

// RemovePosts removes everything that any team keeps about some posts, and returns the number of
// marks.
func (s *Service) RemovePosts(ctx context.Context, posts []earshot.PostKey) (int, error) {
	gone := make(map[earshot.PostKey]bool, len(posts))
	for _, key := range posts {
		gone[key] = true
	}
	return removeWhere(ctx, s.Catalog.Marks, func(m *earshot.PostMark) (earshot.MarkID, bool) { return m.ID, gone[m.Post] })
}

// cleanAge is how old a mark must be before Clean looks whether its post still exists, so that a
// store that is catching up with the journal does not cost anyone their notes.
const cleanAge = 24 * time.Hour

// cleanBatch is the number of posts that Clean looks up together.
const cleanBatch = 500

// Clean removes the annotations, marks and saved views of removed monitors and teams, and marks of
// posts that no longer exist.
func (s *Service) Clean(ctx context.Context) error {
	if _, err := removeWhere(ctx, s.Catalog.Annotations, func(a *earshot.Annotation) (earshot.AnnotationID, bool) { return a.ID, !s.exists(a.Team, a.Monitor) }); err != nil {
		return err
	}
	if _, err := removeWhere(ctx, s.Catalog.Views, func(v *earshot.SavedView) (earshot.ViewID, bool) { return v.ID, !s.exists(v.Team, v.Monitor) }); err != nil {
		return err
	}
	if _, err := removeWhere(ctx, s.Catalog.Marks, func(m *earshot.PostMark) (earshot.MarkID, bool) { return m.ID, !s.exists(m.Team, 0) }); err != nil {
		return err
	}
	for batch := range slices.Chunk(s.Catalog.Marks.List(), cleanBatch) {
		gone, err := s.goneFrom(ctx, batch)
		if err != nil {
			return err
		}
		if _, err := s.RemovePosts(ctx, gone); err != nil {
			return err
		}
	}
	return nil
}

// goneFrom returns the posts of old marks that no longer exist.
func (s *Service) goneFrom(ctx context.Context, marks []*earshot.PostMark) ([]earshot.PostKey, error) {
	var keys []earshot.PostKey
	for _, m := range marks {
		if s.Now().Sub(m.Edited) > cleanAge {
			keys = append(keys, m.Post)
		}
	}
	if len(keys) == 0 {
		return nil, nil
	}
	found, err := s.Posts.Find(ctx, keys)
	if err != nil {
		return nil, err
	}
	exists := make(map[earshot.PostKey]bool, len(found))
	for i := range found {
		exists[found[i].Key()] = true
	}
	return slices.DeleteFunc(keys, func(key earshot.PostKey) bool { return exists[key] }), nil
}

// removeWhere removes the records for which is returns true, and returns their number.
func removeWhere[ID ~int64, T any](ctx context.Context, t *catalog.Table[ID, T], is func(*T) (ID, bool)) (n int, err error) {
	for _, v := range t.List() {
		id, ok := is(v)
		if !ok {
			continue
		}
		if err := t.Remove(ctx, id); err != nil && !errors.Is(err, catalog.ErrNotFound) {
			return n, err
		}
		n++
	}
	return n, nil
}
