package quantify_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/quantify"
	"earshot/internal/parallel"
)

// driftDocuments are the maximum numbers of training documents per category; 0 means all.
var driftDocuments = []int{20, 50, 300, 0}

const (
	maxDriftDraws    = 14 // draws of training documents
	bagsPerDriftDraw = 70 // with fewer bags, there are fewer draws
)

// A DriftResult contains the errors for posts of months after the training posts.
type DriftResult struct {
	Protocol  string        `json:"protocol"`
	Documents int           `json:"documents"` // number of training documents
	Errors    []MethodError `json:"errors"`
	Better    int           `json:"monthsBetterThanClassifyAndCount"` // for the default method, mean of all draws
	Coverage  float64       `json:"intervalCoverage"`
	Width     float64       `json:"intervalWidth"`
	Worst     Worst         `json:"worst"` // of the draws
	Draws     []Accuracy    `json:"draws"`
	Months    []MonthError  `json:"months"`
}

// A MonthError is the error of classify-and-count and of the default method in one month, as a mean
// over draws.
type MonthError struct {
	Month    string  `json:"month"`
	Posts    int     `json:"posts"`
	Counting float64 `json:"classifyAndCount"`
	Default  float64 `json:"default"`
}

// measureDrift trains on early posts and estimates the months after them.
func measureDrift(ctx context.Context, seed uint64, train, dev []labeledText, maxDocuments, draws int) (DriftResult, error) {
	names, months := categoriesOf(train), byMonth(dev)
	sample := "all documents"
	if maxDocuments > 0 {
		sample = fmt.Sprintf("%d draws of at most %d documents per category", draws, maxDocuments)
	} else {
		draws = 1
	}
	f := DriftResult{Protocol: fmt.Sprintf("troll_category: train on %s of train (2015-01 to 2016-06), estimate each month of dev", sample)}
	results := make([][]draw, draws) // by draw and month
	err := parallel.For(ctx, draws, 0, func(ctx context.Context, i int) error {
		texts, classes := chooseEarly(train, names, maxDocuments, seed+uint64(i))
		sc, err := trainScorer(ctx, len(names), texts, classes)
		if err != nil {
			return fmt.Errorf("draw %d: %w", i, err)
		}
		if i == 0 {
			f.Documents = len(texts)
		}
		for _, posts := range months {
			d := draw{errors: make([]float64, len(quantify.Methods))}
			d.add(sc, sc.month(posts, names))
			results[i] = append(results[i], d)
		}
		return nil
	})
	if err != nil {
		return f, err
	}
	f.add(results, months)
	return f, nil
}

// add sets the results of draws.
func (f *DriftResult) add(results [][]draw, months [][]labeledText) {
	for _, posts := range months {
		f.Months = append(f.Months, MonthError{Month: posts[0].month, Posts: len(posts)})
	}
	sums := make([]float64, len(quantify.Methods))
	for _, list := range results {
		monthly := make([]Accuracy, len(list))
		for t := range list {
			monthly[t] = list[t].accuracies()
			f.Months[t].Counting += monthly[t].Counting / float64(len(results))
			f.Months[t].Default += monthly[t].Default / float64(len(results))
			for i, e := range list[t].errors {
				sums[i] += e
			}
		}
		mean, _ := summarize(monthly)
		f.Draws = append(f.Draws, mean)
	}
	for _, m := range f.Months {
		if m.Default < m.Counting {
			f.Better++
		}
	}
	var mean Accuracy
	mean, f.Worst = summarize(f.Draws)
	f.Coverage, f.Width = mean.Coverage, mean.Width
	f.Errors = methodErrors(sums, len(results)*len(months))
}

// month returns the scored posts of one month.
func (s *scorer) month(texts []labeledText, names []string) bag {
	b := bag{truth: make([]float64, len(names))}
	for _, l := range texts {
		b.truth[slices.Index(names, l.category)] += 1 / float64(len(texts))
		b.posts = append(b.posts, quantify.Group{Scores: s.score(l), Posts: 1})
	}
	return b
}
func categoriesOf(texts []labeledText) []string {
	var names []string
	for _, l := range texts {
		if !slices.Contains(names, l.category) {
			names = append(names, l.category)
		}
	}
	slices.Sort(names)
	return names
}

// chooseEarly draws at most maxDocuments texts of each category; 0 means all.
func chooseEarly(texts []labeledText, names []string, maxDocuments int, seed uint64) (chosen []labeledText, classes []int) {
	counts := make([]int, len(names))
	for _, i := range rand.New(rand.NewPCG(seed, uint64(maxDocuments))).Perm(len(texts)) {
		k := slices.Index(names, texts[i].category)
		if counts[k]++; maxDocuments == 0 || counts[k] <= maxDocuments {
			chosen, classes = append(chosen, texts[i]), append(classes, k)
		}
	}
	return chosen, classes
}

// byMonth groups texts, which must be sorted by date, by month.
func byMonth(texts []labeledText) [][]labeledText {
	var months [][]labeledText
	for i, l := range texts {
		if i == 0 || l.month != texts[i-1].month {
			months = append(months, nil)
		}
		months[len(months)-1] = append(months[len(months)-1], l)
	}
	return months
}
