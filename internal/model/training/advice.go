package training

import (
	"cmp"
	"fmt"
	"slices"

	"earshot"
	"earshot/internal/model/opinion"
)

// Thresholds for advice.
const (
	advisedPosts     = 20   // training posts per category
	minConfusedShare = 0.15 // share of two categories' training posts that the model confuses
	minConfusedPosts = 3    // minimum number of such posts
	minRecall        = 0.5  // recall of a category
	minSureScore     = 0.9  // score of a disagreement
	minAccuracyGain  = 0.01 // gain in accuracy
	minF1Gain        = 0.02 // gain in a category's F1
	maxOfAKind       = 5    // sentences about the same problem
)

// adviseInsufficient is the advice for a model whose training posts do not suffice to estimate
// proportions.
const adviseInsufficient = "There are not enough training posts to estimate proportions, so assigned posts are counted, and the intervals are wide. " +
	"Add training posts, or merge categories that are hard to tell apart."

// newAdvice returns sentences that say how to improve the model of a monitor. r is nil if there is
// no model.
func newAdvice(m *earshot.Monitor, r *opinion.Report) []string {
	var all []string
	add := func(list []string) {
		if more := len(list) - maxOfAKind; more > 0 {
			list = append(list[:maxOfAKind:maxOfAKind], fmt.Sprintf("The same applies to %d more.", more))
		}
		all = append(all, list...)
	}
	add(adviseUntrained(m))
	add(adviseFewPosts(m))
	if r != nil {
		add(adviseConfusion(m, r))
		add(adviseLowRecall(m, r))
		add(adviseDisagreements(r))
		add(adviseForecast(m, r))
	}
	add(adviseOffTopic(m))
	return all
}

// adviseUntrained covers categories that have too few training posts.
func adviseUntrained(m *earshot.Monitor) (list []string) {
	for _, c := range m.Categories {
		switch {
		case c.IsTrained():
		case !c.Hidden:
			list = append(list, fmt.Sprintf("%s has %s; a category needs at least %d.", c.Name, trainingPosts(c.TrainingDocs), earshot.MinTrainingPosts))
		case c.TrainingDocs > 0:
			list = append(list, fmt.Sprintf("%s is hidden and has %s; the model uses it once it has %d.", c.Name, trainingPosts(c.TrainingDocs), earshot.MinTrainingPosts))
		}
	}
	return list
}

func adviseFewPosts(m *earshot.Monitor) (list []string) {
	for _, c := range m.Categories {
		if c.IsTrained() && c.TrainingDocs < advisedPosts {
			list = append(list, fmt.Sprintf("%s has %s; at least %d are recommended.", c.Name, trainingPosts(c.TrainingDocs), advisedPosts))
		}
	}
	return list
}

// adviseConfusion covers pairs of categories that the model often confuses, worst first.
func adviseConfusion(m *earshot.Monitor, r *opinion.Report) (list []string) {
	type pair struct {
		a, b        string
		wrong, both int
	}
	var pairs []pair
	for i := range r.Confusion {
		for j := range i {
			p := pair{wrong: r.Confusion[i][j] + r.Confusion[j][i], both: r.Categories[i].Documents + r.Categories[j].Documents}
			p.a, p.b = categoryName(m, r.Categories[j].Category), categoryName(m, r.Categories[i].Category)
			if p.a != "" && p.b != "" && p.wrong >= minConfusedPosts && float64(p.wrong) >= minConfusedShare*float64(p.both) {
				pairs = append(pairs, p)
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.wrong*a.both, a.wrong*b.both) })
	for _, p := range pairs {
		list = append(list, fmt.Sprintf("The model often confuses %s and %s (%d of their %d training posts). Add training posts that show the difference, or merge the categories.",
			p.a, p.b, p.wrong, p.both))
	}
	return list
}

// adviseLowRecall covers categories most of whose training posts the model assigns elsewhere.
func adviseLowRecall(m *earshot.Monitor, r *opinion.Report) (list []string) {
	for _, c := range r.Categories {
		if name := categoryName(m, c.Category); name != "" && c.Documents > 0 && c.Recall < minRecall {
			list = append(list, fmt.Sprintf("The model recognizes only %.0f%% of the training posts of %s. Check that they are all about the same thing.", 100*c.Recall, name))
		}
	}
	return list
}

// adviseDisagreements covers training posts that may be in the wrong category.
func adviseDisagreements(r *opinion.Report) []string {
	sure := 0
	for _, d := range r.Disagreements {
		if d.Score >= minSureScore {
			sure++
		}
	}
	if sure == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The model is confident that %s should be in another category. Review the first disagreements.", trainingPosts(sure))}
}

// adviseForecast covers the expected gain from more training posts.
func adviseForecast(m *earshot.Monitor, r *opinion.Report) []string {
	if r.Forecast.Documents == 0 || len(r.Categories) == 0 {
		return nil
	}
	if r.Forecast.Accuracy-r.Accuracy < minAccuracyGain {
		if len(adviseUntrained(m))+len(adviseFewPosts(m)) > 0 {
			return nil // with so few posts, the metrics are not reliable
		}
		return []string{"More training posts of the same kind would not help much."}
	}
	list := []string{fmt.Sprintf("Twice as many training posts would raise accuracy from %.0f%% to about %.0f%%.", 100*r.Accuracy, 100*r.Forecast.Accuracy)}
	gain := func(c opinion.CategoryReport) float64 { return c.Forecast - c.F1 }
	largest := slices.MaxFunc(r.Categories, func(a, b opinion.CategoryReport) int { return cmp.Compare(gain(a), gain(b)) })
	if name := categoryName(m, largest.Category); name != "" && gain(largest) >= minF1Gain {
		list = append(list, fmt.Sprintf("They would help %s most, raising its F1 score from %.2f to about %.2f.", name, largest.F1, largest.Forecast))
	}
	return list
}

// adviseOffTopic covers monitors without a category for off-topic posts.
func adviseOffTopic(m *earshot.Monitor) []string {
	if slices.ContainsFunc(m.Categories, func(c earshot.Category) bool { return c.Hidden }) {
		return nil
	}
	return []string{"There is no category for off-topic posts. A hidden category, such as Off-topic, keeps them out of the proportions."}
}

// trainingPosts returns a number of training posts in words.
func trainingPosts(n int) string {
	if n == 1 {
		return "1 training post"
	}
	return fmt.Sprintf("%d training posts", n)
}
