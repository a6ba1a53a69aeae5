package train

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/prevalence"
	"earshot/internal/parallel"
)

// A trial is a sample with the task that is to estimate it.
type trial struct {
	Bag
	task   *prevalence.Task
	source int  // index of the profile
	unseen bool // whether the task has no profile of the source
	known  bool // whether it has one of the same language and domain
}

const trialsPerSource = 24

// trials returns samples of every source with neutral texts. Each is estimated twice: with a profile of
// other texts of the source, and without any profile of the source, as if it were unknown.
func trials(t *prevalence.Task, examples []Example) []trial {
	bySource := map[sourceKey][]Example{}
	for _, x := range examples {
		bySource[x.source()] = append(bySource[x.source()], x)
	}
	var list []trial
	for i := range t.Profiles {
		p := &t.Profiles[i]
		if p.Counts[t.Neutral] == nil {
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
			list = append(list, trial{b, &without, i, true, without.IsKnown(p.Language, p.Domain)})
		}
		with := without
		with.Profiles = slices.Concat(without.Profiles, profiles(own[:half], t.Classes, len(t.Assigned)))
		for _, b := range Bags(own[half:], t.Classes, trialsPerSource, random) {
			list = append(list, trial{b, &with, i, false, with.IsKnown(p.Language, p.Domain)})
		}
	}
	return list
}

// fitSettings sets the settings of a task: those with the smallest error on samples with the mix of
// their source, provided that samples with drawn mixes are not estimated worse than by counting. An
// error counts half as much again as far as counting has a smaller one on the same source. Then it sets the widths
// of intervals.
func fitSettings(t *prevalence.Task, examples []Example) {
	all := trials(t, examples)
	counting := countingErrors(all)
	best, least := prevalence.Settings{}, math.Inf(1)
	for _, weight := range []float64{0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3} {
		for _, blend := range []float64{0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6} {
			s := prevalence.Settings{Prior: weight, Counting: blend}
			errors := estimateErrors(all, s)
			loss := mean(errors.natural) + excess(errors.natural, counting.natural)/2
			if worse := mean(errors.drawn) - mean(counting.drawn); worse > 0 {
				loss += 10 * worse
			}
			if loss < least {
				best, least = s, loss
			}
		}
	}
	t.Settings = best
	fitWidths(t, all)
}

// estimateErrors returns the errors of estimates.
func estimateErrors(all []trial, s prevalence.Settings) trialErrors {
	e := newTrialErrors(all)
	for i, shares := range estimate(all, s) {
		for k, share := range shares {
			e.add(&all[i], share.Share-all[i].Truth[k])
		}
	}
	return e
}

// countingErrors returns the errors of counting.
func countingErrors(all []trial) trialErrors {
	e := newTrialErrors(all)
	for i := range all {
		for k, share := range all[i].Counted {
			e.add(&all[i], share-all[i].Truth[k])
		}
	}
	return e
}

// trialErrors are mean absolute errors, by source, with or without a profile of it.
type trialErrors struct{ natural, drawn []meanError }

type meanError struct{ sum, n float64 }

func newTrialErrors(all []trial) trialErrors {
	sources := 2 * (all[len(all)-1].source + 1)
	return trialErrors{make([]meanError, sources), make([]meanError, sources)}
}

func (e trialErrors) add(t *trial, err float64) {
	list, at := e.drawn, 2*t.source
	if t.Natural {
		list = e.natural
	}
	if t.unseen {
		at++
	}
	list[at].sum += math.Abs(err)
	list[at].n++
}

// mean returns the mean of errors of all sources.
func mean(list []meanError) float64 {
	var all meanError
	for _, m := range list {
		all.sum += m.sum
		all.n += m.n
	}
	return all.sum / all.n
}

// excess returns by how much errors are larger than others, where they are.
func excess(list, others []meanError) float64 {
	var all meanError
	for i, m := range list {
		if m.n > 0 {
			all.sum += max(0, m.sum/m.n-others[i].sum/others[i].n)
			all.n++
		}
	}
	return all.sum / all.n
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
