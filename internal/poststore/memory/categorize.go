package memory

import (
	"context"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// rematchedSets maps posts to their new sets. Posts without an entry keep their sets.
type rematchedSets map[*entry][]poststore.SetID

// of returns the sets that a post will belong to.
func (x rematchedSets) of(e *entry) []poststore.SetID {
	if sets, known := x[e]; known {
		return sets
	}
	return slices.Clone(e.sets)
}

// match adds a post to a set or removes it from the set.
func (x rematchedSets) match(ch change) {
	others := slices.DeleteFunc(x.of(ch.entry), func(m poststore.SetID) bool { return m == ch.set })
	if ch.belongs {
		others = append(others, ch.set)
	}
	x[ch.entry] = others
}

// categorize assigns the posts of a set to category sets, except for posts that arrived after upTo.
// The caller holds s.mu.
func (s *Store) categorize(ctx context.Context, x rematchedSets, c poststore.Categorization, upTo earshot.Position) error {
	isSet := func(id poststore.SetID) bool { return slices.Contains(c.Sets, id) }
	for _, e := range s.posts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.arrived > upTo {
			continue
		}
		sets := x.of(e)
		of := slices.Contains(sets, c.Posts)
		if of && slices.ContainsFunc(c.Retained, func(id poststore.SetID) bool { return slices.Contains(sets, id) }) {
			continue
		}
		sets = slices.DeleteFunc(sets, isSet)
		if c.Categorize != nil && of {
			post := clonePost(&e.post)
			for _, id := range c.Categorize(nil, &post) {
				if !isSet(id) {
					return fmt.Errorf("a post of set %d was assigned to set %d, which is not part of the categorization", c.Posts, id)
				}
				sets = append(sets, id)
			}
		}
		x[e] = sets
	}
	return nil
}
