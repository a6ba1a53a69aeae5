package memory

import (
	"context"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/poststore"
)

// rematched has the monitors and sets that posts will have, where they are to be others.
type rematched map[*entry][]poststore.SetID

// of returns those that a post will have.
func (x rematched) of(e *entry) []poststore.SetID {
	if monitors, known := x[e]; known {
		return monitors
	}
	return slices.Clone(e.sets)
}

// match has a post come to a monitor or leave it.
func (x rematched) match(ch change) {
	others := slices.DeleteFunc(x.of(ch.entry), func(m poststore.SetID) bool { return m == ch.set })
	if ch.belongs {
		others = append(others, ch.set)
	}
	x[ch.entry] = others
}

// categorize puts the posts of a monitor into sets, but for those that came after a position. The
// caller holds the lock.
func (s *Store) categorize(ctx context.Context, x rematched, sorting poststore.Categorization, upTo earshot.Position) error {
	isSet := func(id poststore.SetID) bool { return slices.Contains(sorting.Sets, id) }
	for _, e := range s.posts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.arrived > upTo {
			continue
		}
		monitors := x.of(e)
		of := slices.Contains(monitors, sorting.Posts)
		if of && slices.ContainsFunc(sorting.Retained, func(id poststore.SetID) bool { return slices.Contains(monitors, id) }) {
			continue
		}
		monitors = slices.DeleteFunc(monitors, isSet)
		if sorting.Categorize != nil && of {
			post := clonePost(&e.post)
			for _, id := range sorting.Categorize(nil, &post) {
				if !isSet(id) {
					return fmt.Errorf("a post of monitor %d was sorted into %d, which is none of the sets", sorting.Posts, id)
				}
				monitors = append(monitors, id)
			}
		}
		x[e] = monitors
	}
	return nil
}
