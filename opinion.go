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
	MinTrainingPosts = 10     // per category; with fewer, the model cannot distinguish the category
	MaxCategories    = 50     // per monitor
	MaxTrainingPosts = 20_000 // per monitor
)

// A TrainingPost is a post that a person has assigned to a category. Its URL identifies it.
type TrainingPost struct {
	Category CategoryID
	URL      string
	Title    string
	Contents string
	Author   string
	Language string // two-letter uppercase code
	Source   Source // empty: unknown
	Time     time.Time

	AddedBy string
	Added   time.Time
}

// ID returns a short hash of the URL, 16 hexadecimal digits.
func (p *TrainingPost) ID() string {
	sum := sha256.Sum256([]byte(p.URL))
	return hex.EncodeToString(sum[:8])
}

// Post returns p as a [Post], with the fields that an upload would set.
func (p *TrainingPost) Post() Post {
	return Post{
		Source: p.Source, GUID: p.URL, URL: p.URL, Time: p.Time, Title: p.Title, Contents: p.Contents,
		Author: p.Author, Language: strings.ToLower(p.Language),
	}
}

// Training is the training state of an opinion monitor.
type Training struct {
	Changes   int64 // number of changes to the training posts
	Documents int64 // catalog blob that stores the training posts; 0: none
	Model     Model // the newest model
	Previous  Model `json:"Before"` // the previous model, while it is still in use
}

// A Model describes a model trained on the training posts.
type Model struct {
	Record  int64     // catalog blob that stores the model; 0: none
	Buffer  int       `json:"Slot"` // which of the two buffers of category sets it fills: 0 or 1
	Changes int64     // Training.Changes when it was trained
	Method  int       // version of the training method
	Time    time.Time // when it was trained
}

// Records returns the IDs of the catalog blobs that t refers to.
func (t *Training) Records() []int64 {
	all := []int64{t.Documents, t.Model.Record, t.Previous.Record}
	return slices.DeleteFunc(all, func(record int64) bool { return record == 0 })
}

// Adopt makes trained the newest model. The parameter used is the record of the model in use, which
// becomes Previous until the new one replaces it. The new model categorizes into the other buffer.
// Adopt returns the records of models that are no longer needed.
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

// InUse returns the model stored in the given record, or the zero [Model].
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

// IsTrained reports whether the category has at least [MinTrainingPosts] training posts.
func (c Category) IsTrained() bool { return c.TrainingDocs >= MinTrainingPosts }

// RequireTraining returns nil if an opinion monitor has enough training posts to fit a model, or an
// error that says what is missing. At least two categories must have [MinTrainingPosts] posts, and
// so must every category that is not hidden. A hidden category takes part as soon as it has enough.
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
		return Errorf(Invalid, "Monitor %d needs more training: it needs at least two categories with %d training posts each, but has %d", m.ID, MinTrainingPosts, trained)
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
