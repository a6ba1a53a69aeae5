package opinion

import (
	"cmp"
	"context"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"earshot/internal/model/quantify"
	"earshot/internal/parallel"
)

// curvePercents are the training set sizes of the learning curve, as percentages of all documents.
var curvePercents = [...]int{25, 50, 75, 100}

// fullPart is the index of the full training set in curvePercents.
const fullPart = len(curvePercents) - 1

// Number of folds. With more folds, held-out scores are closer to the final model's scores of new
// posts, but training takes longer. Large sets need fewer folds.
const (
	minFolds           = 5
	maxFolds           = 20
	largeDocuments     = 1000 // minimum size of a large set
	largeFolds         = 10   // of a large set
	minSparseDocuments = 200  // from this size, every other fold is enough for the learning curve
)

// A prediction holds the logits of a document from a model that was not trained on it.
type prediction struct {
	logits []float32
	class  int
}

// foldPredictions are the held-out predictions of all documents, for each of curvePercents. Skipped
// predictions have no logits.
type foldPredictions [len(curvePercents)][]prediction

// crossValidate predicts each fold with models trained on subsets of the other folds.
func (c *corpus) crossValidate(ctx context.Context) (*foldPredictions, error) {
	c.assignFolds()
	predictions := &foldPredictions{}
	type run struct{ part, fold int }
	var runs []run // slow ones first
	for part := fullPart; part >= 0; part-- {
		predictions[part] = make([]prediction, len(c.examples))
		for fold := range c.folds() {
			if part == fullPart || (len(c.examples) < minSparseDocuments || fold%2 == 0) && (!c.huge || fold == 0) {
				runs = append(runs, run{part, fold})
			}
		}
	}
	err := parallel.For(ctx, len(runs), 0, func(_ context.Context, i int) error {
		c.predictFold(runs[i].part, runs[i].fold, predictions[runs[i].part])
		return nil
	})
	return predictions, err
}

// predictFold sets the predictions of a fold, using a model trained on a subset of the other folds.
// Each fold uses a different subset.
func (c *corpus) predictFold(part, fold int, predictions []prediction) {
	percent := curvePercents[part]
	m := c.fit(func(e *example) bool {
		return e.fold != fold && (percent == 100 || (e.rank*61+fold*37)%100 < percent)
	})
	for i := range c.examples {
		if e := &c.examples[i]; e.fold == fold {
			logits := make([]float32, len(c.categories))
			m.predict(e, logits)
			predictions[i] = prediction{logits, e.class}
		}
	}
}

// folds returns the number of folds. It is the median document count of the categories, within
// limits, so that holding out a fold removes a similar fraction of each category.
func (c *corpus) folds() int {
	if c.huge {
		return hugeFolds
	}
	if len(c.examples) >= largeDocuments {
		return largeFolds
	}
	counts := slices.Sorted(slices.Values(c.counts))
	return min(max(counts[len(counts)/2], minFolds), maxFolds)
}

// assignFolds sets the fold and rank of each example. The documents of a category are spread evenly
// over the folds. Documents with the same text share a fold, so that no model is tested on copies
// of its training documents.
func (c *corpus) assignFolds() {
	order := rand.New(rand.NewPCG(7, 0)).Perm(len(c.examples))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(c.examples[i].class, c.examples[j].class) })
	next, ranks := make([]int, len(c.categories)), make([]int, len(c.categories))
	folds := map[uint64]int{}
	for _, i := range order {
		e := &c.examples[i]
		e.rank = ranks[e.class]
		ranks[e.class]++
		h := fnv.New64a()
		h.Write([]byte(c.docs[i].Post.Title))
		h.Write([]byte{0})
		h.Write([]byte(c.docs[i].Post.Contents))
		fold, ok := folds[h.Sum64()]
		if !ok {
			fold = next[e.class] % c.folds()
			next[e.class]++
			folds[h.Sum64()] = fold
		}
		e.fold = fold
	}
}

// heldOut returns the predictions as examples with calibrated scores. Documents are numbered from
// 1.
func (c *calibration) heldOut(predictions []prediction) []quantify.Example {
	examples := make([]quantify.Example, len(predictions))
	for i, p := range predictions {
		scores := slices.Clone(p.logits)
		c.apply(scores)
		for k, score := range scores {
			scores[k] = dequantize(quantize(score)) // as it will be after saving
		}
		examples[i] = quantify.Example{Scores: scores, Category: p.class, Document: i + 1}
	}
	return examples
}
