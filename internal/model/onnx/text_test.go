package onnx

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot"
)

// vocabularyFile returns a vocabulary of the size that the test model expects.
func vocabularyFile() string {
	lines := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "good", "bad", "film", "##s", "!"}
	for len(lines) < 50 {
		lines = append(lines, fmt.Sprint("[unused", len(lines), "]"))
	}
	return strings.Join(lines, "\n") + "\n"
}

const threeLabels = `{"id2label":{"0":"LABEL_0","1":"LABEL_1","2":"LABEL_2"}}`

// newTextModel saves a model with three labels.
func newTextModel(t testing.TB, beside map[string]string) (*bert, string) {
	b := newBert(2, 24, 3, 3)
	files := map[string]string{"vocab.txt": vocabularyFile(), "config.json": threeLabels}
	for name, text := range beside {
		files[name] = text
	}
	return b, b.graph().save(t, files)
}

func softmaxOf(v []float64) []float64 {
	total := 0.0
	for i := range v {
		v[i] = math.Exp(v[i])
		total += v[i]
	}
	for i := range v {
		v[i] /= total
	}
	return v
}

func TestTextScores(t *testing.T) {
	b, dir := newTextModel(t, nil)
	model, err := openText(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := model.head.labels, []string{"LABEL_0", "LABEL_1", "LABEL_2"}; !slices.Equal(got, want) {
		t.Errorf("labels: got %v, want %v", got, want)
	}
	f := func(text string, ids ...int64) {
		t.Helper()
		got, err := model.scores(text)
		if err != nil {
			t.Fatal(err)
		}
		want := softmaxOf(b.compute(ids))
		for i := range want {
			if math.Abs(float64(got[i])-want[i]) > 1e-4 {
				t.Errorf("%.20q: got %v, want %v", text, got, want)
				break
			}
		}
	}
	f("Good films!", 2, 4, 6, 7, 8, 3)
	f("", 2, 3)
	f("\x00\xff", 2, 3)
	f("weird", 2, 1, 3)
	f(strings.Repeat("bad ", 4000), slices.Concat([]int64{2}, slices.Repeat([]int64{5}, 126), []int64{3})...)
}

func TestTextIsSafeForConcurrentUse(t *testing.T) {
	_, dir := newTextModel(t, nil)
	model, err := openText(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"good", "bad films", "good good film !", "a b c d e f g"}
	var want [][]float32
	for _, text := range texts {
		scores, err := model.scores(text)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, scores)
	}
	var wg sync.WaitGroup
	for i := range 64 {
		wg.Go(func() {
			if got, err := model.scores(texts[i%4]); err != nil || !slices.Equal(got, want[i%4]) {
				t.Errorf("%q: got %v, %v, want %v", texts[i%4], got, err, want[i%4])
			}
		})
	}
	wg.Wait()
}

