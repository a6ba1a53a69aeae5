package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/prevalence"
	"earshot/internal/model/sentiment"
	"earshot/internal/parallel"
)

// A trial is a sample with the task that is to estimate it.
type trial struct {
	Bag
	task   *prevalence.Task
	set    int  // the index of the profile, or another number if the sample is from several sources
	unseen bool // whether the task has no profile of these sources
	known  bool // whether it has one of the same language and domain
}

const trialsPerSet = 24

// A group is the sources of a language and domain.
type group struct {
	language string
	domain   sentiment.Domain
}

func groupOf(p *prevalence.Profile) group { return group{p.Language, p.Domain} }

// trials returns samples of every source with neutral texts, and of all sources of a language and domain
// together: monitors have posts of many kinds. Each is estimated twice: with profiles of other texts of the
// sources, and without any profile of them, as if they were unknown.
func trials(t *prevalence.Task, examples []Example) []trial {
	bySource := map[sourceKey][]Example{}
	for _, x := range examples {
		bySource[x.source()] = append(bySource[x.source()], x)
	}
	var list []trial
	var groups []group
	members := map[group][]int{}
	add := func(set int, sources []int) {
		random := rand.New(rand.NewPCG(1, uint64(set)))
		var own []Example
		with, without := *t, *t
		without.Profiles = nil
		for i := range t.Profiles {
			p := &t.Profiles[i]
			if slices.Contains(sources, i) {
				own = append(own, bySource[sourceKey{p.Source, p.Language, p.Domain}]...)
			} else {
				without.Profiles = append(without.Profiles, *p)
			}
		}
		random.Shuffle(len(own), func(i, j int) { own[i], own[j] = own[j], own[i] })
		half, p := len(own)/2, &t.Profiles[sources[0]]
		for _, b := range Bags(own, t.Classes, trialsPerSet, random) {
			list = append(list, trial{b, &without, set, true, without.IsKnown(p.Language, p.Domain)})
		}
		with.Profiles = slices.Concat(without.Profiles, profiles(own[:half], t.Classes, len(t.Assigned)))
		for _, b := range Bags(own[half:], t.Classes, trialsPerSet, random) {
			list = append(list, trial{b, &with, set, false, with.IsKnown(p.Language, p.Domain)})
		}
	}
	for i := range t.Profiles {
		p := &t.Profiles[i]
		g := groupOf(p)
		if members[g] == nil {
			groups = append(groups, g)
		}
		members[g] = append(members[g], i)
		if p.Counts[t.Neutral] != nil {
			add(i, []int{i})
		}
	}
	for i, g := range groups {
		if len(members[g]) > 1 {
			add(len(t.Profiles)+i, members[g])
		}
	}
	return list
}

// classesOf returns the number of classes that a profile has.
func classesOf(p *prevalence.Profile) (n int) {
	for _, counts := range p.Counts {
		if counts != nil {
			n++
		}
	}
	return n
}

// fitSettings sets the settings of a task: first how much estimates are drawn toward the typical mix, and
// how far counts are corrected in each language and domain, then the widths of intervals.
func fitSettings(t *prevalence.Task, examples []Example) {
	all := trials(t, examples)
	counted := estimate(all, prevalence.Settings{Counting: 1})
	best, least := prevalence.Settings{}, math.Inf(1)
	for _, weight := range []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3} {
		s := prevalence.Settings{Prior: weight}
		if loss := fitBlends(t, &s, all, estimate(all, s), counted); loss < least {
			best, least = s, loss
		}
	}
	t.Settings = best
	fitWidths(t, all)
}

// How far counts may be corrected.
const (
	// maxCorrection is the most: sources that the table does not have differ from those it has.
	maxCorrection = 0.5

	// expectedTrials is the weight of what is expected: of no correction in general, and of the general one
	// in a language and domain. A source counts 2. It does not tell what other sources are like.
	expectedTrials = 2
)

// fitBlends sets how far counts are corrected, in general and in each language and domain, and returns the
// loss. corrected and counted are the estimates of trials with a full correction and without any.
func fitBlends(t *prevalence.Task, s *prevalence.Settings, all []trial, corrected, counted [][]prevalence.Share) float64 {
	errors := func(correction func(*trial) float64) trialErrors {
		e := newTrialErrors(all[len(all)-1].set + 1)
		for i, shares := range corrected {
			by := correction(&all[i])
			for k, share := range shares {
				count := counted[i][k].Share
				e.add(&all[i], count+by*(share.Share-count)-all[i].Truth[k])
			}
		}
		return e
	}
	without := errors(func(*trial) float64 { return 0 })
	steps, with := []float64{0}, []trialErrors{without}
	for by := 0.05; by < maxCorrection+0.01; by += 0.05 {
		steps, with = append(steps, by), append(with, errors(func(*trial) float64 { return by }))
	}
	best := func(of []int, expected float64) float64 {
		at, least := 0, math.Inf(1)
		for i := range with {
			natural, drawn := with[i].losses(without, of)
			if natural+drawn < least {
				at, least = i, natural+drawn
			}
		}
		n := float64(len(of))
		return (n*steps[at] + expectedTrials*expected) / (n + expectedTrials)
	}
	var unseen, every []int
	var order []group
	byGroup := map[group][]int{}
	for i := range all {
		x := &all[i]
		at, g := x.at(), groupOf(&x.Source)
		if slices.Contains(byGroup[g], at) || x.set < len(t.Profiles) && classesOf(&t.Profiles[x.set]) < 2 {
			continue
		}
		if byGroup[g] == nil {
			order = append(order, g)
		}
		byGroup[g], every = append(byGroup[g], at), append(every, at)
		if x.unseen {
			unseen = append(unseen, at)
		}
	}
	general := best(unseen, 0)
	s.Counting = 1 - general
	corrections := map[group]float64{}
	for _, g := range order {
		corrections[g] = best(byGroup[g], general)
		s.Blends = append(s.Blends, prevalence.Blend{Language: g.language, Domain: g.domain, Counting: 1 - corrections[g]})
	}
	fitted := errors(func(x *trial) float64 { return corrections[groupOf(&x.Source)] })
	natural, _ := fitted.losses(without, every)
	return natural
}

// at returns the index of a trial among the errors. Each set has two: with and without a profile of it.
func (t *trial) at() int {
	if t.unseen {
		return 2*t.set + 1
	}
	return 2 * t.set
}

// trialErrors are mean absolute errors, by [trial.at].
type trialErrors struct{ natural, drawn []meanError }

type meanError struct{ sum, n float64 }

func newTrialErrors(sets int) trialErrors {
	return trialErrors{make([]meanError, 2*sets), make([]meanError, 2*sets)}
}

func (e trialErrors) add(t *trial, err float64) {
	list := e.drawn
	if t.Natural {
		list = e.natural
	}
	list[t.at()].sum += math.Abs(err)
	list[t.at()].n++
}

// Estimates may be worse than counting by tolerance on samples with the mix of their source. What is beyond
// counts several times.
const (
	tolerance    = 0.005
	beyondCounts = 4
)

// losses returns by how much some errors are larger than those of counting: for samples with the mix of their
// source, and for those with drawn mixes.
func (e trialErrors) losses(counting trialErrors, of []int) (natural, drawn float64) {
	for _, i := range of {
		excess := (e.natural[i].sum - counting.natural[i].sum) / e.natural[i].n
		natural += (excess + beyondCounts*max(0, excess-tolerance)) / float64(len(of))
		drawn += (e.drawn[i].sum - counting.drawn[i].sum) / e.drawn[i].n / float64(len(of))
	}
	return natural, drawn
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
