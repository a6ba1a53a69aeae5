package monitor

import (
	"slices"
	"strings"

	"earshot"
	"earshot/internal/patch"
)

// A CategoryChange is a category of an OPINION monitor as it is to be: the one with that ID or,
// without, the one of that name, or a new one. What is nil stays as it is, or takes its
// default in a new category.
type CategoryChange struct {
	ID     earshot.CategoryID
	Name   *string
	Group  *string
	Hidden *bool
}

// changeCategories returns the categories that a list asks for, in its order, made of those
// that a monitor has. New ones have no id yet.
func changeCategories(had []earshot.Category, list []CategoryChange) ([]earshot.Category, error) {
	named := map[earshot.CategoryID]bool{}
	for i, ch := range list {
		if ch.ID != 0 && named[ch.ID] {
			return nil, earshot.InvalidBody("categories[%d].id %d is there twice", i, ch.ID)
		}
		named[ch.ID] = true
	}
	categories := make([]earshot.Category, len(list))
	for i, ch := range list {
		switch at := ch.find(had); {
		case at < 0 && ch.ID != 0:
			return nil, earshot.Errorf(earshot.NotFound, "Category %d does not exist", ch.ID)
		case at < 0 || ch.ID == 0 && named[had[at].ID]: // it is, or becomes, another one's
			categories[i] = ch.create()
		default:
			categories[i] = had[at]
			ch.apply(&categories[i])
		}
	}
	return categories, nil
}

// find returns the place of the category that is meant, -1 when there is none.
func (ch CategoryChange) find(had []earshot.Category) int {
	return slices.IndexFunc(had, func(c earshot.Category) bool {
		if ch.ID != 0 {
			return c.ID == ch.ID
		}
		return ch.Name != nil && strings.EqualFold(c.Name, strings.TrimSpace(*ch.Name))
	})
}

// create returns a new category. One for what is off topic is hidden unless it says otherwise.
func (ch CategoryChange) create() (c earshot.Category) {
	ch.apply(&c)
	if ch.Hidden == nil {
		c.Hidden = isOffTopic(c.Name)
	}
	return c
}

func (ch CategoryChange) apply(c *earshot.Category) {
	patch.Set(&c.Name, ch.Name)
	patch.Set(&c.Group, ch.Group)
	patch.Set(&c.Hidden, ch.Hidden)
}

// isOffTopic reports whether a name is Off-topic, however that is spelled.
func isOffTopic(name string) bool {
	return strings.EqualFold(strings.NewReplacer("-", "", " ", "", "_", "").Replace(name), "offtopic")
}

// removesTraining reports whether a change took training posts away from a monitor, together with
// their category, so that its model has learnt what is not so any more.
func removesTraining(before, after *earshot.Monitor) bool {
	return slices.ContainsFunc(before.Categories, func(c earshot.Category) bool {
		return c.TrainingDocs > 0 && CategoryChange{ID: c.ID}.find(after.Categories) < 0
	})
}

// completesTraining reports whether a change left a monitor with enough training: that needs no more
// than hiding the categories that lack it.
func completesTraining(before, after *earshot.Monitor) bool {
	return earshot.RequireTraining(before) != nil && earshot.RequireTraining(after) == nil
}
