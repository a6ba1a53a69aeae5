package label

import (
	"context"
	"fmt"
	"slices"
	"time"

	"earshot"
)

// A State says how far people are with the samples of a monitor.
type State struct {
	Samples       []Sample       `json:"samples"`
	Posts         int            `json:"posts"`     // of all samples
	Labeled       int            `json:"labeled"`   // by anyone
	Remaining     int            `json:"remaining"` // that the caller has not labeled, and that are still stored
	People        []Person       `json:"people"`
	Compared      int            `json:"compared"` // posts with labels of several people
	Agreed        int            `json:"agreed"`   // those on which they agree
	Disagreements []Disagreement `json:"disagreements"`
}

// A Sample is a random sample.
type Sample struct {
	ID      earshot.LabelSampleID `json:"id"`
	Start   time.Time             `json:"start"`
	End     time.Time             `json:"end"`
	Of      int64                 `json:"of"` // posts that it was drawn from
	Posts   int                   `json:"posts"`
	Labeled int                   `json:"labeled"`
	By      string                `json:"by"`
	Time    time.Time             `json:"time"`

	// Outdated reports whether the criteria of the monitor changed after the sample was drawn.
	Outdated bool `json:"outdated"`
}

// A Person labels posts.
type Person struct {
	Name    string `json:"name"`
	Labels  int    `json:"labels"`
	Skipped int    `json:"skipped"` // posts the person could not tell
}

// A Disagreement is a post that people label differently.
type Disagreement struct {
	Post   string     `json:"post"`
	Labels []Assigned `json:"labels"`
}

// An Assigned is the label of a person. Empty texts mean that the person could not tell.
type Assigned struct {
	By        string             `json:"by"`
	Sentiment string             `json:"sentiment,omitempty"` // positive, neutral or negative
	Emotion   string             `json:"emotion,omitempty"`
	Category  earshot.CategoryID `json:"category,omitempty"`
}

// maxDisagreements is the number of disagreements that a state lists.
const maxDisagreements = 50

// State returns the state of the samples of a monitor.
func (s *Service) State(ctx context.Context, c *earshot.Caller, id earshot.MonitorID) (State, error) {
	m, err := s.monitor(c, id)
	if err != nil {
		return State{}, err
	}
	var state State
	var unlabeled []earshot.PostKey
	for _, sample := range s.Samples(m.ID) {
		shown := Sample{
			ID: sample.ID, Start: sample.Start, End: sample.End, Of: sample.Of, Posts: len(sample.Posts), By: sample.By, Time: sample.Time,
			Outdated: sample.Generation != m.Generation,
		}
		for i := range sample.Posts {
			p := &sample.Posts[i]
			if len(p.Labels) > 0 {
				shown.Labeled++
			}
			if p.LabelOf(c.User) == nil {
				unlabeled = append(unlabeled, p.Post)
			}
			state.count(p)
		}
		state.Samples = append(state.Samples, shown)
		state.Posts += shown.Posts
		state.Labeled += shown.Labeled
	}
	slices.SortStableFunc(state.People, func(a, b Person) int { return b.Labels - a.Labels })
	stored, err := s.find(ctx, m.ID, unlabeled)
	state.Remaining = len(stored)
	return state, err
}

// When a state advises to do something.
const (
	fewLabels    = 30
	maxAge       = 90 * 24 * time.Hour
	minCompared  = 10
	minAgreement = 0.7 // of the posts that several people labeled
)

// Advice returns sentences about what to do. drift reports whether people say other things about the same
// scores than earlier.
func (s *State) Advice(drift bool, now time.Time) (list []string) {
	n := len(s.Samples)
	if n == 0 {
		return []string{"Shares are estimated, not calibrated for this monitor: label 50 posts."}
	}
	if s.Labeled < fewLabels {
		list = append(list, "Label at least 30 posts. With 50, most intervals are less than 20 percentage points wide.")
	}
	newest := &s.Samples[n-1]
	switch {
	case newest.Outdated:
		list = append(list, "The criteria of the monitor changed after the last sample was drawn. Draw a new one: posts that match now could not be drawn then.")
	case drift:
		list = append(list, "People judge newer posts with the same scores differently than older ones, so older labels count little. Draw a new sample.")
	case now.Sub(newest.Time) > maxAge:
		list = append(list, "The last sample is more than 90 days old. Draw a new one.")
	}
	if s.Compared >= minCompared && float64(s.Agreed) < minAgreement*float64(s.Compared) {
		list = append(list, fmt.Sprintf("People agree about only %d of the %d posts that several have labeled. Talk about the others, and label them again.", s.Agreed, s.Compared))
	}
	return list
}

// count counts the labels of a post.
func (s *State) count(p *earshot.SampledPost) {
	var told []earshot.PostLabel // without those who could not tell
	for _, l := range p.Labels {
		at := slices.IndexFunc(s.People, func(p Person) bool { return p.Name == l.By })
		if at < 0 {
			at = len(s.People)
			s.People = append(s.People, Person{Name: l.By})
		}
		if l.Sentiment == 0 && l.Emotion == 0 && l.Category == 0 {
			s.People[at].Skipped++
			continue
		}
		s.People[at].Labels++
		told = append(told, l)
	}
	if len(told) < 2 {
		return
	}
	s.Compared++
	if !slices.ContainsFunc(told[1:], func(l earshot.PostLabel) bool { return disagree(l, told[0]) }) {
		s.Agreed++
		return
	}
	if len(s.Disagreements) == maxDisagreements {
		return
	}
	d := Disagreement{Post: p.Post.Text()}
	for i := range p.Labels {
		d.Labels = append(d.Labels, NewAssigned(&p.Labels[i]))
	}
	s.Disagreements = append(s.Disagreements, d)
}

// disagree reports whether two labels contradict each other in what both say.
func disagree(a, b earshot.PostLabel) bool {
	differ := func(a, b int) bool { return a != 0 && b != 0 && a != b }
	return differ(a.Sentiment, b.Sentiment) || differ(a.Emotion, b.Emotion) || differ(int(a.Category), int(b.Category))
}

// NewAssigned returns a label as JSON.
func NewAssigned(l *earshot.PostLabel) Assigned {
	return Assigned{By: l.By, Sentiment: earshot.SentimentName(l.Sentiment - 1), Emotion: earshot.EmotionName(l.Emotion - 1), Category: l.Category}
}
