package bench

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/quantify"
)

// driftSample is the maximum number of training documents per category.
const driftSample = 300

// A DriftResult contains the errors for posts of months after the training posts.
type DriftResult struct {
	Protocol  string        `json:"protocol"`
	Documents int           `json:"documents"` // number of training documents
	Errors    []MethodError `json:"errors"`
	Better    int           `json:"monthsBetterThanClassifyAndCount"` // for the default method
	Coverage  float64       `json:"intervalCoverage"`
	Months    []MonthError  `json:"months"`
}

// A MonthError is the error of classify-and-count and of the default method in one month.
type MonthError struct {
	Month    string  `json:"month"`
	Posts    int     `json:"posts"`
	Counting float64 `json:"classifyAndCount"`
	Default  float64 `json:"default"`
}

// measureDrift trains on early posts and estimates the months after them.
func measureDrift(ctx context.Context, s *session, train, dev []labeledText, maxDocuments int) (DriftResult, error) {
	names := categoriesOf(train)
	texts, classes := chooseEarly(train, names, maxDocuments, s.seed)
	f := DriftResult{Documents: len(texts), Protocol: "troll_category: train on all of train (2015-01 to 2016-06), estimate each month of dev"}
	if maxDocuments > 0 {
		f.Protocol = fmt.Sprintf("troll_category: train on at most %d documents per category of train (2015-01 to 2016-06), estimate each month of dev", maxDocuments)
	}
	sc, err := trainScorer(ctx, len(names), texts, classes)
	if err != nil {
		return f, err
	}
	sums := make([]float64, len(quantify.Methods))
	covered := 0
	months := byMonth(dev)
	for _, posts := range months {
		month, inside := sc.month(posts, names, sums)
		f.Months = append(f.Months, month)
		covered += inside
		if month.Default < month.Counting {
			f.Better++
		}
	}
	f.Coverage = float64(covered) / float64(len(months)*len(names))
	f.Errors = methodErrors(sums, len(months))
	return f, nil
}

// month estimates one month and returns the number of true shares that are in their intervals.
func (s *scorer) month(texts []labeledText, names []string, sums []float64) (MonthError, int) {
	truth := make([]float64, len(names))
	var posts []quantify.Group
	for _, l := range texts {
		truth[slices.Index(names, l.category)] += 1 / float64(len(texts))
		posts = append(posts, quantify.Group{Scores: s.score(l), Posts: 1})
	}
	s.errors(posts, truth, sums)
	var d draw
	d.cover(s.estimator.Intervals(posts), truth)
	return MonthError{
		Month:    texts[0].month,
		Posts:    len(texts),
		Counting: absoluteError(s.estimator.ByMethod(quantify.ClassifyAndCount, posts), truth),
		Default:  absoluteError(s.estimator.Prevalence(posts), truth),
	}, int(d.covered)
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
