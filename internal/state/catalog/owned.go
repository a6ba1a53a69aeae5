package catalog

import (
	"context"
	"errors"
	"time"

	"earshot"
)

// Owned gives callers access to the records of one kind that belong to teams. Members of a team see
// and change its records. For everyone else they do not exist.
type Owned[ID ~int64, T any] struct {
	Catalog *Catalog
	Table   *Table[ID, T]
	Team    func(*T) earshot.TeamID
	Missing func(ID) error // for a record that does not exist, or that the caller may not see

	// Exists reports whether what a record is about still exists, for example its monitor. If not, the
	// record is invisible until a cleanup removes it. Nil: it always does.
	Exists func(*T) bool

	Name   string // of one record in messages, for example dashboard
	Plural string // of several
	Max    int    // per team

	// Stamp returns the fields of a record that Edit sets, for optimistic locking. Nil: Edit sets none.
	Stamp func(*T) Stamp
	Now   func() time.Time // for Stamp
}

// A Stamp refers to the fields of a record that say how often it was changed, and who last changed it.
type Stamp struct {
	Edits *int64
	By    *string
	Time  *time.Time
}

// Find returns a record, or the error Missing if it does not exist or c may not see it.
func (o Owned[ID, T]) Find(c *earshot.Caller, id ID) (*T, error) {
	v, ok := o.Table.Find(id)
	if !ok || !o.isVisible(c, v) {
		return nil, o.Missing(id)
	}
	return v, nil
}

// List returns the records that c may see, ordered by ID. If team is not 0, it returns only those of
// that team.
func (o Owned[ID, T]) List(c *earshot.Caller, team earshot.TeamID) []*T {
	var list []*T
	for _, v := range o.Table.List() {
		if (team == 0 || o.Team(v) == team) && o.isVisible(c, v) {
			list = append(list, v)
		}
	}
	return list
}

func (o Owned[ID, T]) isVisible(c *earshot.Caller, v *T) bool {
	return c.In(o.Team(v)) && (o.Exists == nil || o.Exists(v))
}

// Add adds a record of a team. It fails if c is not a member of the team, or if the team has too many
// records. create returns the record, which has the given ID. The team cannot be removed while create
// runs.
func (o Owned[ID, T]) Add(ctx context.Context, c *earshot.Caller, team earshot.TeamID, create func(id ID) (*T, error)) (*T, error) {
	return Exclusively(ctx, o.Catalog, func(ctx context.Context) (*T, error) {
		if _, ok := o.Catalog.Teams.Find(team); !ok || !c.In(team) {
			return nil, earshot.Errorf(earshot.NotFound, "Team %d does not exist", team)
		}
		n := 0
		for _, v := range o.Table.List() {
			if o.Team(v) == team {
				n++
			}
		}
		if n >= o.Max {
			return nil, earshot.Errorf(earshot.Invalid, "Team %d has %d %s, which is the maximum. Delete one first", team, n, o.Plural)
		}
		next, err := o.Catalog.NextIDs(ctx, 1)
		if err != nil {
			return nil, err
		}
		v, err := create(ID(next))
		if err != nil {
			return nil, err
		}
		return v, o.Table.Add(ctx, ID(next), v)
	})
}

// Edit changes a copy of a record and stores it. If edits is not nil and the record was changed since
// it had that number of edits, Edit returns an [earshot.Conflict] error that says who changed it.
func (o Owned[ID, T]) Edit(ctx context.Context, c *earshot.Caller, id ID, edits *int64, change func(*T) error) (*T, error) {
	if _, err := o.Find(c, id); err != nil {
		return nil, err
	}
	v, err := o.Table.Update(ctx, id, func(v *T) error {
		if o.Stamp == nil {
			return change(v)
		}
		stamp := o.Stamp(v)
		if edits != nil && *edits != *stamp.Edits {
			return earshot.Errorf(earshot.Conflict, "%s has changed the %s in the meantime; reload it and try again", *stamp.By, o.Name)
		}
		if err := change(v); err != nil {
			return err
		}
		*stamp.Edits++
		*stamp.By, *stamp.Time = c.Name, o.Now().UTC().Truncate(time.Second)
		return nil
	})
	if errors.Is(err, ErrNotFound) { // another request has just removed it
		return nil, o.Missing(id)
	}
	return v, err
}

// Remove deletes a record.
func (o Owned[ID, T]) Remove(ctx context.Context, c *earshot.Caller, id ID) error {
	if _, err := o.Find(c, id); err != nil {
		return err
	}
	err := o.Table.Remove(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return o.Missing(id)
	}
	return err
}
