package filter

import (
	"errors"
	"fmt"
	"strings"

	"earshot"
	"earshot/internal/poststore"
)

// Values of the fields starred and assigned.
const (
	yes    = "yes"
	no     = "no"
	me     = "me"
	nobody = "nobody"
)

// marked is the part of a refinement that selects posts by what the team keeps about them. Tags and
// assignees are as in the text: each list is one pair.
type marked struct {
	tags      [][]string
	starred   string // yes or no
	assignees [][]string

	// Set by findMarked. Posts must be in keys, unless it is nil, and in none of except.
	keys   *poststore.KeySet
	except []*poststore.KeySet
}

// add adds the values of the field tag, starred or assigned.
func (k *marked) add(field Field, values []string) error {
	switch field {
	case Tag:
		k.tags = append(k.tags, values)
	case Assigned:
		k.assignees = append(k.assignees, values)
	case Starred:
		if len(values) > 1 {
			return errors.New("starred appears twice")
		}
		return setOnce(&k.starred, field, values[0], yes, no)
	}
	return nil
}

// len returns the number of values.
func (k *marked) len() int {
	n := 0
	for _, list := range append(k.tags, k.assignees...) {
		n += len(list)
	}
	if k.starred != "" {
		n++
	}
	return n
}

// findMarked finds the marked posts that a filter of c selects or leaves out.
func (s *Service) findMarked(c *earshot.Caller, m *earshot.Monitor, f *Filter) error {
	k := &f.more.marked
	if k.len() > 0 {
		var wanted earshot.MarkFilter
		if err := s.resolveMarked(c, m, k, &wanted); err != nil {
			return err
		}
		if wanted.Starred || len(wanted.Tags)+len(wanted.Assignees) > 0 {
			k.keys = s.Marks.Select(m.Team, wanted)
		}
	}
	for _, other := range f.more.except {
		if err := s.findMarked(c, m, other); err != nil {
			return err
		}
	}
	return nil
}

// resolveMarked sets what the marks of posts must have, and finds posts that must be left out.
func (s *Service) resolveMarked(c *earshot.Caller, m *earshot.Monitor, k *marked, wanted *earshot.MarkFilter) error {
	wanted.Tags, wanted.Starred = k.tags, k.starred == yes
	if k.starred == no {
		k.except = append(k.except, s.Marks.Select(m.Team, earshot.MarkFilter{Starred: true}))
	}
	for _, names := range k.assignees {
		if len(names) == 1 && strings.EqualFold(names[0], nobody) {
			k.except = append(k.except, s.Marks.Select(m.Team, earshot.MarkFilter{Assigned: true}))
			continue
		}
		users := make([]earshot.UserID, len(names))
		for i, name := range names {
			var ok bool
			if users[i], ok = c.User, strings.EqualFold(name, me); ok {
				continue
			}
			if users[i], ok = s.Marks.FindMember(m.Team, name); !ok {
				return fmt.Errorf("assigned '%s' is not the username of a member, %s or %s", earshot.Clip(name, 100), me, nobody)
			}
		}
		wanted.Assignees = append(wanted.Assignees, users)
	}
	return nil
}

// narrow narrows a selection to the posts that findMarked has found.
func (k *marked) narrow(sel *poststore.Selection) {
	sel.Keys = k.keys
	for _, keys := range k.except {
		sel.Except = append(sel.Except, poststore.Selection{Keys: keys})
	}
}

// markedKey returns a string that differs if the filter selects other marked posts.
func (r *refinement) markedKey() string {
	var b strings.Builder
	if r.marked.keys != nil {
		fmt.Fprintf(&b, " %x", r.marked.keys.Fingerprint())
	}
	for _, keys := range r.marked.except {
		fmt.Fprintf(&b, " -%x", keys.Fingerprint())
	}
	for _, f := range r.except {
		b.WriteString(f.more.markedKey())
	}
	return b.String()
}
