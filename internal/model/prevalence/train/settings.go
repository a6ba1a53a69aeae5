package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/prevalence"
	"earshot/internal/parallel"
)

// A Bag is a sample of posts whose shares are known.
type Bag struct {
	Source  prevalence.Profile // without counts
	Groups  []prevalence.Group
	Truth   []float64
	Counted []float64 // shares of the most likely classes
	Natural bool      // whether the mix is that of the source, instead of a random one
}

// Bags draws samples of the given examples of one source: half of them with the source's own mix, and
// half with mixes drawn evenly, of 100, 500 and 2,000 posts.
func Bags(examples []Example, classes, n int, random *rand.Rand) []Bag {
	byClass := make([][]Example, classes)
	for _, x := range examples {
		byClass[x.Class] = append(byClass[x.Class], x)
	}
	list := make([]Bag, n)
	for i := range list {
		b := &list[i]
		b.Natural = i%2 == 0
		x := examples[0]
		b.Source = prevalence.Profile{Source: x.Source, Language: x.Language, Domain: x.Domain}
		b.Truth, b.Counted = make([]float64, classes), make([]float64, classes)
		posts := []int{100, 500, 2000}[i/2%3]
		mix := drawMix(byClass, random)
		for range posts {
			x := examples[random.IntN(len(examples))]
			if !b.Natural {
				of := byClass[drawClass(mix, random)]
				x = of[random.IntN(len(of))]
			}
			b.Truth[x.Class] += 1 / float64(posts)
			b.Counted[top(x.Scores)] += 1 / float64(posts)
			at := slices.IndexFunc(b.Groups, func(g prevalence.Group) bool { return g.Cell == x.Cell })
			if at < 0 {
				at = len(b.Groups)
				b.Groups = append(b.Groups, prevalence.Group{Language: x.Language, Domain: x.Domain, Cell: x.Cell})
			}
			b.Groups[at].Posts++
		}
	}
	return list
}

// drawMix returns a random mix of the classes that have examples.
func drawMix(byClass [][]Example, random *rand.Rand) []float64 {
	mix, total := make([]float64, len(byClass)), 0.0
	for k, list := range byClass {
		if draw := random.ExpFloat64(); len(list) > 0 {
			mix[k] = draw
			total += draw
		}
	}
	for k := range mix {
		mix[k] /= total
	}
	return mix
}

func drawClass(mix []float64, random *rand.Rand) int {
	draw, last := random.Float64(), 0
	for k, share := range mix {
		if share == 0 {
			continue
		}
		if last = k; draw < share {
			break
		}
		draw -= share
	}
	return last
}

func top(scores []float64) int {
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	return best
}

// A trial is a sample with the estimator that is to estimate it.
type trial struct {
	Bag
	task   *prevalence.Task
	unseen bool // whether the task has no profile of the source
	known  bool // whether it has one of the same language and domain
}

const trialsPerSource = 12

// trials returns samples of every source that has all classes. Each is estimated twice: with a profile
// of other texts of the source, and without any profile of the source, as if it were unknown.
func trials(t *prevalence.Task, examples []Example) []trial {
	bySource := map[sourceKey][]Example{}
	for _, x := range examples {
		bySource[x.source()] = append(bySource[x.source()], x)
	}
	var list []trial
	for i := range t.Profiles {
		p := &t.Profiles[i]
		if !p.IsComplete() {
			continue
		}
		key := sourceKey{p.Source, p.Language, p.Domain}
		random := rand.New(rand.NewPCG(1, uint64(i)))
		own := slices.Clone(bySource[key])
		random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		half := len(own) / 2
		without := *t
		without.Profiles = slices.Concat(t.Profiles[:i], t.Profiles[i+1:])
		for _, b := range Bags(own, t.Classes, trialsPerSource, random) {
			list = append(list, trial{b, &without, true, hasProfile(&without, p)})
		}
		with := without
		with.Profiles = slices.Concat(without.Profiles, profiles(own[:half], t.Classes, len(t.Centers)))
		for _, b := range Bags(own[half:], t.Classes, trialsPerSource, random) {
			list = append(list, trial{b, &with, false, true})
		}
	}
	return list
}

