package prevalence

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"earshot/internal/model/sentiment"
)

// An Estimator estimates shares. It is safe for concurrent use.
type Estimator struct {
	Settings
	classes, cells int
	centers        [][]float64
	profiles       []Profile
	pooled         [][]float64 // mean of all profiles: frequency of each cell, by class

	mu      sync.Mutex
	choices map[stratumKey]*choice // guarded by mu
}

type stratumKey struct {
	language string
	domain   sentiment.Domain
}

// A choice contains the profiles that estimate the posts of a language and domain.
type choice struct {
	known       bool          // whether a profile has the same language and domain
	weights     []float64     // before the scores are known
	frequencies [][][]float64 // by profile, cell and class
}

// New returns the estimator of a task.
func New(t *Task) *Estimator {
	e := &Estimator{
		Settings: t.Settings, classes: t.Classes, cells: len(t.Centers), centers: t.Centers, profiles: t.Profiles,
		choices: map[stratumKey]*choice{},
	}
	e.pooled = e.pool(func(*Profile) bool { return true })
	return e
}

// smoothing is the number of texts that the pooled frequencies count as in a profile. A source has a
// few hundred texts, which are too few to know how often each cell occurs.
const smoothing = 40

// pool returns the mean frequencies of cells over some profiles, by class. Each profile counts the
// same, whatever its number of texts.
func (e *Estimator) pool(include func(*Profile) bool) [][]float64 {
	pooled := make([][]float64, e.classes)
	for k := range pooled {
		pooled[k] = make([]float64, e.cells)
		total := 0.0
		for i := range e.profiles {
			p := &e.profiles[i]
			n := sum(p.Counts[k])
			if n == 0 || !include(p) {
				continue
			}
			worth := n / (n + smoothing)
			total += worth
			for cell, count := range p.Counts[k] {
				pooled[k][cell] += worth * count / n
			}
		}
		const rare = 1e-4 // no cell is impossible
		for cell := range pooled[k] {
			pooled[k][cell] = (pooled[k][cell] + rare) / (total + rare*float64(e.cells))
		}
	}
	return pooled
}

// incomplete is the weight of a profile without texts of some class. Its texts say little about a mix
// of all classes.
const incomplete = 0.03

// choose returns the profiles for a language and domain.
func (e *Estimator) choose(key stratumKey) *choice {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.choices[key]
	if c == nil {
		c = e.newChoice(key)
		e.choices[key] = c
	}
	return c
}

func (e *Estimator) newChoice(key stratumKey) *choice {
	c := new(choice)
	type candidate struct {
		*Profile
		weight float64
	}
	var candidates []candidate
	for i := range e.profiles {
		p := &e.profiles[i]
		weight := p.texts()
		if !p.IsComplete() {
			weight *= incomplete
		}
		if p.Language == key.language {
			weight *= e.Language
		}
		if p.Domain == key.domain {
			weight *= e.Domain
		}
		c.known = c.known || p.Language == key.language && p.Domain == key.domain
		candidates = append(candidates, candidate{p, weight})
	}
	slices.SortStableFunc(candidates, func(a, b candidate) int { return cmp.Compare(b.weight, a.weight) })
	for _, p := range candidates[:min(len(candidates), maxProfiles)] {
		c.weights = append(c.weights, p.weight)
		c.frequencies = append(c.frequencies, e.frequencies(p.Profile))
	}
	return c
}

// texts returns the number of texts. A source with many texts is more representative than one with
// few, which is often about a single topic.
func (p *Profile) texts() (n float64) {
	for _, counts := range p.Counts {
		n += sum(counts)
	}
	return n
}

// IsComplete reports whether the profile has texts of all classes.
func (p *Profile) IsComplete() bool {
	return !slices.ContainsFunc(p.Counts, func(counts []float64) bool { return sum(counts) == 0 })
}

