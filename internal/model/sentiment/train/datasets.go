package train

import (
	"slices"
	"strings"
)

// readTexts reads the training sets, excluding texts that also appear in a dev set.
func readTexts(data string, labels softLabels, s settings) ([]text, error) {
	var all []text
	for _, set := range sets {
		rows, err := readTable(data, set.file)
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			t := text{set: set.name, language: "en", text: r["text"]}
			if language := r["language"]; language != "" {
				t.language = language
			}
			set.label(&t, r, s)
			if t.weight != [2]float32{} {
				t.mix = [2]string{t.set, t.set}
				if probabilities, ok := labels.find(set.file, i); ok {
					t.distill(probabilities, s)
				}
				all = append(all, t)
			}
		}
	}
	posts, err := readPosts(data, labels, s)
	if err != nil {
		return nil, err
	}
	all, err = withoutDevSets(data, slices.Concat(all, posts, readPhrases(s)))
	balanceClasses(all, s)
	return all, err
}

// A set is a file of labeled texts.
type set struct {
	name, file string
	label      func(*text, row, settings)
}

var sets = []set{
	{"semeval", "sentiment/semeval_en_train.tsv.gz", func(t *text, r row, s settings) {
		t.setSentiment(r["label"], 1)
	}},
	{"umsab", "sentiment/umsab_train.tsv.gz", labelUMSAB},
	{"reviews", "sentiment/uci_review_sentences_train.tsv.gz", func(t *text, r row, s settings) {
		t.setSentiment(r["label"], s.Reviews)
	}},
	{"news", "sentiment/newsmtsc_train.tsv.gz", func(t *text, r row, s settings) {
		t.setSentiment(r["label"], s.News)
	}},
	{"goemotions", "emotion/goemotions_train.tsv.gz", func(t *text, r row, s settings) {
		t.setEmotions(r["ekman"], 1)
		t.setFineEmotions(r["fine"], s.GoSentiment)
	}},
	{"smile", "emotion/smile_train.tsv.gz", func(t *text, r row, s settings) {
		t.setEmotions(r["ekman"], s.SMILE)
	}},
	{"xed", "emotion/xed_train.tsv.gz", labelXED},
	{"langid", "langid/langid_train.tsv.gz", labelNeutral},
}

// labelUMSAB skips Hindi, because its labels are unrelated to the texts.
func labelUMSAB(t *text, r row, s settings) {
	if t.language != "hi" {
		t.setSentiment(r["label"], s.UMSAB)
	}
}

// Positive and negative fine-grained emotions of GoEmotions, as grouped by its authors.
var (
	goodEmotions = strings.Fields("amusement excitement joy love desire optimism caring pride admiration gratitude relief approval")
	badEmotions  = strings.Fields("fear nervousness remorse embarrassment disappointment sadness grief disgust anger annoyance disapproval")
)

// setFineEmotions sets the sentiment implied by fine-grained emotions, unless one of them is
// ambiguous.
func (t *text) setFineEmotions(fine string, weight float64) {
	labels := strings.Split(fine, ",")
	var counts [sentiments]float32
	for _, label := range labels {
		switch {
		case slices.Contains(goodEmotions, label):
			counts[0]++
		case label == "neutral":
			counts[1]++
		case slices.Contains(badEmotions, label):
			counts[2]++
		default:
			return
		}
	}
	for k, n := range counts {
		t.target[k] = n / float32(len(labels))
	}
	t.weight[0] = float32(weight)
}

// labelXED labels movie lines. Names in them were replaced with [PERSON]; mentions are the closest
// equivalent in posts. For languages other than English, the emotion also implies a sentiment.
func labelXED(t *text, r row, s settings) {
	if r["ekman"] == "" {
		return
	}
	t.text = strings.ReplaceAll(t.text, "[PERSON]", "@person")
	if t.language == "en" {
		t.set = "xed en"
		t.setEmotions(r["ekman"], s.XEDEnglish)
		return
	}
	t.setEmotions(r["ekman"], s.XED)
	joy, neutral, surprise := t.target[3], t.target[5], t.target[8]
	if surprise > 0.4 {
		return // ambiguous
	}
	known := 1 - surprise
	t.target[0], t.target[1] = joy/known, neutral/known
	t.target[2] = max(1-t.target[0]-t.target[1], 0)
	t.weight[0] = float32(s.XEDSentiment)
}

// labelNeutral labels news sentences, most of which are neutral, for languages whose other texts
// are all emotional.
func labelNeutral(t *text, r row, s settings) {
	if r["kind"] != "sentence" || !slices.Contains(filmLanguages, t.language) {
		return
	}
	t.setSentiment("neutral", s.Neutral)
	t.setEmotions("neutral", s.Neutral)
}

// filmLanguages are the languages of XED except English.
var filmLanguages = strings.Fields("ar bg cs da de el es fa fi fr he hr hu id it nl no pl pt ro ru sk sl sr sv th tr zh")
