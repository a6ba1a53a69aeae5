// Package interest infers what a post is about, or what the author of a bio is interested in. The
// result is a subset of about two hundred interests such as Soccer, Cooking and Dogs.
//
// Its central idea: each interest has terms, hashtags and accounts that were chosen by hand, and is
// inferred when they occur. One strong term is enough. Weak terms also have other meanings, so two
// different ones are needed. The terms are listed in train/interests.txt; the embedded table is
// compiled from them.
//
// docs/decisions/0034-interests.md explains which interests are included and which are deliberately
// left out.
package interest

import (
	"cmp"
	"slices"

	"earshot"
)

// Version is the version of the embedded table. It must change whenever posts may get different
// interests.
const Version = 1

// An Interest is a topic that people care about.
type Interest struct {
	ID    earshot.InterestID
	Name  string // unique display name
	Group string // group of similar interests
}

// All returns all interests, sorted by id.
func All() []Interest { return slices.Clone(list[:]) }

// Lookup returns the interest with the given id, or false if there is none.
func Lookup(id earshot.InterestID) (Interest, bool) {
	i, found := slices.BinarySearchFunc(list[:], id, func(in Interest, id earshot.InterestID) int { return cmp.Compare(in.ID, id) })
	if !found {
		return Interest{}, false
	}
	return list[i], true
}
