package prevalence

import (
	"math"
	"slices"
	"sync"

	"earshot"
	"earshot/internal/model/sentiment"
)

// An Estimator estimates shares. It is safe for concurrent use.
type Estimator struct {
	task     *Task
	versions []version // of the models, oldest first; empty: those of the task scored all posts

	mu     sync.Mutex
	priors map[stratumKey]*prior // guarded by mu
}

// A version is the estimator for the scores of a version of the models and of later ones.
type version struct {
	models     uint16
	*Estimator // nil: there is none
}

type stratumKey struct {
	language string
	domain   sentiment.Domain
}

// A prior is what is known about the posts of a language and domain before they are scored.
type prior struct {
	frequencies [][]float64 // of cells in each class, by cell and class
	mix         []float64   // typical shares of the classes
	counting    float64     // weight of counting
	errors      []float64   // standard error of each share that no number of posts reduces
}

// New returns the estimator of a task.
func New(t *Task) *Estimator {
	return &Estimator{task: t, priors: map[stratumKey]*prior{}}
}

// prior returns the prior of a language and domain.
func (e *Estimator) prior(key stratumKey) *prior {
	e.mu.Lock()
	defer e.mu.Unlock()
	p := e.priors[key]
	if p == nil {
		p = &prior{e.task.frequencies(key), e.task.typicalMix(key), e.task.counting(key), e.task.errors(key)}
		e.priors[key] = p
	}
	return p
}

// Weights of profiles. The frequencies of cells in a class are those of the sources of the same
// language and domain, smoothed with the frequencies in all sources.
const (
	// smoothing is the number of texts that the frequencies in all sources count as. Sources of the
	// same language and domain differ as well, so theirs must not be trusted too much.
	smoothing = 100

	// sameDomain and sameLanguage are how much more a source of the same domain or language counts
	// among all sources. How often a model takes a neutral text for a negative one depends more on the
	// domain.
	sameDomain, sameLanguage = 4, 2

	// withoutNeutral is the weight of a source without neutral texts. Its texts were chosen for being
	// clear, or are what people say who have an opinion.
	withoutNeutral = 0.1

	// singleTopic is the weight of a source about a single product or event, in a language that has
	// other sources.
	singleTopic = 0.1

	// neutralDrift is the share of neutral texts that look neutral in the profiles, but not on topics
	// that the model does not know. Profiles are of texts held out from sources it was trained on, so
	// they make the model look better than it is elsewhere.
	neutralDrift = 0.05

	// scarce is the number of texts of a class with which a source counts half among all sources.
	scarce = 40
)

// weight returns the weight of a profile among those of its language and domain.
func (p *Profile) weight(neutral int) float64 {
	switch {
	case sum(p.Counts[neutral]) == 0:
		return withoutNeutral
	case p.SingleTopic:
		return singleTopic
	}
	return 1
}

// frequencies returns how often each cell occurs in each class, by cell and class.
func (t *Task) frequencies(key stratumKey) [][]float64 {
	by := make([][]float64, len(t.Assigned))
	for cell := range by {
		by[cell] = make([]float64, t.Classes)
	}
	for k := range t.Classes {
		own, all := make([]float64, len(by)), make([]float64, len(by))
		var ownTexts, total float64
		for i := range t.Profiles {
			p := &t.Profiles[i]
			n := sum(p.Counts[k])
			if n == 0 {
				continue
			}
			weight := p.weight(t.Neutral)
			similarity := weight * n / (n + scarce)
			if p.Domain == key.domain {
				similarity *= sameDomain
			}
			if p.Language == key.language {
				similarity *= sameLanguage
			}
			total += similarity
			same := p.Domain == key.domain && p.Language == key.language
			if same {
				ownTexts += weight * n
			}
			for cell, count := range p.Counts[k] {
				all[cell] += similarity * count / n
				if same {
					own[cell] += weight * count
				}
			}
		}
		const rare = 1e-4 // no cell is impossible
		for cell := range by {
			pooled := (all[cell] + rare) / (total + rare*float64(len(by)))
			by[cell][k] = (own[cell] + smoothing*pooled) / (ownTexts + smoothing)
		}
	}
	t.drift(by)
	return by
}

// drift moves the scores of some neutral texts to those of other classes.
func (t *Task) drift(frequencies [][]float64) {
	for _, f := range frequencies {
		others := (sum(f) - f[t.Neutral]) / float64(t.Classes-1)
		f[t.Neutral] += neutralDrift * (others - f[t.Neutral])
	}
}

// typicalMix returns the mean mix of classes in the sources of a domain. Those of the same language
// count most. Without any, all classes are equally frequent.
func (t *Task) typicalMix(key stratumKey) []float64 {
	const (
		language = 8   // how much more a source of the same language counts
		small    = 200 // texts with which a source counts half
	)
	mix := make([]float64, t.Classes)
	for k := range mix {
		mix[k] = 1 / float64(t.Classes)
	}
	total := 1.0
	for i := range t.Profiles {
		p := &t.Profiles[i]
		if p.Domain != key.domain || p.Selected || sum(p.Counts[t.Neutral]) == 0 {
			continue
		}
		texts := p.texts()
		weight := texts / (texts + small)
		if p.Language == key.language {
			weight *= language
		}
		total += weight
		for k, counts := range p.Counts {
			mix[k] += weight * sum(counts) / texts
		}
	}
	for k := range mix {
		mix[k] /= total
	}
	return mix
}

