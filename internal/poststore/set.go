package poststore

import (
	"earshot"
	"earshot/internal/model/quantify"
)

// A SetID identifies a set of posts. A post belongs to any number of sets: those of the monitors
// and filters that match it, and those that an opinion monitor's model assigns it to. Stores write
// the 64 bits of an id to disk, so these values must never change:
//
//	MonitorSet(7)           7                  posts matched by monitor or filter 7
//	OwnSet(7)               -7                 of those, posts by the monitor's own account
//	CategorySet(9, 0)       9 + 1<<53          posts assigned to category 9, buffer 0
//	ScoreBitSet(9, 1, 3)    9 + (1+16+1+3)<<53 posts whose score in category 9 has bit 3, buffer 1
//	CategorizedSet(7)       7 + 33<<53         always empty; its generation identifies the model
//	CorrectedSet(9)         9 + 34<<53         posts whose category is corrected to 9; never stored
//	ReinferredSet           35<<53             always empty; its generation counts requests to reinfer
//
// Category sets are double-buffered: one buffer serves requests while the next model fills the
// other.
type SetID int64

const (
	firstCategorySet = 1 << 53 // greater than any monitor or category id
	setsPerBuffer    = 16      // the assigned posts and up to 15 score bits
	buffers          = 2
	categorizedSet   = 1 + buffers*setsPerBuffer
	correctedSet     = categorizedSet + 1
)

// ReinferredSet is the set whose generation records the last request to reinfer that the store has
// finished.
const ReinferredSet SetID = (correctedSet + 1) * firstCategorySet

// MonitorSet returns the set of posts that a monitor or filter matches.
func MonitorSet(id earshot.MonitorID) SetID { return SetID(id) }

// OwnSet returns the set of posts in a SOCIAL monitor, or a filter of one, that the monitor's own
// account wrote.
func OwnSet(id earshot.MonitorID) SetID { return SetID(-id) }

// CategorySet returns the set of posts that a model assigns to a category.
func CategorySet(c earshot.CategoryID, buffer int) SetID { return categorySet(c, buffer, 0) }

// ScoreBitSet returns the set of posts whose score in a category has the given bit, 0 to 14, set.
func ScoreBitSet(c earshot.CategoryID, buffer, bit int) SetID {
	return categorySet(c, buffer, 1+bit)
}

func categorySet(c earshot.CategoryID, buffer, n int) SetID {
	return SetID(c) + SetID(1+buffer*setsPerBuffer+n)*firstCategorySet
}

// CategorizedSet returns the set whose generation records which model categorized a monitor's
// posts.
func CategorizedSet(id earshot.MonitorID) SetID { return SetID(id) + categorizedSet*firstCategorySet }

// CorrectedSet returns the set of posts whose category the corrections of a selection set to c.
func CorrectedSet(c earshot.CategoryID) SetID { return SetID(c) + correctedSet*firstCategorySet }

// Monitor returns the monitor or filter of a MonitorSet, and false for all other sets.
func (id SetID) Monitor() (earshot.MonitorID, bool) {
	return earshot.MonitorID(id), id > 0 && id < firstCategorySet
}

// Owner returns the monitor or filter of a MonitorSet, OwnSet or CategorizedSet, and false for
// category sets.
func (id SetID) Owner() (earshot.MonitorID, bool) {
	if id.IsCategory() {
		id -= categorizedSet * firstCategorySet
		return earshot.MonitorID(id), id > 0 && id < firstCategorySet
	}
	return earshot.MonitorID(max(id, -id)), true
}

// Category returns the category of a CategorySet, and false for all other sets.
func (id SetID) Category() (earshot.CategoryID, bool) {
	n := int(id / firstCategorySet)
	return earshot.CategoryID(id % firstCategorySet), id.IsCategory() && n < categorizedSet && (n-1)%setsPerBuffer == 0
}

// IsCategory reports whether a set is derived from a monitor's posts: a CategorySet, a ScoreBitSet,
// a CategorizedSet or a CorrectedSet.
func (id SetID) IsCategory() bool { return id >= firstCategorySet }

// CategorySets returns all sets of the categories in a buffer: first the score bits, then the
// assigned posts.
func CategorySets(categories []earshot.CategoryID, buffer int) []SetID {
	return append(ScoreSets(categories, buffer), AssignedSets(categories, buffer)...)
}

// AssignedSets returns the CategorySet of each category. A categorized post is in exactly one of
// them.
func AssignedSets(categories []earshot.CategoryID, buffer int) []SetID {
	sets := make([]SetID, len(categories))
	for i, c := range categories {
		sets[i] = CategorySet(c, buffer)
	}
	return sets
}

// ScoreSets returns the sets that encode scores: the bits of the first category's level, lowest bit
// first, then those of the next category, and so on.
func ScoreSets(categories []earshot.CategoryID, buffer int) []SetID {
	sets := make([]SetID, 0, quantify.LevelBits*len(categories))
	for _, c := range categories {
		for bit := range quantify.LevelBits {
			sets = append(sets, ScoreBitSet(c, buffer, bit))
		}
	}
	return sets
}

// AppendCategorySets appends the sets of a post that a model assigns to one of the categories,
// given its level in each category.
func AppendCategorySets(sets []SetID, categories []earshot.CategoryID, buffer, assigned int, levels []uint8) []SetID {
	sets = append(sets, CategorySet(categories[assigned], buffer))
	for i, level := range levels {
		for bit := range quantify.LevelBits {
			if level>>bit&1 != 0 {
				sets = append(sets, ScoreBitSet(categories[i], buffer, bit))
			}
		}
	}
	return sets
}
