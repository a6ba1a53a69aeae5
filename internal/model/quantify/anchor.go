package quantify

// An anchor pulls a mix toward another one, as if each post came with weight more posts of known
// categories. It matters where the likelihoods say little: if categories are hard to tell apart,
// small errors of their score distributions move the maximum likelihood mix far, often to nearly
// all posts in the category with the vaguest scores. The zero value does nothing.
type anchor struct {
	mix    []float64
	weight float64
}

// pull moves a mix toward the anchor.
func (a anchor) pull(mix []float64) {
	for k, p := range a.mix {
		mix[k] = (mix[k] + a.weight*p) / (1 + a.weight)
	}
}

// The weight of the anchor, times the number of documents per category. Chosen by experiment:
// docs/decisions/0069-drift.md.
const (
	minAnchor    = 4 // with few documents, the score distributions are hardly known
	misfitAnchor = 5 // per unit of misfit
	maxMisfit    = 8 // more misfit does not increase the weight
)

// anchorWeight returns the weight of the anchor. It decreases with the number of documents, and
// increases with the misfit, because a mix that does not explain the scores is not credible.
func (e *Estimator) anchorWeight(misfit float64) float64 {
	return (minAnchor + misfitAnchor*min(misfit, maxMisfit)) / max(e.documents, 1)
}
