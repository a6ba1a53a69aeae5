package insight

import (
	"context"
	"math"
	"reflect"
	"slices"
	"time"

	"earshot"
	"earshot/internal/model/prevalence"
	"earshot/internal/poststore"
)

// Samples finds the random samples of monitors, with what people say about their posts.
type Samples interface {
	Samples(id earshot.MonitorID) []*earshot.LabelSample
}

// What labels count for shares of other posts than those they are of.
const (
	// minLabels is the number of labels from which shares use them.
	minLabels = 10

	// borrowed is how many labels of other posts of the monitor count at most. Shares of some days, or
	// of posts with something in common, differ from those of all posts by about 5 points: no number of
	// labels of other posts says more than that.
	borrowed = 80

	// borrowedIfDifferent is the same if the labels of the posts contradict those of others.
	borrowedIfDifferent = 10

	// halfLife is the time after which a label counts half, and driftHalfLife the same if what people
	// say about the same scores changes with time.
	halfLife      = 365 * 24 * time.Hour
	driftHalfLife = 30 * 24 * time.Hour

	// otherCriteria is what a label counts if the criteria of the monitor changed after its sample was
	// drawn: posts that match now could not be drawn then.
	otherCriteria = 0.5
)

// labels are what people say about posts of the random samples of a monitor. Nil: nothing.
type labels struct {
	posts  []labeledPost // oldest first
	drift  [2]bool       // whether what people say about the same sentiment or emotion scores changes with time
	inside bool          // whether all posts are selected, apart from their time
}

// A labeledPost is a post of a sample with what people say about it.
type labeledPost struct {
	time     time.Time
	weight   float64
	selected bool
	group    [2]prevalence.Group // with the cell of the sentiment, and of the emotion
	votes    [2][]float64        // weights of classes; nil: none
}

// labels returns the labels for shares among the selected posts of a monitor or filter.
func (s *Service) labels(ctx context.Context, m *earshot.Monitor, sel poststore.Selection) (*labels, error) {
	if s.Samples == nil {
		return nil, nil
	}
	samples := s.Samples.Samples(m.ID)
	sampled, weights := map[earshot.PostKey]*earshot.SampledPost{}, map[earshot.PostKey]float64{}
	for _, sample := range samples {
		for i := range sample.Posts {
			if p := &sample.Posts[i]; len(p.Labels) > 0 {
				sampled[p.Post], weights[p.Post] = p, 1
				if sample.Generation != m.Generation {
					weights[p.Post] = otherCriteria
				}
			}
		}
	}
	if len(sampled) < minLabels {
		return nil, nil
	}
	keys := poststore.NewKeySet(func(yield func(earshot.PostKey) bool) {
		for key := range sampled {
			if !yield(key) {
				return
			}
		}
	})
	all := poststore.Selection{Set: poststore.MonitorSet(samples[0].Monitor)}
	sel.From, sel.To, sel.Corrections = time.Time{}, time.Time{}, nil
	l := &labels{inside: reflect.DeepEqual(sel, all)}
	all.Keys = keys
	posts, _, err := s.Uncorrected.Posts(ctx, all, len(sampled))
	if err != nil {
		return nil, err
	}
	selected := map[earshot.PostKey]bool{}
	if !l.inside {
		if sel.Keys = keys; sel.Set == 0 {
			sel.Set = all.Set
		}
		some, _, err := s.Uncorrected.Posts(ctx, sel, len(sampled))
		if err != nil {
			return nil, err
		}
		for i := range some {
			selected[some[i].Key()] = true
		}
	}
	domain := s.domains(m)
	for i := range posts {
		p := &posts[i]
		of := sampled[p.Key()]
		group := prevalence.Group{Language: p.Language, Domain: domain(p.Source), Models: uint16(p.InferredBy)}
		post := labeledPost{
			time: p.Time, weight: weights[p.Key()], selected: l.inside || selected[p.Key()], group: [2]prevalence.Group{group, group},
			votes: [2][]float64{
				of.Votes(len(earshot.BasicCategories), func(l *earshot.PostLabel) int { return l.Sentiment - 1 }),
				of.Votes(len(earshot.BasicEmotions), func(l *earshot.PostLabel) int { return l.Emotion - 1 }),
			},
		}
		post.group[0].Cell, post.group[1].Cell = p.Sentiment.Cell(), p.Emotion.Cell()
		l.posts = append(l.posts, post)
	}
	slices.SortFunc(l.posts, func(a, b labeledPost) int { return a.time.Compare(b.time) })
	for at, f := range []*feeling{&sentimentFeeling, &emotionFeeling} {
		half := len(l.posts) / 2
		older, newer := labels{posts: l.posts[:half]}, labels{posts: l.posts[half:]}
		l.drift[at] = f.estimator().Differ(older.all(at), newer.all(at))
	}
	return l, nil
}

// all returns the labels of the sentiments or emotions of all posts.
func (l *labels) all(at int) (list []prevalence.Label) {
	for i := range l.posts {
		list = l.posts[i].append(list, at, 1)
	}
	return list
}

// append appends the labels of the sentiment or emotion of a post, which count a weight together.
func (p *labeledPost) append(list []prevalence.Label, at int, weight float64) []prevalence.Label {
	g := &p.group[at]
	for class, vote := range p.votes[at] {
		if vote > 0 {
			list = append(list, prevalence.Label{Language: g.Language, Domain: g.Domain, Cell: g.Cell, Models: g.Models, Class: class, Weight: vote * weight})
		}
	}
	return list
}

// of returns the labels of a feeling for shares of the posts of some time, and how many of them are of
// posts of that time. If all are, total is the given number of posts. It returns nil if they are too few.
func (l *labels) of(f *feeling, from, to time.Time, posts float64) (list []prevalence.Label, inside int, total float64) {
	if l == nil {
		return nil, 0, 0
	}
	at, life := f.index(), time.Duration(halfLife)
	if l.drift[at] {
		life = driftHalfLife
	}
	var own, others []prevalence.Label
	outside := 0.0
	for i := range l.posts {
		p := &l.posts[i]
		if p.votes[at] == nil {
			continue
		}
		distance := max(from.Sub(p.time), p.time.Sub(to), 0)
		weight := p.weight * math.Exp2(-float64(distance)/float64(life))
		if p.selected && distance == 0 {
			own = p.append(own, at, weight)
			inside++
			continue
		}
		others = p.append(others, at, weight)
		outside += weight
	}
	most := float64(borrowed)
	if f.estimator().Differ(own, others) {
		most = borrowedIfDifferent
	}
	if outside > most {
		for i := range others {
			others[i].Weight *= most / outside
		}
	}
	if len(others) == 0 {
		total = posts
	}
	if list = append(own, others...); len(list) < minLabels {
		return nil, 0, 0
	}
	return list, inside, total
}
