package train

import (
	"math/rand/v2"
	"slices"

	"earshot/internal/model/prevalence"
)

// A Bag is a sample of posts whose shares are known.
type Bag struct {
	Source  prevalence.Profile // without counts
	Groups  []prevalence.Group
	Truth   []float64
	Counted []float64 // shares of the most likely classes
	Natural bool      // whether the mix is that of the source, instead of a random one
}

// Bags draws samples of the given examples of one source: half of them with the source's own mix, and
// half with mixes drawn evenly, of 100, 500 and 2,000 posts.
func Bags(examples []Example, classes, n int, random *rand.Rand) []Bag {
	byClass := make([][]Example, classes)
	for _, x := range examples {
		byClass[x.Class] = append(byClass[x.Class], x)
	}
	list := make([]Bag, n)
	for i := range list {
		b := &list[i]
		b.Natural = i%2 == 0
		x := examples[0]
		b.Source = prevalence.Profile{Source: x.Source, Language: x.Language, Domain: x.Domain}
		b.Truth, b.Counted = make([]float64, classes), make([]float64, classes)
		posts := []int{100, 500, 2000}[i/2%3]
		mix := drawMix(byClass, random)
		for range posts {
			x := examples[random.IntN(len(examples))]
			if !b.Natural {
				of := byClass[drawClass(mix, random)]
				x = of[random.IntN(len(of))]
			}
			b.Truth[x.Class] += 1 / float64(posts)
			b.Counted[top(x.Scores)] += 1 / float64(posts)
			at := slices.IndexFunc(b.Groups, func(g prevalence.Group) bool { return g.Cell == x.Cell })
			if at < 0 {
				at = len(b.Groups)
				b.Groups = append(b.Groups, prevalence.Group{Language: x.Language, Domain: x.Domain, Cell: x.Cell})
			}
			b.Groups[at].Posts++
		}
	}
	return list
}

// drawMix returns a random mix of the classes that have examples.
func drawMix(byClass [][]Example, random *rand.Rand) []float64 {
	mix, total := make([]float64, len(byClass)), 0.0
	for k, list := range byClass {
		if draw := random.ExpFloat64(); len(list) > 0 {
			mix[k] = draw
			total += draw
		}
	}
	for k := range mix {
		mix[k] /= total
	}
	return mix
}

func drawClass(mix []float64, random *rand.Rand) int {
	draw, last := random.Float64(), 0
	for k, share := range mix {
		if share == 0 {
			continue
		}
		if last = k; draw < share {
			break
		}
		draw -= share
	}
	return last
}

func top(scores []float64) int {
	best := 0
	for k, s := range scores {
		if s > scores[best] {
			best = k
		}
	}
	return best
}