// counting returns the weight of counting.
func (t *Task) counting(key stratumKey) float64 {
	for _, b := range t.Blends {
		if b.Language == key.language && b.Domain == key.domain {
			return b.Counting
		}
	}
	return t.Counting
}

// errors returns the standard error of each share.
func (t *Task) errors(key stratumKey) []float64 {
	general := t.Unknown
	if t.IsKnown(key.language, key.domain) {
		general = t.Known
	}
	for _, s := range t.Spreads {
		if s.Language == key.language && s.Domain == key.domain {
			general *= s.Factor
		}
	}
	for _, m := range t.Elsewhere {
		if m.Language == key.language && m.Domain == key.domain {
			general = max(general, m.Error)
		}
	}
	list := make([]float64, t.Classes)
	for k := range list {
		list[k] = general
		if k < len(t.ClassFactors) {
			list[k] *= t.ClassFactors[k]
		}
	}
	return list
}

// IsKnown reports whether a profile with neutral texts has a language and domain.
func (t *Task) IsKnown(language string, domain sentiment.Domain) bool {
	return slices.ContainsFunc(t.Profiles, func(p Profile) bool {
		return p.Language == language && p.Domain == domain && sum(p.Counts[t.Neutral]) > 0
	})
}

// texts returns the number of texts of a profile.
func (p *Profile) texts() (n float64) {
	for _, counts := range p.Counts {
		n += sum(counts)
	}
	return n
}

// An estimate is the estimated shares of one stratum. The interval of a class extends below and above
// its share by two parts: below and above, which no number of posts reduces, and sampling.
type estimate struct {
	shares, below, above, sampling []float64
}

// stratum estimates the shares of the posts of one language and domain: the mix of classes that
// explains the scores best, drawn toward the typical mix, blended with counting.
func (e *Estimator) stratum(s *stratum) estimate {
	p := e.prior(stratumKey{s.language, s.domain})
	classes := e.task.Classes
	present := s.present()
	counted := e.count(s).shares
	drawn := e.mix(s, present, p, e.task.Prior)
	free := e.mix(s, present, p, freePrior)
	est := estimate{make([]float64, classes), make([]float64, classes), make([]float64, classes), make([]float64, classes)}
	for k := range drawn {
		share := (1-p.counting)*drawn[k] + p.counting*counted[k]
		est.shares[k] = share
		est.below[k] = zScore*p.errors[k] + e.task.Stretch*max(0, share-min(free[k], counted[k]))
		est.above[k] = zScore*p.errors[k] + e.task.Stretch*max(0, max(free[k], counted[k])-share)
		est.sampling[k] = samplingError(share, s.posts)
	}
	return est
}

// samplingError is the part of the interval of a share that decreases with the number of posts.
func samplingError(share, posts float64) float64 {
	return zScore * math.Sqrt((share*(1-share)+0.02)/posts)
}

// CountedError is the standard error of counted shares, which no number of posts reduces. That of the
// built-in model is about as large on English tweets of sources it was not trained on.
const CountedError = 0.16

// count returns the shares of the posts assigned to each class. Nothing is known about the errors of the
// models.
func (e *Estimator) count(s *stratum) estimate {
	classes := e.task.Classes
	est := estimate{make([]float64, classes), make([]float64, classes), make([]float64, classes), make([]float64, classes)}
	for cell, n := range s.cells {
		if k := earshot.ScoreCell(cell).Certain(classes); k >= 0 {
			est.shares[k] += n / s.posts
			continue
		}
		for k, share := range e.task.Assigned[cell] {
			est.shares[k] += share * n / s.posts
		}
	}
	for k, share := range est.shares {
		est.below[k], est.above[k], est.sampling[k] = zScore*CountedError, zScore*CountedError, samplingError(share, s.posts)
	}
	return est
}

// freePrior is the weight of the typical mix in an estimate that hardly depends on it. It tells how far
// the share of a class may be from the estimate.
const freePrior = 0.03

const (
	maxSteps  = 60
	tolerance = 5e-4
)

// mix returns the mix of classes that explains the scores best, by expectation maximization. The
// typical mix counts as if a fraction of the posts had it.
func (e *Estimator) mix(s *stratum, present []int, p *prior, weight float64) []float64 {
	mix, next := make([]float64, e.task.Classes), make([]float64, e.task.Classes)
	even := 1 / float64(e.task.Classes)
	for k := range mix {
		mix[k] = 0.8*p.mix[k] + 0.2*even // no class is impossible
	}
	for range maxSteps {
		clear(next)
		for _, cell := range present {
			f, likelihood := p.frequencies[cell], 0.0
			for k, share := range mix {
				likelihood += share * f[k]
			}
			for k, share := range mix {
				next[k] += s.cells[cell] * share * f[k] / likelihood
			}
		}
		moved := 0.0
		for k := range mix {
			share := (next[k]/s.posts + weight*p.mix[k]) / (1 + weight)
			moved = max(moved, math.Abs(share-mix[k]))
			mix[k] = share
		}
		if moved < tolerance {
			break
		}
	}
	return mix
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
