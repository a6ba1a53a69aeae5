package mark

import (
	"sync"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/state/catalog"
)

// An index finds marks by team and post. It follows the catalog; an update costs time proportional
// to the number of changed marks.
type index struct {
	mu      sync.Mutex // guards the fields below
	version uint64     // of the table
	byPost  map[earshot.TeamID]map[earshot.PostKey]*earshot.PostMark
	byID    map[earshot.MarkID]*earshot.PostMark
}

// update applies catalog changes since the last call. The caller must hold mu.
func (x *index) update(marks *catalog.Table[earshot.MarkID, earshot.PostMark]) {
	ids, version := marks.Changes(x.version)
	if x.byPost == nil {
		x.byPost, x.byID = map[earshot.TeamID]map[earshot.PostKey]*earshot.PostMark{}, map[earshot.MarkID]*earshot.PostMark{}
	}
	for _, id := range ids {
		x.remove(id)
		if m, ok := marks.Find(id); ok {
			x.add(m)
		}
	}
	x.version = version
}

func (x *index) add(m *earshot.PostMark) {
	if x.byPost[m.Team] == nil {
		x.byPost[m.Team] = map[earshot.PostKey]*earshot.PostMark{}
	}
	x.byPost[m.Team][m.Post], x.byID[m.ID] = m, m
}

func (x *index) remove(id earshot.MarkID) {
	old, ok := x.byID[id]
	if !ok {
		return
	}
	delete(x.byID, id)
	if of := x.byPost[old.Team]; of[old.Post] == old {
		delete(of, old.Post)
	}
}

// find returns the mark of a post, or nil.
func (s *Service) find(team earshot.TeamID, post earshot.PostKey) *earshot.PostMark {
	s.marks.mu.Lock()
	defer s.marks.mu.Unlock()
	s.marks.update(s.Catalog.Marks)
	return s.marks.byPost[team][post]
}

// ofTeam returns the marks of a team, in no particular order.
func (s *Service) ofTeam(team earshot.TeamID) []*earshot.PostMark {
	s.marks.mu.Lock()
	defer s.marks.mu.Unlock()
	s.marks.update(s.Catalog.Marks)
	list := make([]*earshot.PostMark, 0, len(s.marks.byPost[team]))
	for _, m := range s.marks.byPost[team] {
		list = append(list, m)
	}
	return list
}

// version returns the version of the marks, which changes with every change.
func (s *Service) version() uint64 {
	_, version := s.Catalog.Marks.Changes(^uint64(0))
	return version
}

// maxSelections bounds the number of cached selections. People use few filters at a time.
const maxSelections = 100

// selections caches what filters select, because all charts of a page use the same filter and stores
// find the posts of a known set faster. Any change of a mark empties it.
type selections struct {
	mu      sync.Mutex // guards the fields below
	version uint64     // of the marks
	found   map[string]*poststore.KeySet
}

func (c *selections) get(key string, version uint64, find func() *poststore.KeySet) *poststore.KeySet {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.found == nil || c.version != version || len(c.found) >= maxSelections {
		c.version, c.found = version, map[string]*poststore.KeySet{}
	}
	if c.found[key] == nil {
		c.found[key] = find()
	}
	return c.found[key]
}
