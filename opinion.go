package earshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Limits on the training of an opinion monitor.
const (
	MinTrainingPosts = 10     // of a category; with fewer, the model cannot distinguish it
	MaxCategories    = 50     // of a monitor
	MaxTrainingPosts = 20_000 // of a monitor
)

// A TrainingPost is a post that somebody has put into a category. Its URL identifies it.
type TrainingPost struct {
	Category CategoryID
	URL      string
	Title    string
	Contents string
	Author   string
	Language string // two upper-case letters
	Source   Source // empty: unknown
	Time     time.Time

	AddedBy string
	Added   time.Time
}

// ID returns a short hash of the URL.
func (p *TrainingPost) ID() string {
	sum := sha256.Sum256([]byte(p.URL))
	return hex.EncodeToString(sum[:8])
}

// Post returns the post as an upload would have it.
func (p *TrainingPost) Post() Post {
	return Post{
		Source: p.Source, GUID: p.URL, URL: p.URL, Time: p.Time, Title: p.Title, Contents: p.Contents,
		Author: p.Author, Language: strings.ToLower(p.Language),
	}
}

// Training is the state of the training of an opinion monitor.
type Training struct {
	Changes   int64 // number of changes of its training posts
	Documents int64 // blob of the catalog that holds them; 0: none
	Model     Model // the newest model
	Previous  Model `json:"Before"` // the one before, while it is in use
}

// A Model describes a model trained on the training posts.
type Model struct {
	Record  int64     // blob of the catalog that holds it; 0: none
	Buffer  int       `json:"Slot"` // which of the two buffers of category sets it writes: 0 or 1
	Changes int64     // Training.Changes when it was trained
	Method  int       // version of the training method
	Time    time.Time // when it was trained
}

// Records returns the blobs of the catalog that t names.
func (t *Training) Records() []int64 {
	all := []int64{t.Documents, t.Model.Record, t.Previous.Record}
	return slices.DeleteFunc(all, func(record int64) bool { return record == 0 })
}

// Adopt makes a model the newest one. The one whose record is in use stays until it is
// replaced there, and the new one categorizes into the other buffer. It returns the records of
// models that are no longer needed.
func (t *Training) Adopt(trained Model, used int64) (dropped []int64) {
	previous := t.InUse(used)
	for _, m := range []Model{t.Model, t.Previous} {
		if m.Record != 0 && m.Record != previous.Record {
			dropped = append(dropped, m.Record)
		}
	}
	if previous.Record != 0 {
		trained.Buffer = 1 - previous.Buffer
	}
	t.Model, t.Previous = trained, previous
	return dropped
}

// InUse returns the model with that record, or the zero Model.
func (t *Training) InUse(record int64) Model {
	switch {
	case record == 0:
		return Model{}
	case t.Model.Record == record:
		return t.Model
	case t.Previous.Record == record:
		return t.Previous
	}
	return Model{}
}

// IsTrained reports whether a category has enough training posts.
func (c Category) IsTrained() bool { return c.TrainingDocs >= MinTrainingPosts }

// RequireTraining returns an error that says what is missing unless the training posts of an
// opinion monitor are enough for a model: every category that is not hidden has some, and
// there are two. A hidden category takes part as soon as it has enough.
func RequireTraining(m *Monitor) error {
	var trained int
	var missing []string
	for _, c := range m.Categories {
		switch {
		case c.IsTrained():
			trained++
		case !c.Hidden:
			missing = append(missing, fmt.Sprintf("%s has %d", c.Name, c.TrainingDocs))
		}
	}
	switch {
	case trained > MaxCategories:
		return Errorf(Invalid, "Monitor %d has more than %d categories with training posts; remove some", m.ID, MaxCategories)
	case len(missing) > 0:
		return Errorf(Invalid, "Monitor %d needs more training: every category needs at least %d training posts, %s", m.ID, MinTrainingPosts, strings.Join(missing, ", "))
	case trained < 2:
		return Errorf(Invalid, "Monitor %d needs more training: at least two categories with %d training posts each, it has %d", m.ID, MinTrainingPosts, trained)
	}
	return nil
}

// RequireOpinion returns an error unless m is an opinion monitor.
func RequireOpinion(m *Monitor) error {
	if m.Type != Opinion {
		return Errorf(Invalid, "Selected monitor is not an opinion monitor")
	}
	return nil
}
