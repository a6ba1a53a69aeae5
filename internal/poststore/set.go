package poststore

import (
	"earshot"
	"earshot/internal/model/quantify"
)

// A SetID names a set of posts in a store. A post is in any number of sets: those of the
// monitors and filters that match it, and those that an opinion monitor's model assigns it to.
// Stores keep the 64 bits of an id on disk, so the constructors below must never change:
//
//	MonitorSet(7)           7                  posts that monitor or filter 7 matches
//	OwnSet(7)               -7                 those of them that the monitor's account wrote
//	CategorySet(9, 0)       9 + 1<<53          posts assigned to category 9, buffer 0
//	ScoreBitSet(9, 1, 3)    9 + (1+16+1+3)<<53 posts whose score in category 9 has bit 3, buffer 1
//	CategorizedSet(7)       7 + 33<<53         no posts; its generation is the model's record
//
// The sets of categories are double-buffered: posts that one model categorized stay in one
// buffer while the next model fills the other.
type SetID int64

const (
	firstCategorySet = 1 << 53 // above every id of a monitor or a category
	setsPerBuffer    = 16      // the assigned posts, and up to 15 bits of the score
	buffers          = 2
	categorizedSet   = 1 + buffers*setsPerBuffer
)

// MonitorSet returns the set of the posts that a monitor or filter matches.
func MonitorSet(id earshot.MonitorID) SetID { return SetID(id) }

// OwnSet returns the set of the posts of a SOCIAL monitor, or of its filter, that its account
// wrote itself.
func OwnSet(id earshot.MonitorID) SetID { return SetID(-id) }

// CategorySet returns the set of the posts that a model assigns to a category.
func CategorySet(c earshot.CategoryID, buffer int) SetID { return categorySet(c, buffer, 0) }

// ScoreBitSet returns the set of the posts whose score in a category has a bit, from 0 to 14.
func ScoreBitSet(c earshot.CategoryID, buffer, bit int) SetID {
	return categorySet(c, buffer, 1+bit)
}

func categorySet(c earshot.CategoryID, buffer, n int) SetID {
	return SetID(c) + SetID(1+buffer*setsPerBuffer+n)*firstCategorySet
}

// CategorizedSet returns the id whose generation is the record of the model that categorized
// the posts of a monitor.
func CategorizedSet(id earshot.MonitorID) SetID { return SetID(id) + categorizedSet*firstCategorySet }

// Monitor returns the monitor or filter whose MonitorSet this is, and false for other sets.
func (id SetID) Monitor() (earshot.MonitorID, bool) {
	return earshot.MonitorID(id), id > 0 && id < firstCategorySet
}

// Owner returns the monitor or filter whose MonitorSet, OwnSet or CategorizedSet this is, and
// false for the sets of categories.
func (id SetID) Owner() (earshot.MonitorID, bool) {
	if id.IsCategory() {
		id -= categorizedSet * firstCategorySet
		return earshot.MonitorID(id), id > 0
	}
	return earshot.MonitorID(max(id, -id)), true
}

// IsCategory reports whether a set is derived from the posts of a monitor: it is the set of a
// category, of a score bit, or a CategorizedSet.
func (id SetID) IsCategory() bool { return id >= firstCategorySet }

// CategorySets returns all sets of some categories in a buffer: the score bits, then the
// assigned posts.
func CategorySets(categories []earshot.CategoryID, buffer int) []SetID {
	return append(ScoreSets(categories, buffer), AssignedSets(categories, buffer)...)
}

// AssignedSets returns the CategorySet of each category. A categorized post is in one of them.
func AssignedSets(categories []earshot.CategoryID, buffer int) []SetID {
	sets := make([]SetID, len(categories))
	for i, c := range categories {
		sets[i] = CategorySet(c, buffer)
	}
	return sets
}

// ScoreSets returns the sets that hold the scores of posts: the bits of the first category's
// level, lowest first, then those of the next.
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
// with a level in each.
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
