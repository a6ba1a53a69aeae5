package train

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"earshot/internal/model/classify"
	"earshot/internal/model/dataset"
	"earshot/internal/model/sentiment"
)

// readTexts reads the training sets, excluding texts that also appear in a dev set.
func readTexts(data string, labels softLabels, s settings) ([]text, error) {
	var all []text
	for _, set := range sets {
		if s.Open && !set.open {
			continue
		}
		texts, err := set.read(data, labels, s)
		if err != nil {
			return nil, err
		}
		all = append(all, texts...)
	}
	posts, err := readPosts(data, labels, s)
	if err != nil {
		return nil, err
	}
	phrases := readPhrases(s)
	for i := range phrases {
		phrases[i].source = "phrases"
	}
	all, err = withoutDevSets(data, slices.Concat(all, posts, phrases))
	if err != nil {
		return nil, err
	}
	balanceClasses(all, countClasses(all), s)
	return all, nil
}

// A set is a file of labeled texts.
type set struct {
	name, file string
	open       bool // a license allows use; of the more files, it depends on the source
	held       int  // one in held texts is for validation, see classify.HeldOut; 0: none
	label      func(*text, dataset.Row, settings)
}

var sets = slices.Concat([]set{
	{"semeval", "sentiment/semeval_en_train.tsv.gz", false, semEvalHeld, labelSemEval},
	{"umsab", "sentiment/umsab_train.tsv.gz", false, 10, labelUMSAB},
	{"reviews", "sentiment/uci_review_sentences_train.tsv.gz", true, 10, func(t *text, r dataset.Row, s settings) {
		t.domain = sentiment.Review
		t.setSentiment(r["label"], s.Reviews)
	}},
	{"news", "sentiment/newsmtsc_train.tsv.gz", true, 10, func(t *text, r dataset.Row, s settings) {
		t.domain = sentiment.News
		t.setSentiment(r["label"], s.News)
	}},
	{"sarcasm", "sentiment/sarcasm_train.tsv.gz", true, 0, labelSarcasm},
	{"goemotions", "emotion/goemotions_train.tsv.gz", true, 20, func(t *text, r dataset.Row, s settings) {
		t.domain = sentiment.Forum
		t.setEmotions(r["ekman"], 1)
		t.setFineEmotions(r["fine"], s.GoSentiment)
	}},
	{"smile", "emotion/smile_train.tsv.gz", true, 0, func(t *text, r dataset.Row, s settings) {
		t.setEmotions(r["ekman"], s.SMILE)
	}},
	{"xed", "emotion/xed_train.tsv.gz", true, 20, labelXED},
	{"langid", "langid/langid_train.tsv.gz", true, 0, labelNeutral},
}, moreSets("sentiment", "ar bg da de el en es fa fr he hi hr hu id it ja kk ko pl pt ro ru sk sl sr sv th tr ur zh", labelMore),
	moreSets("emotion", "en es fi id ko ro ru tr zh", labelMoreEmotion))

// smallLanguages have so few texts that one in ten would not suffice for calibration.
var smallLanguages = []string{"da", "ur"}

// moreSets returns the sets of many languages.
func moreSets(task, languages string, label func(*text, dataset.Row, settings)) []set {
	var list []set
	for language := range strings.FieldsSeq(languages) {
		held := 10
		if task == "sentiment" && slices.Contains(smallLanguages, language) {
			held = 4
		}
		list = append(list, set{"more " + task, fmt.Sprintf("%s/more_%s_train.tsv.gz", task, language), true, held, label})
	}
	return list
}

// read reads the texts of a set, and fragments of them that have soft labels.
func (set set) read(data string, labels softLabels, s settings) ([]text, error) {
	rows, err := dataset.Table(filepath.Join(data, set.file))
	if err != nil {
		return nil, err
	}
	var all []text
	for i, r := range rows {
		t := text{set: set.name, source: set.name, language: "en", text: r["text"]}
		if language := r["language"]; language != "" {
			t.language = language
		}
		set.label(&t, r, s)
		if t.weight == [2]float32{} {
			continue
		}
		t.held = set.held > 0 && classify.HeldOut(r["text"], set.held)
		if probabilities, ok := labels.find(set.file, i); ok {
			t.distill(probabilities, s)
		}
		all = append(all, t)
		if !t.held {
			all = append(all, labels.fragments(t, set.file, i, r["text"], s)...)
		}
	}
	return all, nil
}

