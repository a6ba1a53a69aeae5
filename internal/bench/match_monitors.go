package bench

import (
	"slices"

	"earshot"
)

// brands returns monitors like those used to track brands. Words are drawn in proportion to their
// frequency in posts, except for the fifty most common, which people do not search for.
func brands(w *Words, n int, seed uint64) []*earshot.Monitor {
	draw := w.drawing()
	monitors := make([]*earshot.Monitor, n)
	for i := range monitors {
		d := newRNG(seed, monitorStream, i)
		bigram := w.sorted[d.below(len(w.sorted))]
		text := "(" + draw(&d) + " OR " + draw(&d) + ` OR "` + bigram + `") AND (` + draw(&d) + " OR " + draw(&d) + ") -" + draw(&d)
		monitors[i] = &earshot.Monitor{ID: earshot.FirstID + earshot.MonitorID(i), Enabled: true, Criteria: earshot.Criteria{Keywords: text}}
	}
	return monitors
}

const monitorStream = 3 // kind for newRNG

// drawing returns a function that draws random words.
func (w *Words) drawing() func(*rng) string {
	const common = 50
	among := w.list[min(common, len(w.list)-1):]
	sums := make([]int, len(among))
	sum := 0
	for i, word := range among {
		sum += w.posts[word]
		sums[i] = sum
	}
	return func(d *rng) string {
		i, found := slices.BinarySearch(sums, d.below(sum))
		if found {
			i++
		}
		return among[i]
	}
}
