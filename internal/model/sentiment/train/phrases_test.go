package train

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"earshot/internal/model/dataset"
	"earshot/internal/test/testenv"
)

const sharedData = "../../../../../shared/data"

func newPhrases(t *testing.T) []phrase {
	t.Helper()
	all, err := generatePhrases()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestPhrasesAreReproducible(t *testing.T) {
	texts := func(all []phrase) (list []string) {
		for _, p := range all {
			list = append(list, p.language+" "+p.text)
		}
		return list
	}
	once, again := texts(newPhrases(t)), texts(newPhrases(t))
	if !slices.Equal(once, again) {
		t.Error("the phrases differ from run to run")
	}
	slices.Sort(once)
	for i := range once[1:] {
		if once[i] == once[i+1] {
			t.Errorf("%q occurs twice", once[i])
		}
	}
}

func TestPhrasesHaveLabels(t *testing.T) {
	for _, p := range newPhrases(t) {
		if !slices.Contains(outputNames[:sentiments], p.sentiment) {
			t.Fatalf("%s: the sentiment is %q", p.line, p.sentiment)
		}
		if p.emotion != "" && !slices.Contains(outputNames[sentiments:], p.emotion) {
			t.Fatalf("%s: the emotion is %q", p.line, p.emotion)
		}
		if p.text == "" || strings.ContainsAny(p.text, "{|}") || strings.Contains(p.text, "  ") {
			t.Errorf("%s %s: %q", p.language, p.line, p.text)
		}
	}
}

// No sentiment is assigned to more than half of the phrases of a language.
func TestPhrasesAreBalanced(t *testing.T) {
	type count struct{ all, positive, neutral, negative int }
	counts := map[string]*count{}
	for _, p := range newPhrases(t) {
		c := counts[p.language]
		if c == nil {
			c = new(count)
			counts[p.language] = c
		}
		c.all++
		switch p.sentiment {
		case "positive":
			c.positive++
		case "neutral":
			c.neutral++
		case "negative":
			c.negative++
		}
	}
	for language, c := range counts {
		t.Logf("%s: %+v", language, *c)
		if half := c.all / 2; c.positive > half || c.neutral > half || c.negative > half || c.all < 200 {
			t.Errorf("%s: %+v", language, *c)
		}
	}
}

func TestEveryPatternExpands(t *testing.T) {
	texts := map[pattern]int{}
	for _, p := range newPhrases(t) {
		texts[*p.pattern]++
	}
	grammars, err := readPhraseGrammars()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range grammars {
		for _, p := range g.patterns {
			if texts[p] == 0 {
				t.Errorf("%s: %q only yields texts of earlier patterns", g.language, p.line)
			}
		}
	}
}

func TestFillReplacesNestedSlots(t *testing.T) {
	g := phraseGrammar{language: "en", lists: map[string][]string{"item": {"{|}orange"}}}
	p := pattern{line: "{Item}: a {item}{|, {red|red}}", expansions: 4}
	texts, err := g.expand(&p)
	if err != nil {
		t.Fatal(err)
	}
	for i := range texts {
		texts[i] = strings.ToLower(texts[i])
	}
	slices.Sort(texts)
	if want := []string{"orange: an orange", "orange: an orange, red"}; !slices.Equal(texts, want) {
		t.Errorf("got %q, want %q", texts, want)
	}
	if _, err := g.fill("{color}", nil); err == nil || err.Error() != "there is no list [$color]" {
		t.Errorf("unknown list: %v", err)
	}
}

// Phrases must not repeat what the model is measured with: no phrase has five consecutive words of a
// tricky sentence or consists of the same words as a shorter one.
func TestPhrasesDifferFromTrickySentences(t *testing.T) {
	rows, err := dataset.Table(filepath.Join(sharedData, "sentiment/tricky_dev.tsv.gz"))
	if errors.Is(err, fs.ErrNotExist) {
		testenv.SkipMissing(t, "no shared data")
	}
	if err != nil {
		t.Fatal(err)
	}
	whole, sequences := map[string]string{}, map[string]string{}
	for _, r := range rows {
		words := plainWords(r["text"])
		whole[strings.Join(words, " ")] = r["text"]
		for _, sequence := range fiveWords(words) {
			sequences[sequence] = r["text"]
		}
	}
	for _, p := range newPhrases(t) {
		words := plainWords(p.text)
		if tricky, ok := whole[strings.Join(words, " ")]; ok && len(words) > 0 {
			t.Errorf("%q (%s) is %q", p.text, p.line, tricky)
		}
		for _, sequence := range fiveWords(words) {
			if tricky, ok := sequences[sequence]; ok {
				t.Errorf("%q (%s) resembles %q", p.text, p.line, tricky)
			}
		}
	}
}

// plainWords returns the words of a text in lower case, without punctuation and symbols.
func plainWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(c rune) bool {
		return !unicode.IsLetter(c) && !unicode.IsMark(c) && !unicode.IsDigit(c) && c != '\'' && c != '/'
	})
}

func fiveWords(words []string) (sequences []string) {
	for i := 0; i+5 <= len(words); i++ {
		sequences = append(sequences, strings.Join(words[i:i+5], " "))
	}
	return sequences
}
