package quantify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/quantify"
	"earshot/internal/parallel"
)

// A MixResult contains the errors for random mixes of categories, according to the artificial
// prevalence protocol.
type MixResult struct {
	Set      string        `json:"set"`
	Protocol string        `json:"protocol"`
	Draws    int           `json:"draws"`
	Bags     int           `json:"bags"`
	Accuracy float64       `json:"accuracy"` // of the classifier, with an even mix
	Errors   []MethodError `json:"errors"`
	Coverage float64       `json:"intervalCoverage"` // share of true values in the 95% intervals
	Width    float64       `json:"intervalWidth"`
	Worst    Worst         `json:"worst"` // of the draws

	// The errors of expectation maximization and of classify-and-count if the model's shares were
	// exactly right; see relabeled.
	AtBest    float64 `json:"errorAtBest"`
	AtBestCut float64 `json:"errorAtBestCounting"`
}

// A mixExperiment defines how documents are drawn.
type mixExperiment struct {
	set             string
	texts           map[string][]labeledText
	names           []string // labels that may be drawn
	categories      int      // per draw
	documents       int      // training documents per category
	draws, bagsEach int

	// Simulated drift. A category consists of several labels, whose proportions differ between the
	// training documents and each bag. Up to replaced of the words of posts, but not of training
	// documents, are replaced, more of them in some categories than in others.
	labels   int
	replaced float64
}

const (
	minBag, maxBag = 100, 500 // posts per bag
	minTexts       = 40       // texts per label; rarer labels are left out
	mostScored     = 1000     // posts per label that bags are drawn from
)

// mixExperiments returns the experiments: without drift, then with simulated drift.
func mixExperiments(questions, tweets, stances []labeledText, bags int) []mixExperiment {
	tweets = slices.DeleteFunc(tweets, func(l labeledText) bool { return l.category == "Fearmonger" }) // too few
	list := []mixExperiment{
		newMixExperiment("banking77", questions, 6, 20, bags, 20),
		newMixExperiment("troll_category", tweets, 5, 50, bags, 50),
	}
	for _, target := range []string{"abortion", "atheism", "feminist", "hillary"} {
		texts := slices.DeleteFunc(slices.Clone(stances), func(l labeledText) bool { return l.target != target })
		list = append(list, newMixExperiment("stance toward "+target, texts, 3, 20, bags/4, 20))
	}
	groups := newMixExperiment("banking77, groups of intents", questions, 6, 50, bags, 20)
	groups.labels = 8
	words := newMixExperiment("troll_category, words replaced", tweets, 5, 50, bags/2, 20)
	words.replaced = 0.6
	return append(list, groups, words)
}

// newMixExperiment returns an experiment without drift, with about the given number of bags.
func newMixExperiment(set string, texts []labeledText, categories, documents, bags, bagsEach int) mixExperiment {
	m := mixExperiment{set: set, texts: map[string][]labeledText{}, categories: categories, documents: documents, labels: 1}
	m.bagsEach = max(1, min(bags, bagsEach))
	m.draws = max(1, (bags+m.bagsEach-1)/m.bagsEach)
	for _, l := range texts {
		m.texts[l.category] = append(m.texts[l.category], l)
	}
	for name, list := range m.texts {
		if len(list) >= minTexts {
			m.names = append(m.names, name)
		}
	}
	slices.Sort(m.names)
	return m
}

func (m mixExperiment) protocol() string {
	text := fmt.Sprintf("%d draws of %d categories with %d training documents each, from train and dev; %d bags per draw with %d to %d of the other documents, "+
		"mixes uniform on the simplex, with replacement if a category has too few; error: mean over categories of |estimate - share in the bag|",
		m.draws, m.categories, m.documents, m.bagsEach, minBag, maxBag)
	if m.labels > 1 {
		text += fmt.Sprintf("; a category consists of %d labels in proportions that differ between the training documents and each bag", m.labels)
	}
	if m.replaced > 0 {
		text += fmt.Sprintf("; up to %.0f%% of the words of a category's posts are replaced by words of other posts", 100*m.replaced)
	}
	return text
}

// measure runs all draws and combines their results.
func (m mixExperiment) measure(ctx context.Context, seed uint64) (MixResult, error) {
	if need := m.categories * m.labels; len(m.names) < need {
		return MixResult{}, fmt.Errorf("%s has %d labels with at least %d texts, want %d", m.set, len(m.names), minTexts, need)
	}
	draws := make([]draw, m.draws)
	err := parallel.For(ctx, m.draws, 0, func(ctx context.Context, i int) (err error) {
		if draws[i], err = m.draw(ctx, rand.New(rand.NewPCG(seed, uint64(i)))); err != nil {
			return fmt.Errorf("draw %d: %w", i, err)
		}
		return nil
	})
	f := MixResult{Set: m.set, Protocol: m.protocol(), Draws: m.draws, Bags: m.draws * m.bagsEach}
	sums := make([]float64, len(quantify.Methods))
	accuracies := make([]Accuracy, m.draws)
	for i := range draws {
		d := &draws[i]
		accuracies[i] = d.accuracies()
		f.Accuracy += d.right / float64(m.draws)
		f.AtBest += d.atBest[1] / float64(f.Bags)
		f.AtBestCut += d.atBest[0] / float64(f.Bags)
		for i := range d.errors {
			sums[i] += d.errors[i]
		}
	}
	var mean Accuracy
	mean, f.Worst = summarize(accuracies)
	f.Coverage, f.Width = mean.Coverage, mean.Width
	f.Errors = methodErrors(sums, f.Bags)
	return f, err
}
