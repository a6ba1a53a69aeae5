package train

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// Table sizes. Larger tables improve accuracy little and take more memory.
const (
	maxWords       = 330_000
	maxNGrams      = 180_000
	maxWordNGrams  = 110_000
	maxFilterWords = 30_000
)

// clip is the number of standard deviations at which weights are clipped.
const clip = 12

// encode returns the files of the model, before calibration.
func encode(t *ensemble, lexicon []byte, plain [sentiment.Signals + 1][sentiments]float32) (map[string][]byte, error) {
	filterFile, steps := t.encodeFilters()
	head, err := t.encodeHead(steps, plain).Encode()
	return map[string][]byte{
		"words.bin":   encodeWeights(&t.vocabulary.words, &t.words, maxWords),
		"parts.bin":   encodeWeights(&t.vocabulary.ngrams, &t.ngrams, maxNGrams),
		"spelt.bin":   t.encodeWordNGrams(),
		"filters.bin": filterFile,
		"lexicon.bin": lexicon,
		"head.bin":    head,
	}, err
}

// encodeWeights encodes the features with the largest total effect.
func encodeWeights(features *featureIndex, w *weights, maxFeatures int) []byte {
	type feature struct {
		i        int32
		strength float32
	}
	list := make([]feature, len(features.hashes))
	for i := range list {
		list[i].i = int32(i)
		for _, x := range w.at(int32(i)) {
			list[i].strength += float32(x * x)
		}
		list[i].strength *= float32(features.counts[features.hashes[i]])
	}
	slices.SortFunc(list, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.strength, a.strength), cmp.Compare(a.i, b.i))
	})
	list = list[:min(maxFeatures, len(list))]
	hashes, rows := make([]uint64, len(list)), make([][]float32, len(list))
	for i, f := range list {
		hashes[i], rows[i] = features.hashes[f.i], w.at(f.i)
	}
	return classify.EncodeTable(hashes, rows, clip)
}

// encodeWordNGrams encodes the summed n-gram weights of frequent words.
func (t *ensemble) encodeWordNGrams() []byte {
	list := slices.DeleteFunc(slices.Clone(t.spellings), func(w spelling) bool { return w.count < minWordCount })
	slices.SortStableFunc(list, func(a, b spelling) int { return cmp.Compare(b.count, a.count) })
	list = list[:min(maxWordNGrams, len(list))]
	hashes, rows := make([]uint64, len(list)), make([][]float32, len(list))
	for i, s := range list {
		var sum [outputs]float32
		for _, part := range s.ngrams {
			add(&sum, t.ngrams.at(part), 1)
		}
		hashes[i], rows[i] = s.hash, sum[:]
	}
	return classify.EncodeTable(hashes, rows, clip)
}

// encodeFilters encodes the projections of the most frequent words.
func (t *ensemble) encodeFilters() (data []byte, steps []float32) {
	list := make([]int32, len(t.tokens.hashes))
	for i := range list {
		list[i] = int32(i)
	}
	count := func(i int32) int32 { return t.tokens.counts[t.tokens.hashes[i]] }
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(count(b), count(a)) })
	list = list[:min(maxFilterWords, len(list))]
	hashes, rows := make([]uint64, len(list)), make([]classify.FilterRow, len(list))
	for i, tok := range list {
		hashes[i], rows[i] = t.tokens.hashes[tok], t.filterRow(tok)
	}
	var unknown []float32
	for _, n := range t.members {
		unknown = append(unknown, n.threshold.values...)
	}
	return classify.EncodeFilters(hashes, rows, unknown)
}

// filterRow returns the projections of a word onto the filters of all members.
func (t *ensemble) filterRow(tok int32) (row classify.FilterRow) {
	for _, n := range t.members {
		numbers := make([]float32, width)
		n.project(numbers, tok)
		for f, x := range n.threshold.values {
			numbers[filters+f] += x
		}
		row.First = append(row.First, numbers[:filters]...)
		row.Middle = append(row.Middle, numbers[filters:2*filters]...)
		row.Last = append(row.Last, numbers[2*filters:]...)
	}
	return row
}

func (t *ensemble) encodeHead(steps []float32, plain [sentiment.Signals + 1][sentiments]float32) *sentiment.Head {
	h := &sentiment.Head{Version: sentiment.Version, Fallback: plain}
	weight := 1 / float32(len(t.members))
	for i, n := range t.members {
		for f := range filters {
			at := i*filters + f
			for k := range outputs {
				h.Max[at][k] = n.head.at(int32(f))[k] * weight * steps[at]
				h.Sum[at][k] = n.head.at(int32(filters + f))[k] * weight * steps[at]
			}
		}
	}
	for i, code := range earshot.Languages {
		language := strings.ToLower(code)
		if h.Trained[i] = t.trained[language]; h.Trained[i] == 0 {
			continue
		}
		bias := t.languageBias(language)
		for d := range h.Bias[i] {
			h.Bias[i][d], h.Scale[i][d] = bias, [2]float32{1, 1}
		}
		for _, n := range t.members {
			for _, set := range signalSets(language) {
				for j := range sentiment.Signals {
					for k, x := range n.signals.at(set*sentiment.Signals + int32(j)) {
						h.Signals[i][j][k] += x * weight
					}
				}
			}
		}
	}
	return h
}

// languageBias returns the mean bias of the groups of texts of a language, weighted by the texts.
// The biases of a group are taken relative to their mean over the classes that it has.
func (t *ensemble) languageBias(language string) (bias sentiment.Row) {
	var weights sentiment.Row
	for _, g := range t.groups {
		if g.language != language {
			continue
		}
		row := t.biases.at(g.bias)
		var mean, classes float32
		for k := range row {
			if task(k) == g.task && !t.absent[g.bias][k] {
				mean, classes = mean+row[k], classes+1
			}
		}
		for k := range row {
			if task(k) == g.task && !t.absent[g.bias][k] {
				bias[k] += g.weight * (row[k] - mean/classes)
				weights[k] += g.weight
			}
		}
	}
	for k := range bias {
		if weights[k] > 0 {
			bias[k] /= weights[k]
		}
	}
	return bias
}
