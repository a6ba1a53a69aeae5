package prevalence

import (
	"earshot"
	"earshot/internal/model/calibrate"
	"earshot/internal/model/sentiment"
)

// A Label is what people say about a post of a random sample.
type Label struct {
	Language string
	Domain   sentiment.Domain
	Cell     earshot.ScoreCell
	Models   uint16
	Class    int
	Weight   float64 // see [calibrate.Label]
}

// Calibrate returns the share of each class among the posts whose scores are known, or nil if there are
// none. Other than [Estimator.Estimate], it learns from labels how wrong the model is about these posts.
// total is explained at [calibrate.Estimate].
func (e *Estimator) Calibrate(groups []Group, labels []Label, total float64) []Share {
	p := e.predictor(groups)
	var bins []calibrate.Bin
	for _, g := range groups {
		if g.Posts > 0 && e.isCell(g.Cell) {
			bins = append(bins, calibrate.Bin{Predicted: p.predict(g.Models, g.Language, g.Domain, g.Cell), Posts: g.Posts})
		}
	}
	var list []Share
	for _, s := range calibrate.Estimate(bins, p.labels(labels), total) {
		list = append(list, Share(s))
	}
	return list
}

// Differ reports whether two lists of labels say different things about posts with the same scores, more
// than by chance.
func (e *Estimator) Differ(a, b []Label) bool {
	p := e.predictor(nil)
	return calibrate.Differ(p.labels(a), p.labels(b))
}

// labels returns labels with what the model says.
func (p *predictor) labels(of []Label) []calibrate.Label {
	list := make([]calibrate.Label, 0, len(of))
	for _, l := range of {
		if p.isCell(l.Cell) {
			list = append(list, calibrate.Label{Predicted: p.predict(l.Models, l.Language, l.Domain, l.Cell), Class: l.Class, Weight: l.Weight})
		}
	}
	return list
}

// UnknownModels is the version of models without a table, for posts whose scores are from elsewhere.
const UnknownModels = 1

func (e *Estimator) isCell(c earshot.ScoreCell) bool {
	return c != 0 && int(c) < len(e.task.Assigned)
}

// A predictor knows how probable each class is for a post, given the scores of all posts that are
// estimated.
type predictor struct {
	*Estimator
	mixes   map[stratumID][]float64
	largest map[*Estimator][]float64 // the mix of most posts
	known   map[predictedPost][]float64
}

// A predictedPost is what a prediction depends on.
type predictedPost struct {
	models   uint16
	language string
	domain   sentiment.Domain
	cell     earshot.ScoreCell
}

type stratumID struct {
	by  *Estimator
	key stratumKey
}

func (e *Estimator) predictor(groups []Group) *predictor {
	p := &predictor{e, map[stratumID][]float64{}, map[*Estimator][]float64{}, map[predictedPost][]float64{}}
	_, strata, _ := e.split(groups)
	most := map[*Estimator]float64{}
	for _, s := range strata {
		if s.by == nil {
			continue
		}
		key := stratumKey{s.language, s.domain}
		mix := s.by.mix(s, s.present(), s.by.prior(key), s.by.task.Prior)
		p.mixes[stratumID{s.by, key}] = mix
		if s.posts > most[s.by] {
			p.largest[s.by], most[s.by] = mix, s.posts
		}
	}
	return p
}

// predict returns the probability of each class for posts with similar scores.
func (p *predictor) predict(models uint16, language string, domain sentiment.Domain, cell earshot.ScoreCell) []float64 {
	key := predictedPost{models, language, domain, cell}
	list, ok := p.known[key]
	if !ok {
		list = p.compute(key)
		p.known[key] = list
	}
	return list
}

// compute returns the probability of each class for posts with similar scores: that of a table, given
// the mix of all posts of the language and domain, blended with the share of such posts that is assigned
// to the class.
func (p *predictor) compute(of predictedPost) []float64 {
	list := make([]float64, p.task.Classes)
	by := p.of(of.models)
	if class := of.cell.Certain(p.task.Classes); class >= 0 {
		list[class] = 1
		return list
	}
	if by == nil {
		copy(list, p.task.Assigned[of.cell])
		return list
	}
	key := stratumKey{of.language, of.domain}
	prior := by.prior(key)
	mix := p.mixes[stratumID{by, key}]
	if mix == nil {
		mix = p.largest[by]
	}
	if mix == nil {
		mix = prior.mix
	}
	all := 0.0
	for k, f := range prior.frequencies[of.cell] {
		list[k] = f * mix[k]
		all += list[k]
	}
	for k := range list {
		list[k] = (list[k]/all + by.task.Assigned[of.cell][k]) / 2
	}
	return list
}
