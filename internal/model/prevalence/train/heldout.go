package train

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/model/classify"
	"earshot/internal/model/dataset"
	"earshot/internal/model/sentiment"
)

// Labels in the data folder, in the order of earshot.Sentiment and earshot.Emotion.
var (
	sentimentNames = strings.Fields("positive neutral negative")
	emotionNames   = strings.Fields("joy sadness neutral disgust anger surprise fear")
)

// A HeldOut is a labeled text that the sentiment model is not trained on.
type HeldOut struct {
	Source     string
	Language   string
	Domain     sentiment.Domain
	Text       string
	Sentiments []int // indexes in [earshot.Sentiment]; empty if unknown
	Emotions   []int // indexes in [earshot.Emotion]; empty if unknown
}

// A heldOutFile is a file of which one in every texts is held out.
type heldOutFile struct {
	name   string
	every  int
	source string // "": as the row says
	skip   string // languages
}

// heldOutFiles lists the files of HeldOutTexts. Nothing is trained on emotions of TweetEval. In UMSAB,
// the labels of Hindi texts are unrelated to the texts, and the English texts are all negative.
var heldOutFiles = slices.Concat([]heldOutFile{
	{"sentiment/semeval_en_train.tsv.gz", 20, "semeval", ""},
	{"sentiment/umsab_train.tsv.gz", 10, "umsab", "en hi"},
	{"sentiment/newsmtsc_train.tsv.gz", 10, "newsmtsc", ""},
	{"emotion/goemotions_train.tsv.gz", 20, "goemotions", ""},
	{"emotion/tweeteval_emotion_train.tsv.gz", 1, "tweeteval", ""},
},
	moreFiles("sentiment", "ar bg da de el en es fa fr he hi hr hu id it ja kk ko pl pt ro ru sk sl sr sv th tr ur zh"),
	moreFiles("emotion", "en es fi id ko ro ru tr zh"))

func moreFiles(task, languages string) (list []heldOutFile) {
	for language := range strings.FieldsSeq(languages) {
		every := 10
		if task == "sentiment" && (language == "da" || language == "ur") {
			every = 4
		}
		list = append(list, heldOutFile{fmt.Sprintf("%s/more_%s_train.tsv.gz", task, language), every, "", ""})
	}
	return list
}

// Properties of sources: singleTopic sources are about one product or event, in a language with other
// sources; the texts of selected ones were selected by class.
var (
	singleTopic = strings.Fields("apple sanders selfdrive sxsw nusax")
	selected    = strings.Fields("umsab tweeteval xed-neutral")
)

// HeldOutTexts returns the texts of the training sets that internal/model/sentiment/train holds out.
func HeldOutTexts(data string) ([]HeldOut, error) {
	var all []HeldOut
	for _, f := range heldOutFiles {
		rows, err := dataset.Table(filepath.Join(data, f.name))
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			if f.every > 1 && !classify.HeldOut(r["text"], f.every) {
				continue
			}
			if t := f.read(r); !slices.Contains(strings.Fields(f.skip), t.Language) {
				all = append(all, t)
			}
		}
	}
	return all, nil
}

func (f *heldOutFile) read(r dataset.Row) HeldOut {
	prefix, _, _ := strings.Cut(r["id"], "-")
	t := HeldOut{
		Source: cmp.Or(f.source, r["origin"], prefix), Language: cmp.Or(r["language"], "en"), Text: r["text"],
	}
	t.Domain = sentiment.DomainOfDataset(t.Source)
	if year := r["source"]; f.source == "semeval" && len(year) > 4 {
		t.Source += " " + year[:4] // every year had other topics
	}
	if strings.HasPrefix(f.name, "emotion/") {
		for name := range strings.SplitSeq(r["ekman"], ",") {
			if k := slices.Index(emotionNames, name); k >= 0 {
				t.Emotions = append(t.Emotions, k)
			}
		}
	} else if k := slices.Index(sentimentNames, r["label"]); k >= 0 {
		t.Sentiments = []int{k}
	}
	return t
}