func TestSentimentProbabilities(t *testing.T) {
	b, dir := newTextModel(t, nil)
	model, err := OpenSentiment(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.Infer("good")
	if err != nil {
		t.Fatal(err)
	}
	scores := softmaxOf(b.compute([]int64{2, 4, 3}))
	for i, class := range []int{earshot.Negative, earshot.Neutral, earshot.Positive} {
		if math.Abs(float64(got[class])-scores[i]) > 1e-4 {
			t.Errorf("label %d: got %v, want %v", i, got[class], scores[i])
		}
	}
}

func TestEmotionProbabilitiesSumLabels(t *testing.T) {
	b, dir := newTextModel(t, map[string]string{
		"labels.txt":   "joy\nLove\nthe_rest\n",
		"earshot.json": `{"classes":{"the_rest":"Fear"},"maxTokens":32}`,
	})
	model, err := OpenEmotion(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.Infer("bad")
	if err != nil {
		t.Fatal(err)
	}
	scores := softmaxOf(b.compute([]int64{2, 5, 3}))
	if math.Abs(float64(got[earshot.Joy])-scores[0]-scores[1]) > 1e-4 || math.Abs(float64(got[earshot.Fear])-scores[2]) > 1e-4 {
		t.Errorf("got %v, want joy %v and fear %v", got, scores[0]+scores[1], scores[2])
	}
}

func TestMapLabels(t *testing.T) {
	f := func(labels, given string, known vocabulary, want string) {
		t.Helper()
		classes := make(map[string]string)
		for pair := range strings.FieldsSeq(given) {
			label, class, _ := strings.Cut(pair, "=")
			classes[label] = class
		}
		of, err := mapLabels(strings.Split(labels, ","), classes, known)
		got := fmt.Sprint(of)
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s with %s: got %s, want %s", labels, given, got, want)
		}
	}
	f("negative,neutral,positive", "", sentimentLabels, "[2 1 0]")
	f("NEG,NEU,POS", "", sentimentLabels, "[2 1 0]")
	f("LABEL_0,LABEL_1", "", sentimentLabels, "[2 0]")
	f("LABEL_0,LABEL_1,LABEL_2", "LABEL_0=positive LABEL_2=negative", sentimentLabels, "[0 1 2]")
	f("1 star,2 stars,3 stars,4 stars,5 stars", "", sentimentLabels, "[2 2 1 0 0]")
	f("positive,negative,skip", "skip=-", sentimentLabels, "[0 2 -1]")
	f("anger,joy,optimism,sadness", "", emotionLabels, "[4 0 0 1]")
	f("positive,odd", "", sentimentLabels, `label "odd" has no class; map it under classes in earshot.json, or map it to - to ignore it`)
	f("LABEL_0,LABEL_1", "", emotionLabels, `label "LABEL_0" has no class; map it under classes in earshot.json, or map it to - to ignore it`)
	f("LABEL_0,LABEL_1", "LABEL_0=junk", sentimentLabels, `label "junk" has no class; map it under classes in earshot.json, or map it to - to ignore it`)
	f("positive,negative", "neutral=positive", sentimentLabels, `the model has no label "neutral"; it has positive, negative`)
}

func TestMultiLabelScores(t *testing.T) {
	b, dir := newTextModel(t, map[string]string{
		"config.json": `{"id2label":{"0":"joy","1":"anger","2":"neutral"},"problem_type":"multi_label_classification"}`,
	})
	model, err := openText(dir, TextOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := model.scores("film")
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range b.compute([]int64{2, 6, 3}) {
		if want := 1 / (1 + math.Exp(-v)); math.Abs(float64(got[i])-want) > 1e-4 {
			t.Errorf("label %d: got %v, want %v", i, got[i], want)
		}
	}
}

func TestMaskNames(t *testing.T) {
	got := maskNames("hey @anna,  see https://example.com/x?y @ home")
	if want := "hey @user see http @ home"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestOpenTextErrors(t *testing.T) {
	tests := []struct {
		name   string
		beside map[string]string
		opts   TextOptions
		want   string
	}{
		{"fewer labels than outputs", map[string]string{"labels.txt": "a\nb\n"}, TextOptions{}, "the output of the model has 3 values in shape [1 3], but there are 2 labels"},
		{"labels without a number", map[string]string{"config.json": `{"id2label":{"one":"a"}}`}, TextOptions{}, `invalid label number "one"`},
		{"no labels", map[string]string{"config.json": `{}`}, TextOptions{}, "found 0 labels beside"},
		{"an unknown tokenizer", map[string]string{"tokenizer.json": `{"model":{"type":"X","vocab":{}}}`}, TextOptions{}, `not supported: tokenizer model "X"`},
		{"a vocabulary that is too large for the model", map[string]string{"vocab.txt": strings.Repeat("x\n", 60) + "[UNK]\n[CLS]\n[SEP]\n"}, TextOptions{}, "operator Gather"},
		{"an unknown setting", map[string]string{"earshot.json": `{"maxToken":3}`}, TextOptions{}, `unknown field "maxToken"`},
		{"too many tokens", nil, TextOptions{MaxTokens: 4096}, "maxTokens is 4096, must be from 8 to 512"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, dir := newTextModel(t, tt.beside)
			if _, err := openText(dir, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	t.Run("a missing folder", func(t *testing.T) {
		if _, err := openText(t.TempDir()+"/none", TextOptions{}); err == nil {
			t.Error("got no error")
		}
	})
	t.Run("a folder without a model", func(t *testing.T) {
		if _, err := openText(t.TempDir(), TextOptions{}); err == nil || !strings.Contains(err.Error(), "has no .onnx file") {
			t.Errorf("got %v", err)
		}
	})
}
