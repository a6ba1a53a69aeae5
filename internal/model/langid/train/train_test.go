package train

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/langid"
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
	more := "id\tlanguage\tlabel\ttext\nosc-1\tru\tneutral\tоеаин тсрыэ\nmoz-2\tru\tneutral\tтсрыэ ёщоеа\nmoz-3\tbg\tneutral\tвлкъо еаинт\n"
	dir := t.TempDir()
	for name, text := range map[string]string{
		"langid/langid_train.tsv.gz":      labeled,
		"emotion/xed_train.tsv.gz":        lines,
		"sentiment/umsab_train.tsv.gz":    "id\tlanguage\tlabel\ttext\n1\ten\tneutral\tetaoin shrdlu\n",
		"sentiment/more_sr_train.tsv.gz":  more,
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
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, compress(t, text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// statistics returns an n-gram file for two of the made-up languages.
func statistics(t *testing.T) []byte {
	return compress(t, "=bg\nвлкъоK\nвлM\n=ru\nыэёщоK\nыэL\n")
}

func TestBuildIsDeterministic(t *testing.T) {
	data := writeData(t)
	first, err := build(data, statistics(t), false)
	if err != nil {
		t.Fatal(err)
	}
	second, err := build(data, statistics(t), false)
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
	if _, err := build(t.TempDir(), statistics(t), false); err == nil {
		t.Error("no error without data")
	}
	data := writeData(t)
	for _, damaged := range [][]byte{nil, compress(t, "etaoA\n"), compress(t, "=en\nA\n")} {
		if _, err := build(data, damaged, false); !errors.Is(err, errBadNGrams) {
			t.Errorf("n-gram file of %d bytes: got error %v", len(damaged), err)
		}
	}
	writeGzip(t, filepath.Join(data, "langid/langid_train.tsv.gz"), "language\tkind\torigin\ttext\nen\tsentence\n")
	if _, err := build(data, statistics(t), false); err == nil {
		t.Error("no error for a row without text")
	}
}

// TestRegressionSeparatesLanguages checks that the trained weights separate new texts of the
// made-up languages.
func TestRegressionSeparatesLanguages(t *testing.T) {
	all, err := readCorpora(writeData(t), false)
	if err != nil {
		t.Fatal(err)
	}
	c := newCorpus(all["Cyrillic"])
	n := number(c)
	l := newRegression(config{script: "Cyrillic", buckets: 1 << 12, rows: 200}, c, n, naiveBayes(c, n))
	l.train()
	index := map[uint32]int32{}
	for i, g := range l.ngrams {
		index[g] = int32(i)
	}
	chance := rand.New(rand.NewPCG(5, 6))
	scores := make([]float32, len(c.languages))
	for k, language := range c.languages {
		for range 50 {
			text := sentence([]rune(alphabets[language]), chance)
			var ngrams []int32
			_, words := langid.NGrams(text)
			for _, g := range slices.Concat(words...) {
				if i, ok := index[g]; ok {
					ngrams = append(ngrams, i)
				}
			}
			l.score(scores, ngrams)
			if scores[k] <= scores[1-k] {
				t.Errorf("%q is detected as %s", text, c.languages[1-k])
			}
		}
	}
}

// TestPostSources checks which posts are used: all sources for languages that have no others, open
// sources for all languages, and only open sources on request.
func TestPostSources(t *testing.T) {
	data := writeData(t)
	f := func(open bool, want map[string]int) {
		t.Helper()
		all, err := readCorpora(data, open)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int{}
		for _, languages := range all {
			for language, texts := range languages {
				if len(texts.posts) > 0 {
					got[language] = len(texts.posts)
				}
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("open: %v: got posts %v, want %v", open, got, want)
		}
	}
	f(false, map[string]int{"bg": 1, "en": 17, "ru": 17})
	f(true, map[string]int{"ru": 1})
}

// TestShares checks that the two standards of Norwegian are weighted by their proportion, that two
// levels halve a share, and that letters of several scripts are skipped.
func TestShares(t *testing.T) {
	all := corpora{}
	err := all.addShares(compress(t, "=nb\nerC\n=nn\neiC\n=mk\nџјеA\naџC\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := append(all["Latin"]["no"].shares, all["Cyrillic"]["mk"].shares...)
	want := []share{{"er", 0.7 * 0.5}, {"ei", 0.3 * 0.5}, {"џје", 1}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestNumberEstimatesCounts(t *testing.T) {
	all := corpora{}
	if err := all.addShares(compress(t, "=mk\nџјеA\nџјеаоU\nојаооW\n")); err != nil {
		t.Fatal(err)
	}
	n := number(&corpus{languages: []string{"mk"}, texts: []*texts{all["Cyrillic"]["mk"]}})
	counts := map[int32]int{}
	for _, count := range n.counts {
		counts[count]++
	}
	if counts[1_000_000] != 1 || counts[976] != 1 || counts[488] != 1 || len(n.languages[0].fragments) != 2 {
		t.Errorf("got counts %v and %d fragments", counts, len(n.languages[0].fragments))
	}
}

func TestTopVotes(t *testing.T) {
	got := topVotes([]float32{-1, 3, -1, -0.5, 2, -1})
	want := [2]langid.Vote{{Language: 1, Weight: 4}, {Language: 4, Weight: 3}}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestGradientsSumToZero(t *testing.T) {
	scores := []float32{1, 0.5, -20}
	steep := gradients(scores, 1, nil)
	if sum := scores[0] + scores[1]; math.Abs(float64(sum)) > 1e-6 || scores[1] > -0.6 || scores[2] != 0 {
		t.Errorf("got %v, want a sum of 0, negative only for the second", scores)
	}
	if !slices.Equal(steep, []int{0, 1}) {
		t.Errorf("got gradients for %v, want the first two", steep)
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
