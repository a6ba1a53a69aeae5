package opinion

import "math"

// rarityStep is how many steps of rarity a feature has that is in all documents.
const rarityStep = 16

// rarity returns how much the square of a feature's value is that is in so many of all
// documents, in steps.
func rarity(in, all int) uint8 {
	return uint8(min(255, math.Round(rarityStep*(1+math.Log(float64(all+1)/float64(in+1))))))
}

// unknown is the rarity of a feature that is in no document.
func unknown(all int) uint8 { return rarity(0, all) }

// roots has the value that each rarity stands for.
var roots = func() (values [256]float32) {
	for r := range values {
		values[r] = float32(math.Sqrt(float64(r) / rarityStep))
	}
	return values
}()

// scaleOf returns what values of a block are multiplied by when twice the rarities of
// its features add up to length, so that its values have the length of its weight.
func scaleOf(block, length int) float32 {
	if length == 0 {
		return 0
	}
	return blockWeight[block] * float32(math.Sqrt(2*rarityStep/float64(length)))
}

// The weight of a feature that tells nothing is about half of one's that is found in one
// category alone.
const (
	evenly    = 0.05
	smoothing = 0.5 // of a document, spread over all categories
)

// weigh finds how rare features are in texts, and how much they keep to few categories.
func (l *lecture) weigh(texts []*text, weights []float32) {
	k, n := len(weights), len(l.corpus.features)
	in, byClass := make([]int32, n), make([]float32, n*k)
	for _, t := range texts {
		for _, f := range t.features {
			in[f]++
			byClass[int(f)*k+t.class] += weights[t.class]
		}
	}
	rarities := make([]uint8, len(texts)+1)
	for i := range rarities {
		rarities[i] = rarity(i, len(texts))
	}
	l.rarity, l.focus = make([]uint8, n), make([]float32, n)
	for f, count := range in {
		l.rarity[f] = rarities[count]
		l.focus[f] = focus(byClass[f*k:][:k])
	}
}

// focus returns how much a feature keeps to few categories that is so often in their
// documents, 0 when it is in none.
func focus(in []float32) float32 {
	var sum, squares float64
	for _, n := range in {
		sum += float64(n)
		squares += float64(float64(n) * float64(n))
	}
	if sum == 0 {
		return 0
	}
	// The sum of the squares of shares, when smoothing is spread over them.
	k, all := float64(len(in)), sum+smoothing
	squares = (squares + (2*sum+smoothing)*smoothing/k) / (all * all)
	return float32(math.Sqrt(math.Sqrt(evenly + max(0, (k*squares-1)/(k-1)))))
}

// appendValues appends the values of a text's features. Features that the lecture does
// not know have none, and count half for the length of their block.
func (l *lecture) appendValues(dst []float32, t *text) []float32 {
	start := 0
	for b, end := range t.ends {
		length := 0
		for _, f := range t.features[start:end] {
			if l.focus[f] == 0 {
				length += int(l.unknown)
			} else {
				length += 2 * int(l.rarity[f])
			}
		}
		scale := scaleOf(b, length)
		for _, f := range t.features[start:end] {
			dst = append(dst, float32(scale*roots[l.rarity[f]])*l.focus[f])
		}
		start = end
	}
	return dst
}
