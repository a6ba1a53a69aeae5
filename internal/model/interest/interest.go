// Package interest infers what a post is about and what the author of a bio cares
// for: some of about two hundred interests, such as Soccer, Cooking or Dogs.
//
// Its one idea: each interest has terms, hashtags and accounts, chosen by hand, and
// is inferred by finding them. A strong term is enough alone; of weak ones, which also
// mean other things, two different ones are needed. The terms are written in
// train/interests.txt; what is embedded here is a table compiled from them.
//
// Which interests there are, and which are left out on purpose:
// docs/decisions/0034-interests.md.
package interest

import (
	"cmp"
	"slices"

	"earshot"
)

// Version is the version of the embedded table. It changes whenever a post may get
// other interests than before.
const Version = 1

// An Interest is something that people care for.
type Interest struct {
	ID    earshot.InterestID
	Name  string // unique, as people know it
	Group string // of similar interests
}

// All returns all interests, by id.
func All() []Interest { return slices.Clone(list[:]) }

// Lookup returns the interest with an id, and false when there is none.
func Lookup(id earshot.InterestID) (Interest, bool) {
	i, found := slices.BinarySearchFunc(list[:], id, func(in Interest, id earshot.InterestID) int { return cmp.Compare(in.ID, id) })
	if !found {
		return Interest{}, false
	}
	return list[i], true
}
