package earshot

import "time"

// Limits of random samples.
const (
	MaxSamplePosts = 200 // of a sample
	MaxSamples     = 20  // of a monitor
)

// A LabelSample is a random sample of the posts of a monitor. What people say about its posts calibrates
// the shares of sentiments, emotions and categories. Every post of the monitor within the days of the
// sample was equally likely to be drawn.
type LabelSample struct {
	ID         LabelSampleID
	Monitor    MonitorID
	Generation int64 // of the monitor, when the sample was drawn
	Start, End time.Time
	Of         int64 // posts that the sample was drawn from
	Posts      []SampledPost

	By   string
	Time time.Time
}

// A SampledPost is a post of a sample, with what people say about it.
type SampledPost struct {
	Post   PostKey
	Posted time.Time
	Labels []PostLabel `json:",omitempty"` // one of a person at most
}

// A PostLabel is what one person says about a post. Nothing means that the person could not tell.
type PostLabel struct {
	User UserID
	By   string // name of the user
	Time time.Time

	// Indexes of [BasicCategories] and [BasicEmotions] plus 1; 0: none.
	Sentiment int        `json:",omitempty"`
	Emotion   int        `json:",omitempty"`
	Category  CategoryID `json:",omitempty"` // of an opinion monitor
}

// LabelOf returns the label of a user, or nil.
func (p *SampledPost) LabelOf(user UserID) *PostLabel {
	for i := range p.Labels {
		if p.Labels[i].User == user {
			return &p.Labels[i]
		}
	}
	return nil
}

// Votes returns the weights of classes in a post's labels: those that most people chose, all equal, or
// nil if nobody chose any. class returns the index of the class in a label, or -1.
func (p *SampledPost) Votes(classes int, class func(*PostLabel) int) []float64 {
	votes, most := make([]float64, classes), 0.0
	for i := range p.Labels {
		if k := class(&p.Labels[i]); k >= 0 && k < classes {
			votes[k]++
			most = max(most, votes[k])
		}
	}
	if most == 0 {
		return nil
	}
	winners := 0.0
	for k, n := range votes {
		votes[k] = 0
		if n == most {
			votes[k] = 1
			winners++
		}
	}
	for k := range votes {
		votes[k] /= winners
	}
	return votes
}
