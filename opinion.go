package earshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// What a team teaches an opinion monitor.
const (
	// LeastTraining is how many training posts a category needs to be told from others.
	LeastTraining = 10
	// MostCategories is how many categories an opinion monitor may have.
	MostCategories = 50
	// MostTraining is how many training posts a monitor may have.
	MostTraining = 20_000
)

// A TrainingPost is a post that somebody has put into a category. The url is what tells it
// from others.
type TrainingPost struct {
	Category CategoryID
	URL      string
	Title    string
	Contents string
	Author   string
	Language string // two upper-case letters
	Source   Source // empty: not known
	Time     time.Time

	AddedBy string
	Added   time.Time
}

// ID returns a short name of the post, made of its url.
func (p *TrainingPost) ID() string {
	sum := sha256.Sum256([]byte(p.URL))
	return hex.EncodeToString(sum[:8])
}

// Post returns the post as it would have come in.
func (p *TrainingPost) Post() Post {
	return Post{
		Source: p.Source, GUID: p.URL, URL: p.URL, Time: p.Time, Title: p.Title, Contents: p.Contents,
		Author: p.Author, Language: strings.ToLower(p.Language),
	}
}

// Training is how far the teaching of an opinion monitor is.
type Training struct {
	Changes   int64 // counts how often its training posts were changed
	Documents int64 // large record of the catalog that has them; 0: there are none
	Model     Model // the newest that was learnt from them
	Before    Model // the one before, as long as it is in use
}

// A Model is what was learnt from training posts.
type Model struct {
	Record  int64     // large record of the catalog that has it; 0: there is none
	Slot    int       // which of two sets of sets has the posts that it sorted
	Changes int64     // of the training posts that it was learnt from
	Method  int       // version of the way in which it was learnt
	Time    time.Time // when it was learnt
}

// Records returns the large records of the catalog that t names.
func (t *Training) Records() []int64 {
	all := []int64{t.Documents, t.Model.Record, t.Before.Record}
	return slices.DeleteFunc(all, func(record int64) bool { return record == 0 })
}

// Adopt makes a model the newest one. The one whose record is in use stays until it is
// replaced there, and the new one sorts into the other slot. It returns the records of those
// that are not needed any more.
func (t *Training) Adopt(learnt Model, used int64) (dropped []int64) {
	before := t.InUse(used)
	for _, m := range []Model{t.Model, t.Before} {
		if m.Record != 0 && m.Record != before.Record {
			dropped = append(dropped, m.Record)
		}
	}
	if before.Record != 0 {
		learnt.Slot = 1 - before.Slot
	}
	t.Model, t.Before = learnt, before
	return dropped
}

// InUse returns the model that has a record, the zero Model when that is none of them.
func (t *Training) InUse(record int64) Model {
	switch {
	case record == 0:
		return Model{}
	case t.Model.Record == record:
		return t.Model
	case t.Before.Record == record:
		return t.Before
	}
	return Model{}
}

// IsTaught reports whether a category has the training posts that it takes to tell it from
// others.
func (c Category) IsTaught() bool { return c.TrainingDocs >= LeastTraining }

// RequireTraining returns an error that says what is missing unless the training posts of an
// opinion monitor are enough for a model: every category that is not hidden has some, and
// there are two. A hidden category takes part as soon as it has enough.
func RequireTraining(m *Monitor) error {
	var taught int
	var missing []string
	for _, c := range m.Categories {
		switch {
		case c.IsTaught():
			taught++
		case !c.Hidden:
			missing = append(missing, fmt.Sprintf("%s has %d", c.Name, c.TrainingDocs))
		}
	}
	switch {
	case taught > MostCategories:
		return Errorf(Invalid, "Monitor %d has more than %d categories with training posts; remove some", m.ID, MostCategories)
	case len(missing) > 0:
		return Errorf(Invalid, "Monitor %d needs more training: every category needs at least %d training posts, %s", m.ID, LeastTraining, strings.Join(missing, ", "))
	case taught < 2:
		return Errorf(Invalid, "Monitor %d needs more training: at least two categories with %d training posts each, it has %d", m.ID, LeastTraining, taught)
	}
	return nil
}

// firstSet is more than any id of a monitor or a category.
const firstSet = 1 << 53

// The post store keeps sets of posts, of which those of monitors are some. An opinion
// monitor has others, into which a model sorts its posts, for each category: the posts that
// are assigned to it, and for each bit of the score those that have it. There are two slots
// of such sets, so that what one model has sorted stays while another sorts.
const (
	setsOfSlot = 16
	slots      = 2
	sortedSet  = slots * setsOfSlot
)

// Assigned returns the set of the posts that the model in a slot assigns to a category.
func (c CategoryID) Assigned(slot int) MonitorID { return c.set(slot, 0) }

// ScoreBit returns the set of the posts whose score, as the model in a slot gives it, has a
// bit, from 0 up to 14.
func (c CategoryID) ScoreBit(slot, bit int) MonitorID { return c.set(slot, 1+bit) }

func (c CategoryID) set(slot, n int) MonitorID {
	return MonitorID(c) + MonitorID(1+slot*setsOfSlot+n)*firstSet
}

// Sorted returns the id under which the post store has, as a stamp, the record of the model
// that has sorted the posts of a monitor.
func (id MonitorID) Sorted() MonitorID { return id + (1+sortedSet)*firstSet }

// IsSet reports whether an id is none of a monitor or a filter, but of a set made for one.
func (id MonitorID) IsSet() bool { return id >= firstSet }

// SortedOf returns the monitor whose Sorted an id is, and whether it is one.
func SortedOf(id MonitorID) (MonitorID, bool) {
	m := id - (1+sortedSet)*firstSet
	return m, m > 0 && m < firstSet
}

// RequireOpinion returns an error unless m is an opinion monitor.
func RequireOpinion(m *Monitor) error {
	if m.Type != Opinion {
		return Errorf(Invalid, "Selected monitor is not an opinion monitor")
	}
	return nil
}
