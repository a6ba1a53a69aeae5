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
	maxWords       = 160_000
	maxNGrams      = 90_000
	maxWordNGrams  = 60_000
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
	list := slices.Clone(t.spellings)
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
	h := &sentiment.Head{Version: sentiment.Version, Fallback: plain, Scale: [2]float32{1, 1}}
	weight := 1 / float32(len(t.members))
	for i, n := range t.members {
		for f := range filters {
			at := i*filters + f
			for k := range outputs {
				h.Max[at][k] = n.head.at(int32(f))[k] * weight * steps[at]
				h.Sum[at][k] = n.head.at(int32(filters + f))[k] * weight * steps[at]
			}
		}
		for j := range 2 * sentiment.Signals {
			for k, x := range n.head.at(int32(2*filters + j)) {
				h.Signals[j/sentiment.Signals][j%sentiment.Signals][k] += x * weight
			}
		}
	}
	for i, code := range earshot.Languages {
		language := strings.ToLower(code)
		if language == "hi" {
			language = "en" // romanized Hindi is mixed with English and has no training data
		}
		if number, ok := t.vocabulary.biases[language]; ok {
			h.Bias[i] = sentiment.Row(t.biases.at(number))
			h.Trained[i] = trainedBits(strings.ToLower(code))
		}
	}
	return h
}

// trainedBits returns a bit mask of the training data that a language has.
func trainedBits(language string) uint8 {
	var bits uint8
	if labeledLanguages[language] {
		bits |= sentiment.TrainedSentiment
	}
	if language == "en" || slices.Contains(filmLanguages, language) {
		bits |= sentiment.TrainedEmotion
	}
	if slices.Contains(filteredLanguages, language) {
		bits |= sentiment.TrainedFilters
	}
	return bits
}

// filteredLanguages are the languages with filters: English, and Hindi, which posts mix with
// English.
var filteredLanguages = []string{"en", "hi"}
