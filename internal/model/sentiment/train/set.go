package train

import (
	"slices"
	"strings"
)

// readTexts reads the sets that the model learns from. Texts that stand in a dev set
// too are left out.
func readTexts(data string, told judgements, s settings) ([]text, error) {
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
				if shares, ok := told.of(set.file, i); ok {
					t.listen(shares, s)
				}
				all = append(all, t)
			}
		}
	}
	posts, err := readPosts(data, told, s)
	if err != nil {
		return nil, err
	}
	all, err = withoutDev(data, slices.Concat(all, posts, readPhrases(s)))
	balance(all, s)
	return all, err
}

// A set is a file of labelled texts.
type set struct {
	name, file string
	label      func(*text, row, settings)
}

var sets = []set{
	{"semeval", "sentiment/semeval_en_train.tsv.gz", func(t *text, r row, s settings) {
		t.wantSentiment(r["label"], 1)
	}},
	{"umsab", "sentiment/umsab_train.tsv.gz", labelUMSAB},
	{"reviews", "sentiment/uci_review_sentences_train.tsv.gz", func(t *text, r row, s settings) {
		t.wantSentiment(r["label"], s.Reviews)
	}},
	{"news", "sentiment/newsmtsc_train.tsv.gz", func(t *text, r row, s settings) {
		t.wantSentiment(r["label"], s.News)
	}},
	{"goemotions", "emotion/goemotions_train.tsv.gz", func(t *text, r row, s settings) {
		t.wantEmotions(r["ekman"], 1)
		t.wantFine(r["fine"], s.GoSentiment)
	}},
	{"smile", "emotion/smile_train.tsv.gz", func(t *text, r row, s settings) {
		t.wantEmotions(r["ekman"], s.SMILE)
	}},
	{"xed", "emotion/xed_train.tsv.gz", labelXED},
	{"langid", "langid/langid_train.tsv.gz", labelNeutral},
}

// labelUMSAB leaves Hindi out: its labels go round whatever the text says.
func labelUMSAB(t *text, r row, s settings) {
	if t.language != "hi" {
		t.wantSentiment(r["label"], s.UMSAB)
	}
}

// Fine emotions of GoEmotions that are good and bad to feel, after its authors.
var (
	goodEmotions = strings.Fields("amusement excitement joy love desire optimism caring pride admiration gratitude relief approval")
	badEmotions  = strings.Fields("fear nervousness remorse embarrassment disappointment sadness grief disgust anger annoyance disapproval")
)

// wantFine sets the sentiment that follows from fine emotions, unless one of them may be
// either.
func (t *text) wantFine(fine string, weight float64) {
	labels := strings.Split(fine, ",")
	var shares [sentiments]float32
	for _, label := range labels {
		switch {
		case slices.Contains(goodEmotions, label):
			shares[0]++
		case label == "neutral":
			shares[1]++
		case slices.Contains(badEmotions, label):
			shares[2]++
		default:
			return
		}
	}
	for k, n := range shares {
		t.want[k] = n / float32(len(labels))
	}
	t.weight[0] = float32(weight)
}

// labelXED takes lines of films. Names in them were replaced; a mention is the nearest
// that posts have. For languages other than English the emotion gives a sentiment too.
func labelXED(t *text, r row, s settings) {
	if r["ekman"] == "" {
		return
	}
	t.text = strings.ReplaceAll(t.text, "[PERSON]", "@person")
	if t.language == "en" {
		t.set = "xed en"
		t.wantEmotions(r["ekman"], s.XEDEnglish)
		return
	}
	t.wantEmotions(r["ekman"], s.XED)
	joy, neutral, surprise := t.want[3], t.want[5], t.want[8]
	if surprise > 0.4 {
		return // may be either
	}
	known := 1 - surprise
	t.want[0], t.want[1] = joy/known, neutral/known
	t.want[2] = max(1-t.want[0]-t.want[1], 0)
	t.weight[0] = float32(s.XEDSentiment)
}

// labelNeutral takes sentences of news, of which most are neutral, for the languages
// whose other texts are all emotional.
func labelNeutral(t *text, r row, s settings) {
	if r["kind"] != "sentence" || !slices.Contains(filmLanguages, t.language) {
		return
	}
	t.wantSentiment("neutral", s.Neutral)
	t.wantEmotions("neutral", s.Neutral)
}

// filmLanguages are those of XED, but for English.
var filmLanguages = strings.Fields("ar bg cs da de el es fa fi fr he hr hu id it nl no pl pt ro ru sk sl sr sv th tr zh")