// hasProfile reports whether a task has a profile of the same language and domain as p.
func hasProfile(t *prevalence.Task, p *prevalence.Profile) bool {
	return slices.ContainsFunc(t.Profiles, func(other prevalence.Profile) bool { return other.Language == p.Language && other.Domain == p.Domain })
}

// fitSettings chooses the settings with the smallest error, one after the other, and then the widths
// of intervals. Posts mostly resemble a known source of their language and domain, so these count most;
// the trials, in which most sources are unknown, would not say so.
func fitSettings(t *prevalence.Task, examples []Example) prevalence.Settings {
	all := trials(t, examples)
	s := prevalence.Settings{Prior: 0.1, Fit: 20, Language: 30, Domain: 10, Mean: 0.2}
	grid := []struct {
		setting *float64
		values  []float64
	}{
		{&s.Prior, []float64{0.02, 0.05, 0.1, 0.2, 0.4}},
		{&s.Mean, []float64{0, 0.1, 0.2, 0.3, 0.5}},
	}
	for range 2 {
		for _, g := range grid {
			best, least := *g.setting, math.Inf(1)
			for _, value := range g.values {
				*g.setting = value
				if e := meanError(all, s); e < least-1e-9 {
					best, least = value, e
				}
			}
			*g.setting = best
		}
	}
	fitWidths(all, &s)
	return s
}

// meanError returns the mean absolute error of all trials.
func meanError(all []trial, s prevalence.Settings) float64 {
	total := 0.0
	for i, shares := range estimate(all, s) {
		for k, share := range shares {
			total += math.Abs(share.Share-all[i].Truth[k]) / float64(len(shares)*len(all))
		}
	}
	return total
}

// estimate estimates all trials with the same settings.
func estimate(all []trial, s prevalence.Settings) [][]prevalence.Share {
	estimators := map[*prevalence.Task]*prevalence.Estimator{}
	for _, t := range all {
		if estimators[t.task] == nil {
			task := *t.task
			task.Settings = s
			estimators[t.task] = prevalence.New(&task)
		}
	}
	list := make([][]prevalence.Share, len(all))
	_ = parallel.For(context.Background(), len(all), 0, func(_ context.Context, i int) error { // never fails
		list[i] = estimators[all[i].task].Estimate(all[i].Groups)
		return nil
	})
	return list
}

// Share of intervals that should contain the truth: of all samples, and of those whose source has no
// profile.
const (
	wantedCoverage        = 0.94
	wantedCoverageUnknown = 0.90
)

// fitWidths sets the widths of intervals: the narrowest that contain the truth as often as they should.
func fitWidths(all []trial, s *prevalence.Settings) {
	best, least := *s, math.Inf(1)
	for _, s.Between = range []float64{0.5, 1, 1.5, 2} {
		for _, known := range []bool{true, false} {
			width := &s.Unknown
			if known {
				width = &s.Known
			}
			subset := slices.DeleteFunc(slices.Clone(all), func(t trial) bool { return t.known != known })
			low, high := 0.0, 0.5
			for range 8 {
				*width = (low + high) / 2
				if isCovered(subset, *s) {
					high = *width
				} else {
					low = *width
				}
			}
			*width = high
		}
		if width := meanWidth(all, *s); width < least {
			best, least = *s, width
		}
	}
	*s = best
	s.Unknown = max(s.Unknown, s.Known)
}

// isCovered reports whether intervals contain the truth as often as they should.
func isCovered(all []trial, s prevalence.Settings) bool {
	var in, of [2]float64
	for i, shares := range estimate(all, s) {
		for k, share := range shares {
			group := 0
			if all[i].unseen {
				group = 1
			}
			of[group]++
			if share.Low <= all[i].Truth[k] && all[i].Truth[k] <= share.High {
				in[group]++
			}
		}
	}
	return in[0]+in[1] >= wantedCoverage*(of[0]+of[1]) && in[1] >= wantedCoverageUnknown*of[1]
}

func meanWidth(all []trial, s prevalence.Settings) (width float64) {
	for _, shares := range estimate(all, s) {
		for _, share := range shares {
			width += share.High - share.Low
		}
	}
	return width
}
