package train

import (
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/model/classify"
	"earshot/internal/model/dataset"
)

// devSets are for evaluation, so their texts are not used for training.
var devSets = slices.Concat([]string{
	"sentiment/tweeteval_en_dev.tsv.gz", "sentiment/umsab_dev.tsv.gz", "sentiment/newsmtsc_dev.tsv.gz",
	"sentiment/sarcasm_dev.tsv.gz", "sentiment/tricky_dev.tsv.gz",
	"emotion/goemotions_dev.tsv.gz", "emotion/tweeteval_emotion_dev.tsv.gz", "emotion/xed_dev.tsv.gz",
}, devFiles(sets))

// devFiles returns the dev files of the sets of many languages.
func devFiles(sets []set) []string {
	var files []string
	for _, set := range sets {
		if strings.HasPrefix(set.name, "more ") {
			files = append(files, strings.Replace(set.file, "_train", "_dev", 1))
		}
	}
	return files
}

// withoutDevSets returns the texts that do not start like a text in a dev set.
func withoutDevSets(data string, texts []text) ([]text, error) {
	known := map[uint64]bool{}
	for _, name := range devSets {
		rows, err := dataset.Table(filepath.Join(data, name))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			known[classify.PrefixHash(r["text"])] = true
		}
	}
	return slices.DeleteFunc(texts, func(t text) bool { return known[classify.PrefixHash(t.text)] }), nil
}
