package train

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alphabets are the letters of made-up languages, two for each script.
var alphabets = map[string]string{
	"en": "etaoinshrdlu", "fi": "aeikltnsuoyä",
	"ru": "оеаинтсрыэёщ", "bg": "оеаинтсрвлкъ",
	"ar": "الميونترعسده", "fa": "الميونترپچگد",
	"hi": "कखगचजटडतदनपम", "mr": "कखगचजटडतदनपळ",
	"ja": "あいうえおかきくけこ日", "zh": "的一是不了人我在有他日",
}

func sentence(alphabet []rune, chance *rand.Rand) string {
	var b strings.Builder
	for range 6 {
		for range 3 + chance.IntN(6) {
			b.WriteRune(alphabet[chance.IntN(len(alphabet))])
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// writeData writes a folder of texts like the one that Build reads.
func writeData(t *testing.T) string {
	t.Helper()
	chance := rand.New(rand.NewPCG(3, 4))
	labeled, lines, posts := "language\tkind\torigin\ttext\n", "language\torigin\tekman\tplutchik\ttext\n", ""
	terms := "language\tterm\tscore\n"
	for _, language := range []string{"ar", "bg", "en", "fa", "fi", "hi", "ja", "mr", "ru", "zh"} {
		alphabet := []rune(alphabets[language])
		for range 80 {
			labeled += fmt.Sprintf("%s\tsentence\tmade\t%s\n", language, sentence(alphabet, chance))
			lines += fmt.Sprintf("%s\tmade\t\t\t%s\n", language, sentence(alphabet, chance))
			posts += fmt.Sprintf("{\"language\":%q,\"contents\":%q}\n", language, sentence(alphabet, chance))
		}
		terms += fmt.Sprintf("%s\t%s\t1\n", language, sentence(alphabet, chance))
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"langid/langid_train.tsv.gz":      labeled,
		"emotion/xed_train.tsv.gz":        lines,
		"sentiment/umsab_train.tsv.gz":    "id\tlanguage\tlabel\ttext\n1\ten\tneutral\ta post\n",
		"lexicons/afinn_multilang.tsv.gz": terms,
		"lexicons/stopwords.tsv.gz":       "language\tword\torigin\nen\tthe\tmade\n",
		"posts/twitter_posts.jsonl.gz":    posts,
	} {
		writeGzip(t, filepath.Join(dir, name), text)
	}
	return dir
}

func writeGzip(t *testing.T, name, text string) {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBuildIsDeterministic(t *testing.T) {
	data := writeData(t)
	first, err := Build(data)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Build(data)
	if err != nil {
		t.Fatal(err)
	}
	if len(first) != 1 || len(first["model.bin"]) == 0 {
		t.Fatalf("got %d files, want model.bin", len(first))
	}
	if !bytes.Equal(first["model.bin"], second["model.bin"]) {
		t.Error("building twice gives different files")
	}
}

func TestBuildRejectsInvalidData(t *testing.T) {
	if _, err := Build(t.TempDir()); err == nil {
		t.Error("no error without data")
	}
	data := writeData(t)
	writeGzip(t, filepath.Join(data, "langid/langid_train.tsv.gz"), "language\tkind\torigin\ttext\nen\tsentence\n")
	if _, err := Build(data); err == nil {
		t.Error("no error for a row without text")
	}
}

// TestRegressionSeparatesLanguages checks that the trained weights separate new texts of the
// made-up languages.
func TestRegressionSeparatesLanguages(t *testing.T) {
	all, err := readCorpora(writeData(t))
	if err != nil {
		t.Fatal(err)
	}
	c := all["Cyrillic"]
	l := newRegression(config{script: "Cyrillic", buckets: 1 << 12, rows: 200}, c, naiveBayes(c))
	l.train(c)
	chance := rand.New(rand.NewPCG(5, 6))
	scores := make([]float32, len(c.languages))
	for k, language := range c.languages {
		for range 50 {
			text := sentence([]rune(alphabets[language]), chance)
			l.score(scores, l.features(text))
			if scores[k] <= scores[1-k] {
				t.Errorf("%q is detected as %s", text, c.languages[1-k])
			}
		}
	}
}

func TestTopVotes(t *testing.T) {
	got := topVotes([]float32{-1, 3, -1, -0.5, 2, -1})
	if got[0].language != 1 || got[0].value != 4 || got[1].language != 4 || got[1].value != 3 {
		t.Errorf("got %+v, want 4 for the second language and 3 for the fifth", got)
	}
}

func TestGradientsSumToZero(t *testing.T) {
	scores := []float32{1, 0.5, -20}
	gradients(scores, 1)
	if sum := scores[0] + scores[1]; math.Abs(float64(sum)) > 1e-6 || scores[1] > -0.6 || scores[2] != 0 {
		t.Errorf("got %v, want a sum of 0, negative only for the second", scores)
	}
}

func TestExpAndLn(t *testing.T) {
	for x := -60.0; x <= 0; x += 0.37 {
		if got, want := exp(x), math.Exp(x); math.Abs(got-want) > 1e-9*want {
			t.Errorf("exp(%v): got %v, want %v", x, got, want)
		}
	}
	for x := 1e-9; x < 1e9; x *= 1.7 {
		if got, want := ln(x), math.Log(x); math.Abs(got-want) > 1e-9 {
			t.Errorf("ln(%v): got %v, want %v", x, got, want)
		}
	}
}