// frequencies returns the smoothed frequencies of a profile's cells, by cell and class. A class that
// the profile does not have has the pooled ones.
func (e *Estimator) frequencies(p *Profile) [][]float64 {
	by := make([][]float64, e.cells)
	for cell := range by {
		by[cell] = make([]float64, e.classes)
	}
	for k := range e.pooled {
		n := sum(p.Counts[k])
		for cell := range by {
			count := 0.0
			if n > 0 {
				count = p.Counts[k][cell]
			}
			by[cell][k] = (count + smoothing*e.pooled[k][cell]) / (n + smoothing)
		}
	}
	return by
}

// stratum estimates the shares of the posts of one language and domain. between is the standard error
// that does not decrease with the number of posts, within is the rest.
func (e *Estimator) stratum(s *stratum) (shares, between, within []float64) {
	c := e.choose(stratumKey{s.language, s.domain})
	var present []int
	for cell, n := range s.cells {
		if n > 0 {
			present = append(present, cell)
		}
	}
	mean := e.meanScore(s, present)
	estimates, fits := make([][]float64, len(c.weights)), make([]float64, len(c.weights))
	for i, frequencies := range c.frequencies {
		estimates[i], fits[i] = e.mix(s, present, frequencies, mean)
	}
	return e.combine(s, c, mean, estimates, fits)
}

// combine averages the estimates of profiles.
func (e *Estimator) combine(s *stratum, c *choice, mean []float64, estimates [][]float64, fits []float64) (shares, between, within []float64) {
	shares, between, within = make([]float64, e.classes), make([]float64, e.classes), make([]float64, e.classes)
	best := slices.Max(fits)
	total := 0.0
	weights := make([]float64, len(estimates))
	for i, w := range c.weights {
		weights[i] = w * math.Exp(min(e.Fit, s.posts)*(fits[i]-best))
		total += weights[i]
	}
	unexplained := e.Unknown
	if c.known {
		unexplained = e.Known
	}
	for k := range shares {
		for i, w := range weights {
			shares[k] += w / total * estimates[i][k]
		}
		variance := 0.0
		for i, w := range weights {
			d := estimates[i][k] - shares[k]
			variance += w / total * d * d
		}
		shares[k] = (1-e.Mean)*shares[k] + e.Mean*mean[k]
		between[k] = math.Sqrt(e.Between*e.Between*variance + unexplained*unexplained)
		within[k] = math.Sqrt((shares[k]*(1-shares[k]) + 0.05) / s.posts)
	}
	return shares, between, within
}

// meanScore returns the mean of the typical scores.
func (e *Estimator) meanScore(s *stratum, present []int) []float64 {
	mean := make([]float64, e.classes)
	for _, cell := range present {
		for k, score := range e.centers[cell] {
			mean[k] += score * s.cells[cell] / s.posts
		}
	}
	return mean
}

const (
	maxSteps  = 40
	tolerance = 1e-3
)

// mix returns the mix of classes that explains the scores best, and the mean log-likelihood of a post.
// It uses expectation maximization.
func (e *Estimator) mix(s *stratum, present []int, frequencies [][]float64, start []float64) (mix []float64, fit float64) {
	mix, next := make([]float64, e.classes), make([]float64, e.classes)
	even := 1 / float64(e.classes)
	for k := range mix {
		mix[k] = (start[k] + even) / 2
	}
	for range maxSteps {
		clear(next)
		for _, cell := range present {
			f, p := frequencies[cell], 0.0
			for k, share := range mix {
				p += share * f[k]
			}
			for k, share := range mix {
				next[k] += s.cells[cell] * share * f[k] / p
			}
		}
		moved := 0.0
		for k := range mix {
			share := (next[k]/s.posts + e.Prior*even) / (1 + e.Prior)
			moved = max(moved, math.Abs(share-mix[k]))
			mix[k] = share
		}
		if moved < tolerance {
			break
		}
	}
	for _, cell := range present {
		p := 0.0
		for k, share := range mix {
			p += share * frequencies[cell][k]
		}
		fit += s.cells[cell] * math.Log(p)
	}
	return mix, fit / s.posts
}

func sum(values []float64) (total float64) {
	for _, v := range values {
		total += v
	}
	return total
}