// labelSemEval removes the links from all validation texts and from two in three training texts.
// Tweets with a link are more often neutral, but in many sets, such as TweetEval, and in many posts,
// links were cut off: a model that relies on links takes what is left for positive or negative.
func labelSemEval(t *text, r dataset.Row, _ settings) {
	t.setSentiment(r["label"], 1)
	if classify.HeldOut(r["text"], semEvalHeld) || classify.PrefixHash(t.text)>>8%3 != 0 {
		t.text = withoutLinks(t.text)
	}
}

// semEvalHeld is set.held of SemEval.
const semEvalHeld = 20

// withoutLinks removes the links from a text.
func withoutLinks(text string) string {
	if !strings.Contains(text, "http") {
		return text
	}
	words := strings.Split(text, " ")
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "http") }), " ")
}

// labelUMSAB skips Hindi, because its labels are unrelated to the texts, and English, most of whose
// rows are negative after those of the dev set of TweetEval were removed.
func labelUMSAB(t *text, r dataset.Row, s settings) {
	if t.language != "hi" && t.language != "en" {
		t.setSentiment(r["label"], s.UMSAB)
	}
}

// labelSarcasm labels sarcastic tweets. What an English author calls sarcastic is nearly always
// negative.
func labelSarcasm(t *text, r dataset.Row, s settings) {
	switch {
	case t.language != "en":
		t.source = "arsarcasm2"
		t.setSentiment(r["label"], s.More)
	case r["sarcastic"] == "1":
		t.setSentiment("negative", s.Sarcasm)
	}
}

// labelMore labels texts of many sources. The id begins with the source.
func labelMore(t *text, r dataset.Row, s settings) {
	t.source, _, _ = strings.Cut(r["id"], "-")
	t.domain = sourceDomains[t.source]
	if s.Open && slices.Contains(closedSources, t.source) {
		return
	}
	weight := s.More
	if t.language == "en" {
		weight = s.MoreEnglish
	}
	t.setSentiment(r["label"], weight)
}

func labelMoreEmotion(t *text, r dataset.Row, s settings) {
	t.source = r["origin"]
	if s.Open && slices.Contains(closedSources, t.source) {
		return
	}
	if t.source == "xed-neutral" {
		t.source = "film"
		t.setEmotions(r["ekman"], s.XED)
		return
	}
	weight := s.MoreEmotion
	if t.language == "en" {
		weight = s.SMILE
	}
	t.setEmotions(r["ekman"], weight)
}

// sourceDomains are the domains of the sources that are not social media.
var sourceDomains = domainsOf(map[sentiment.Domain]string{
	sentiment.Review: "sst husst sentipers series jrev kazsandra nsmc hirev smsa film magaza htl waimai shop asap svrev",
	sentiment.News:   "chabsa lcc lccnews europarl rusentne",
	sentiment.Forum:  "5ch",
})

func domainsOf(sources map[sentiment.Domain]string) map[string]sentiment.Domain {
	domains := map[string]sentiment.Domain{}
	for domain, list := range sources {
		for source := range strings.FieldsSeq(list) {
			domains[source] = domain
		}
	}
	return domains
}

// closedSources have no clear license. The README of the data folder marks them with [C].
var closedSources = strings.Fields(`moz bank sst sanders sentipers series hirev europarl sentipolc jrev 5ch sre15b sre15t
	sre16b sre16t ewect shop waimai xs htl svrev emoji magaza usc emoevent turkishtweets`)

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
func labelXED(t *text, r dataset.Row, s settings) {
	if r["ekman"] == "" {
		return
	}
	t.source = "film"
	t.text = strings.ReplaceAll(t.text, "[PERSON]", "@person")
	if t.language == "en" {
		t.setEmotions(r["ekman"], s.XEDEnglish)
		return
	}
	t.setEmotions(r["ekman"], s.XED)
	joy, surprise := t.target[3], t.target[8]
	if surprise > 0.4 {
		return // ambiguous
	}
	t.target[0] = joy / (1 - surprise)
	t.target[2] = max(1-t.target[0], 0)
	t.weight[0] = float32(s.XEDSentiment)
}

// labelNeutral labels news sentences, most of which are neutral, for languages whose other texts
// are all emotional.
func labelNeutral(t *text, r dataset.Row, s settings) {
	if r["kind"] != "sentence" || !slices.Contains(plainLanguages, t.language) {
		return
	}
	t.source, t.domain = "film", sentiment.News
	t.setSentiment("neutral", s.Neutral)
	t.setEmotions("neutral", s.Neutral)
}

// plainLanguages are the languages for which news sentences stand in for neutral posts: those of
// XED, and those whose labeled texts have few neutral ones.
var plainLanguages = strings.Fields("ar bg cs da de el es fa fi fr he hi hr hu id it ja ko nl no pl pt ro ru sk sl sr sv th tr ur zh")
