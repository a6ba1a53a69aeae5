package quantify

// minEvidence is the minimum of documents × skill². The error of a corrected share is proportional
// to the inverse of its root. If the classifier only guesses, it is below this in 19 of 20 cases.
const minEvidence = 2

// Sufficient reports whether examples suffice to correct counts of predicted categories. If they do
// not, because there are too few documents or because the classifier can hardly tell the categories
// apart, an [Estimator] counts instead.
func Sufficient(categories int, examples []Example) bool {
	e := &Estimator{categories: categories, prior: uniform(categories)}
	list := e.newExamples(examples)
	skill := skill(categories, list)
	return meanDocuments(categories, list)*skill*skill >= minEvidence
}

// skill returns the mean recall of the categories, scaled to 0 at chance level and 1 if perfect.
func skill(categories int, examples []example) float64 {
	right, all := make([]float64, categories), make([]float64, categories)
	for i := range examples {
		x := &examples[i]
		all[x.category]++
		right[x.category] += x.assigned[x.category]
	}
	recall, found := 0.0, 0.0
	for k, n := range all {
		if n > 0 {
			recall, found = recall+right[k]/n, found+1
		}
	}
	if found < 2 {
		return 0
	}
	chance := 1 / found
	return max(0, (recall/found-chance)/(1-chance))
}
