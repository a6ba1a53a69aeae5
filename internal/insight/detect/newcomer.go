package detect

import (
	"math"
	"slices"
)

const (
	// NewcomerDays is how long a newcomer was not there before.
	NewcomerDays = 28
	// NewcomerPosts is the fewest posts of a newcomer, in 24 hours.
	NewcomerPosts = 5
	// NewcomerAuthors is the fewest authors of a new hashtag, link or topic.
	NewcomerAuthors = MinAuthors
)

// Newcomers expects how often subjects appear that were not there before: hashtags, links or topics,
// whose size is the number of their authors in the first 24 hours, or authors, whose size is the
// number of their posts. It learns from the monitor's own history: in some monitors a new hashtag
// with ten authors appears every day, in others never.
type Newcomers struct {
	least    float64 // size from which the tail is a power law
	perYear  float64 // newcomers of at least that size
	exponent float64
}

// FitNewcomers learns from the sizes of all newcomers of at least minSize that appeared within a
// number of days, which end where the last 24 hours begin. If the history is too short to know what
// was there 28 days before, more subjects look new, which errs on the side of fewer alarms.
func FitNewcomers(sizes []float64, minSize, days float64) *Newcomers {
	sizes = slices.Clone(sizes)
	slices.Sort(sizes)
	first, _ := slices.BinarySearch(sizes, minSize)
	sizes = sizes[first:]
	// The tail is the largest quarter, but at least twenty newcomers.
	sizes = sizes[max(0, len(sizes)-max(tailSizes, len(sizes)/4)):]
	n := &Newcomers{least: minSize}
	if len(sizes) >= tailSizes {
		n.least = max(minSize, sizes[0])
	}
	logs := 0.0
	for _, x := range sizes {
		// Half a unit smaller: sizes are integers.
		logs += math.Log(x / max(n.least-0.5, 0.5))
	}
	// Hill's estimate, with a prior worth two newcomers.
	n.exponent = (float64(len(sizes)) + priorNewcomers) / (logs + priorNewcomers/priorExponent)
	n.perYear = tailBias * (float64(len(sizes)) + 0.5) * 365.25 / max(days, 1)
	return n
}

const (
	tailSizes      = 20
	priorNewcomers = 2
	priorExponent  = 1.5
	tailBias       = 0.83 // the prior and the error of the exponent make rates too large; fitted to simulated newcomers
)

// PerYear returns how many newcomers of at least this size are expected in a year. A newcomer is
// unusual if that is at most its budget, and if it has at least [NewcomerPosts] and, unless it is an
// author, [NewcomerAuthors].
func (n *Newcomers) PerYear(size float64) float64 {
	if size <= n.least {
		return n.perYear
	}
	return n.perYear * math.Pow(size/max(n.least-0.5, 0.5), -n.exponent)
}
