package train

import (
	"bytes"
	"maps"
	"math"
	"slices"
	"testing"

	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// tiny returns a set of texts on which training takes little time.
func tiny() []text {
	var texts []text
	for i := range 200 {
		good := text{set: "semeval", source: "semeval", language: "en", text: []string{"what a lovely day", "lovely lovely cake", "so lovely to see you"}[i%3]}
		good.setSentiment("positive", 1)
		good.setEmotions("joy", 1)
		bad := text{set: "semeval", source: "semeval", language: "en", text: []string{"what an awful day", "awful awful cake", "so awful to see you"}[i%3]}
		bad.setSentiment("negative", 1)
		bad.setEmotions("anger,disgust", 1)
		plain := text{set: "semeval", source: "semeval", language: "en", text: []string{"a day in may", "the cake is here", "see you there"}[i%3]}
		plain.setSentiment("neutral", 1)
		plain.setEmotions("neutral", 1)
		texts = append(texts, good, bad, plain)
	}
	return texts
}

func trainTiny(t *testing.T) map[string][]byte {
	t.Helper()
	lexiconFile := sentiment.EncodeLexicon([]uint64{1}, []sentiment.Entry{{Valence: 1}})
	lexicon, err := sentiment.OpenLexicon(lexiconFile)
	if err != nil {
		t.Fatal(err)
	}
	s := defaults
	s.Epochs = 3
	texts := tiny()
	balanceClasses(texts, countClasses(texts), s)
	v := newVocabulary(texts, lexicon, s)
	examples := v.examples(texts, lexicon)
	known := vectors{classify.Hash("lovely"): make([]float32, dims)}
	team := trainEnsemble(v, known, examples, s)
	files, err := encode(team, lexiconFile, fitFallback(examples, s))
	if err != nil {
		t.Fatal(err)
	}
	if err := calibrate(files, texts[:30]); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTrainingIsReproducible(t *testing.T) {
	files := trainTiny(t)
	m, err := sentiment.Open(files)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text          string
		mood, emotion int
	}{{"a lovely cake", 0, 0}, {"an awful cake", 2, 3}, {"the cake is there", 1, 2}} {
		s, e := m.Infer(c.text, "en", sentiment.Social)
		if s.Assigned() != c.mood || e.Assigned() != c.emotion && c.emotion != 3 {
			t.Errorf("%q: %v %v", c.text, s, e)
		}
	}
	again := trainTiny(t)
	if !maps.EqualFunc(files, again, bytes.Equal) {
		t.Error("training twice gives different files")
	}
}

func TestBalanceClasses(t *testing.T) {
	texts := make([]text, 10)
	for i := range texts {
		texts[i] = text{set: "a", source: "a"}
		texts[i].setSentiment([]string{"positive", "neutral", "neutral", "neutral", "negative"}[i%5], 2)
	}
	s := defaults
	s.BalanceSentiment = 1
	balanceClasses(texts, countClasses(texts), s)
	var weights [sentiments]float64
	for _, tt := range texts {
		for k := range weights {
			weights[k] += float64(tt.weight[0] * tt.target[k])
		}
	}
	for k := range weights {
		if math.Abs(weights[k]-20.0/3) > 1e-5 {
			t.Errorf("class %d weighs %g, want %g", k, weights[k], 20.0/3)
		}
	}
}

func TestFineEmotionsMustBeUnambiguous(t *testing.T) {
	for _, c := range []struct {
		fine string
		want [sentiments]float32
		set  bool
	}{
		{"joy,love", [sentiments]float32{1, 0, 0}, true},
		{"neutral", [sentiments]float32{0, 1, 0}, true},
		{"anger,gratitude", [sentiments]float32{0.5, 0, 0.5}, true},
		{"joy,surprise", [sentiments]float32{}, false},
	} {
		var tt text
		tt.setFineEmotions(c.fine, 0.5)
		if got := [sentiments]float32(tt.target[:sentiments]); got != c.want || (tt.weight[0] != 0) != c.set {
			t.Errorf("%s: %v with weight %g, want %v", c.fine, got, tt.weight[0], c.want)
		}
	}
}

func TestDistillBlendsHardAndSoftLabels(t *testing.T) {
	var tt text
	tt.setSentiment("positive", 1)
	s := settings{DistillSentiment: 0.5, DistillEmotion: 1}
	tt.distill([outputs]byte{51, 102, 102, 255, 0, 0, 0, 0, 0, 0}, s)
	want := [outputs]float32{0.6, 0.2, 0.2} // emotion has no weight, so it does not change
	for k := range want {
		if math.Abs(float64(tt.target[k]-want[k])) > 1e-6 {
			t.Fatalf("got %v, want %v", tt.target, want)
		}
	}
}

func TestTruncateKeepsWholeWords(t *testing.T) {
	long := string(bytes.Repeat([]byte("word "), 100))
	if got := truncate(long); len(got) > maxPostBytes || got[len(got)-4:] != "word" {
		t.Errorf("truncated to %q", got)
	}
	if got := truncate("short"); got != "short" {
		t.Errorf("got %q", got)
	}
}

func TestBalanceBiasImprovesRecall(t *testing.T) {
	var list []judged
	for i := range 90 {
		shares := []float32{0.4, 0.3, 0.3}
		shares[i%3] += 0.1
		// The correct class stands out, but positive has the highest score throughout.
		shares[(i+1)%3] -= 0.1
		right := make([]bool, sentiments)
		right[i%3] = true
		list = append(list, judged{Outcome: classify.Outcome{Scores: shares, Correct: right}})
	}
	shift := balanceBias(list, []int{0, 1, 2}, math.Sqrt)
	if shift[1] <= shift[0] || shift[2] <= shift[0] {
		t.Errorf("shift %v does not favor the classes after the first", shift)
	}
	var found [sentiments]int
	for _, j := range shiftedOutcomes(list, []int{0, 1, 2}, shift) {
		if best := slices.Index(j.Scores, slices.Max(j.Scores)); j.Correct[best] {
			found[best]++
		}
	}
	if found != [sentiments]int{30, 30, 30} {
		t.Errorf("%v of 30 texts of each class are correct", found)
	}
}

func TestCalibrationIsForTheClassesThatOccur(t *testing.T) {
	var list []judged
	for i := range 200 {
		o := classify.Outcome{Scores: []float32{0.2, 0.6, 0.2}, Correct: make([]bool, sentiments)}
		o.Scores[i%2*2] += 0.1
		o.Correct[i%2*2] = true
		list = append(list, judged{Outcome: o})
	}
	classes := presentClasses(list)
	if !slices.Equal(classes, []int{0, 2}) {
		t.Fatalf("classes %v occur, want positive and negative", classes)
	}
	for _, o := range shiftedOutcomes(list, classes, make([]float32, sentiments)) {
		if len(o.Scores) != 2 || math.Abs(float64(o.Scores[0]+o.Scores[1]-1)) > 1e-6 {
			t.Fatalf("scores %v, want two that sum to 1", o.Scores)
		}
	}
}

func TestGroupsSeparateSources(t *testing.T) {
	f := func(tt text, task int, want string) {
		t.Helper()
		if got := tt.group(task); got != want {
			t.Errorf("the group of %s, task %d, is %q, want %q", tt.set, task, got, want)
		}
	}
	f(text{set: "more sentiment", source: "moz", language: "de"}, 0, "de more")
	f(text{set: "umsab", source: "umsab", language: "de"}, 0, "de umsab")
	f(text{set: "posts", source: "posts", language: "en"}, 0, "en semeval")
	f(text{set: "posts", source: "posts", language: "en"}, 1, "en goemotions")
	f(text{set: "posts", source: "posts", language: "ru"}, 0, "ru posts")
	f(text{set: "phrases", source: "phrases", language: "ja"}, 0, "ja phrases")
}

func TestFragment(t *testing.T) {
	const file = "sentiment/semeval_en_train.tsv.gz"
	f := func(text, name, want string) {
		t.Helper()
		if got := fragment(text, name, 17); got != want {
			t.Errorf("the fragment %s of %q is %q, want %q", name, text, got, want)
		}
	}
	f("a b c d e f g h i j k l", file+"#1", "e f g h i j k l")
	f("a b c d e f g h i j k l", file+"#2", "g h i j k l")
	f("a b c d e f g h", file+"#1", "")
	f("a b c d e f g h", file+"#2", "c d e f g h")
}
