package bench

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

	// The errors of expectation maximization and of classify-and-count if the model's shares were
	// exactly right; see relabeled.
	AtBest    float64 `json:"errorAtBest"`
	AtBestCut float64 `json:"errorAtBestCounting"`
}

// A mixExperiment defines how documents are drawn.
type mixExperiment struct {
	set, protocol   string
	texts           map[string][]labeledText
	names           []string // categories that may be drawn
	categories      int      // per draw
	documents       int      // training documents per category
	draws, bagsEach int
}

const (
	minBag, maxBag = 100, 500 // posts per bag
	mostScored     = 1000     // posts per category that bags are drawn from
)

func bankingExperiment(texts []labeledText, bags int) mixExperiment {
	m := newMixExperiment(texts, bags, 20)
	m.set, m.categories, m.documents = "banking77", 6, 20
	m.names = slices.DeleteFunc(m.names, func(name string) bool { return len(m.texts[name]) < 2*m.documents })
	return m.described()
}

func trollExperiment(texts []labeledText, bags int) mixExperiment {
	m := newMixExperiment(texts, bags, 50)
	m.set, m.categories, m.documents = "troll_category", 5, 50
	m.names = slices.DeleteFunc(m.names, func(name string) bool { return name == "Fearmonger" })
	return m.described()
}

func newMixExperiment(texts []labeledText, bags, each int) mixExperiment {
	m := mixExperiment{texts: map[string][]labeledText{}, bagsEach: min(bags, each)}
	m.draws = (bags + m.bagsEach - 1) / m.bagsEach
	for _, l := range texts {
		if m.texts[l.category] == nil {
			m.names = append(m.names, l.category)
		}
		m.texts[l.category] = append(m.texts[l.category], l)
	}
	slices.Sort(m.names)
	return m
}

func (m mixExperiment) described() mixExperiment {
	m.protocol = fmt.Sprintf("%d draws of %d categories with %d training documents each, from train and dev; %d bags per draw with %d to %d of the other documents, "+
		"mixes uniform on the simplex, with replacement if a category has too few; error: mean over categories of |estimate - share in the bag|",
		m.draws, m.categories, m.documents, m.bagsEach, minBag, maxBag)
	return m
}

// measure runs all draws and combines their results.
func (m mixExperiment) measure(ctx context.Context, s *session) (MixResult, error) {
	draws := make([]draw, m.draws)
	err := parallel.For(ctx, m.draws, s.cpus, func(ctx context.Context, i int) (err error) {
		if draws[i], err = m.draw(ctx, rand.New(rand.NewPCG(s.seed, uint64(i)))); err != nil {
			return fmt.Errorf("draw %d: %w", i, err)
		}
		return nil
	})
	f := MixResult{Set: m.set, Protocol: m.protocol, Draws: m.draws, Bags: m.draws * m.bagsEach}
	sums := make([]float64, len(quantify.Methods))
	for _, d := range draws {
		f.Accuracy += d.accuracy / float64(m.draws)
		f.Coverage += d.covered / float64(f.Bags*m.categories)
		f.Width += d.width / float64(f.Bags*m.categories)
		f.AtBest += d.atBest[1] / float64(f.Bags)
		f.AtBestCut += d.atBest[0] / float64(f.Bags)
		for i := range d.errors {
			sums[i] += d.errors[i]
		}
	}
	f.Errors = methodErrors(sums, f.Bags)
	return f, err
}
