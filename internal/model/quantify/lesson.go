package quantify

import "math"

// A lesson is a Lesson as it would be read back from where posts are stored.
type lesson struct {
	shares   []float64
	assigned []float64 // 1 for the largest of the shares as they were
	logs     []float64 // see logsOf
	category int
	document int     // a number of the document
	weight   float64 // so that categories weigh the same; see weigh
}

// learn reads lessons and weighs them.
func (e *Estimator) learn(lessons []Lesson) []lesson {
	var out []lesson
	documents := map[[2]int]int{}
	for _, l := range lessons {
		if l.Category < 0 || l.Category >= e.categories || len(l.Shares) != e.categories {
			continue
		}
		of := [2]int{l.Category, l.Document}
		if l.Document == 0 {
			of = [2]int{-1, len(out)}
		}
		at, ok := documents[of]
		if !ok {
			at = len(documents)
			documents[of] = at
		}
		key := string(appendKey(nil, l.Shares))
		shares := coarse(key[:e.categories])
		out = append(out, lesson{
			shares: shares, assigned: assigned(key, e.categories), logs: e.logsOf(shares), category: l.Category, document: at,
		})
	}
	weigh(e.categories, out, func(*lesson) float64 { return 1 })
	return out
}

// weigh gives every category the same weight in all: the harmonic mean of how many
// documents they have, as the rarest ones limit what is known. times says how often a
// lesson is there.
func weigh(categories int, lessons []lesson, times func(*lesson) float64) {
	total := usualDocuments(categories, lessons)
	sums := make([]float64, categories)
	for i := range lessons {
		sums[lessons[i].category] += times(&lessons[i])
	}
	for i := range lessons {
		l := &lessons[i]
		l.weight = 0
		if sums[l.category] > 0 {
			l.weight = times(l) / sums[l.category] * total
		}
	}
}

// usualDocuments is the harmonic mean of how many documents the categories have that have
// any.
func usualDocuments(categories int, lessons []lesson) float64 {
	seen := map[int]bool{}
	counts := make([]float64, categories)
	for i := range lessons {
		if l := &lessons[i]; !seen[l.document] {
			seen[l.document] = true
			counts[l.category]++
		}
	}
	n, inverse := 0.0, 0.0
	for _, c := range counts {
		if c > 0 {
			n, inverse = n+1, inverse+1/c
		}
	}
	if n == 0 {
		return 0
	}
	return n / inverse
}

// logsOf returns the logarithms of shares over the prior, less their mean: what a
// calibration bends, and what is compared between posts.
func (e *Estimator) logsOf(shares []float64) []float64 {
	logs, mean := make([]float64, len(shares)), 0.0
	for k, s := range shares {
		logs[k] = math.Log(max(s, leastShare/2) / e.prior[k])
		mean += logs[k] / float64(len(shares))
	}
	for k := range logs {
		logs[k] -= mean
	}
	return logs
}
