package train

import (
	"cmp"
	"slices"
	"strings"

	"earshot"
	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// How many of the strongest features, and of the most frequent words, the model keeps.
const (
	keptWords   = 160_000
	keptParts   = 90_000
	keptSpelt   = 60_000
	keptFilters = 30_000
)

// clip is where weights are cut, in deviations.
const clip = 12

// encode makes the files of the model, not calibrated yet.
func encode(t *team, lexicon []byte, plain [sentiment.Signals + 1][sentiments]float32) (map[string][]byte, error) {
	filterFile, steps := t.encodeFilters()
	head, err := t.encodeHead(steps, plain).Encode()
	return map[string][]byte{
		"words.bin":   encodeWeights(&t.vocabulary.words, &t.words, keptWords),
		"parts.bin":   encodeWeights(&t.vocabulary.parts, &t.parts, keptParts),
		"spelt.bin":   t.encodeSpelt(),
		"filters.bin": filterFile,
		"lexicon.bin": lexicon,
		"head.bin":    head,
	}, err
}

// encodeWeights keeps the features whose weights make the largest difference, in all.
func encodeWeights(features *numbering, w *weights, keep int) []byte {
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
	list = list[:min(keep, len(list))]
	hashes, rows := make([]uint64, len(list)), make([][]float32, len(list))
	for i, f := range list {
		hashes[i], rows[i] = features.hashes[f.i], w.at(f.i)
	}
	return classify.EncodeTable(hashes, rows, clip)
}

// encodeSpelt adds the weights of the letters of frequent words up.
func (t *team) encodeSpelt() []byte {
	list := slices.Clone(t.spelt)
	slices.SortStableFunc(list, func(a, b spelling) int { return cmp.Compare(b.count, a.count) })
	list = list[:min(keptSpelt, len(list))]
	hashes, rows := make([]uint64, len(list)), make([][]float32, len(list))
	for i, s := range list {
		var sum [outputs]float32
		for _, part := range s.parts {
			add(&sum, t.parts.at(part), 1)
		}
		hashes[i], rows[i] = s.hash, sum[:]
	}
	return classify.EncodeTable(hashes, rows, clip)
}

// encodeFilters writes what filters have for the most frequent words.
func (t *team) encodeFilters() (data []byte, steps []float32) {
	list := make([]int32, len(t.tokens.hashes))
	for i := range list {
		list[i] = int32(i)
	}
	count := func(i int32) int32 { return t.tokens.counts[t.tokens.hashes[i]] }
	slices.SortStableFunc(list, func(a, b int32) int { return cmp.Compare(count(b), count(a)) })
	list = list[:min(keptFilters, len(list))]
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

// filterRow returns what the filters of all members have for a word.
func (t *team) filterRow(tok int32) (row classify.FilterRow) {
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

// encodeHead brings the rest together.
func (t *team) encodeHead(steps []float32, plain [sentiment.Signals + 1][sentiments]float32) *sentiment.Head {
	h := &sentiment.Head{Version: sentiment.Version, Plain: plain, Sharpness: [2]float32{1, 1}}
	share := 1 / float32(len(t.members))
	for i, n := range t.members {
		for f := range filters {
			at := i*filters + f
			for k := range outputs {
				h.Most[at][k] = n.head.at(int32(f))[k] * share * steps[at]
				h.Sum[at][k] = n.head.at(int32(filters + f))[k] * share * steps[at]
			}
		}
		for j := range 2 * sentiment.Signals {
			for k, x := range n.head.at(int32(2*filters + j)) {
				h.Signals[j/sentiment.Signals][j%sentiment.Signals][k] += x * share
			}
		}
	}
	for i, code := range earshot.Languages {
		language := strings.ToLower(code)
		if language == "hi" {
			language = "en" // Hindi in Latin letters is mixed with English, and has no examples of its own
		}
		if number, ok := t.vocabulary.biases[language]; ok {
			h.Bias[i] = sentiment.Row(t.biases.at(number))
			h.Learnt[i] = learnt(strings.ToLower(code))
		}
	}
	return h
}

// learnt returns what there are examples of in a language.
func learnt(language string) uint8 {
	var bits uint8
	if learntWell[language] {
		bits |= sentiment.LearntSentiment
	}
	if language == "en" || slices.Contains(filmLanguages, language) {
		bits |= sentiment.LearntEmotion
	}
	if slices.Contains(filteredLanguages, language) {
		bits |= sentiment.LearntFilters
	}
	return bits
}

// filteredLanguages are looked at by filters: English, and Hindi as it is mixed with it.
var filteredLanguages = []string{"en", "hi"}
