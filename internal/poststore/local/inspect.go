package local

import (
	"fmt"

	"earshot"
	"earshot/internal/poststore"
)

// Info describes a store and the other parts of the installation as the store knows them.
type Info struct {
	Installation    string           // see [Options]; empty if it is unknown
	Position        earshot.Position // in the journal, up to which everything is on disk
	CatalogRevision uint64           // highest revision of the catalog that the store has seen
}

// Inspect reads the state of the store in dir without changing anything. If there is no store yet,
// the Info is empty. The error wraps an *integrity.DamageError if the store must not be opened.
func Inspect(dir string) (Info, error) {
	c, err := checkBeforeOpen(dir, "")
	if err != nil {
		return Info{}, fmt.Errorf("inspect post store %s: %w", dir, err)
	}
	if c.copying {
		return Info{}, fmt.Errorf("the posts in %s are incomplete: %w", dir, poststore.ErrUnfinishedCopy)
	}
	return Info{Installation: c.state.Installation, Position: c.state.Position, CatalogRevision: c.state.Revision}, nil
}
