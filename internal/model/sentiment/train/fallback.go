package train

import (
	"math/rand/v2"

	"earshot/internal/model/sentiment"
)

// fitFallback fits a classifier on signals alone, for languages without training data. It trains on
// the languages that have training data, except English, whose lexicons are better.
func fitFallback(examples []example, s settings) [sentiment.Signals + 1][sentiments]float32 {
	const rows = sentiment.Signals + 1
	w := newWeights(rows, sentiments)
	random := rand.New(rand.NewPCG(s.Seed, nets))
	for epoch := range 20 {
		rate := float32(0.1 / float32(epoch+1))
		for range examples {
			e := &examples[random.IntN(len(examples))]
			if e.set != "umsab" || e.language == "en" || e.language == "hi" {
				continue
			}
			x := append(e.signals[:len(e.signals):len(e.signals)], 1)
			out := make([]float32, sentiments)
			for i, signal := range x {
				axpy3(out, signal, w.at(int32(i)))
			}
			softmax(out)
			for i, signal := range x {
				for k := range out {
					w.update(i*sentiments+k, float32(signal*(out[k]-e.target[k])), rate)
				}
			}
		}
	}
	var plain [rows][sentiments]float32
	for i := range plain {
		copy(plain[i][:], w.at(int32(i)))
	}
	return plain
}

func axpy3(y []float32, a float32, x []float32) {
	for k := range y {
		y[k] += float32(a * x[k])
	}
}
