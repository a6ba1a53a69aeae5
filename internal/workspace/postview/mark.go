package postview

import (
	"time"

	"earshot"
	"earshot/internal/jsonvalue"
)

// Marks has what teams keep about posts.
type Marks interface {
	// Of returns the mark of a post, or an empty one.
	Of(team earshot.TeamID, post earshot.PostKey) *earshot.PostMark

	// Assignee returns the user that a mark is assigned to.
	Assignee(m *earshot.PostMark) (*earshot.User, bool)
}

// A Mark is what a team keeps about a post as JSON.
type Mark struct {
	Starred  bool     `json:"starred"`
	Tags     []string `json:"tags"`
	Assignee *Member  `json:"assignee"` // null: nobody
	Notes    []Note   `json:"notes"`
}

// A Member is a member of a team, as other members see it.
type Member struct {
	ID       earshot.UserID `json:"id"`
	Username string         `json:"username"`
	Name     string         `json:"name"` // first and last name; the username if there is none
}

// A Note is a note on a post as JSON.
type Note struct {
	ID     int64      `json:"id"`
	Text   string     `json:"text"`
	By     string     `json:"by"`
	Time   time.Time  `json:"time"`
	Edited *time.Time `json:"edited"`
}

// NewMark renders a mark.
func (s *Service) NewMark(m *earshot.PostMark) Mark {
	shown := Mark{Starred: m.Starred, Tags: jsonvalue.OrEmpty(m.Tags), Notes: jsonvalue.Map(m.Notes, newNote)}
	if u, ok := s.Marks.Assignee(m); ok {
		member := NewMember(u)
		shown.Assignee = &member
	}
	return shown
}

// NewMember renders a user for the colleagues.
func NewMember(u *earshot.User) Member {
	return Member{u.ID, u.Username, u.DisplayName()}
}

func newNote(n earshot.PostNote) Note {
	note := Note{ID: n.ID, Text: n.Text, By: n.By, Time: n.Time}
	if !n.Edited.IsZero() {
		note.Edited = &n.Edited
	}
	return note
}

// mark returns what the team of the monitor keeps about a post, or nil if it keeps nothing.
func (r *Renderer) mark(p *earshot.Post) *Mark {
	if !r.Marks {
		return nil
	}
	m := r.service.Marks.Of(r.Monitor.Team, p.Key())
	if m.IsEmpty() {
		return nil
	}
	mark := r.service.NewMark(m)
	return &mark
}
