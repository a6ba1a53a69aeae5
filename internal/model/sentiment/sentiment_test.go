package sentiment

import (
	"math"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/test/testenv"
)

func newModel(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestSentimentOfClearTexts(t *testing.T) {
	m := newModel(t)
	names := []string{"positive", "neutral", "negative"}
	f := func(text, language, want string) {
		t.Helper()
		s, _ := m.Infer(text, language, Social)
		if got := names[s.Assigned()]; got != want {
			t.Errorf("%q in %q: %s %v, want %s", text, language, got, s, want)
		}
	}
	f("I love this", "en", "positive")
	f("worst service ever", "en", "negative")
	f("not bad at all", "en", "positive")
	f("I don't like it", "en", "negative")
	f("the meeting is at 5", "en", "neutral")
	f("Best day of my life!!! 😍", "en", "positive")
	f("so disappointed with my order, never again :(", "en", "negative")
	f("Apple will release its results on Thursday", "en", "neutral")
	f("Das ist schrecklich", "de", "negative")
	f("Ich liebe es, einfach wunderbar", "de", "positive")
	f("c'est génial 😍", "fr", "positive")
	f("quelle honte, c'est nul", "fr", "negative")
	f("me encanta, muchas gracias", "es", "positive")
	f("que vergüenza, es horrible", "es", "negative")
	f("adoro, muito bom", "pt", "positive")
	f("che schifo, pessimo", "it", "negative")
	f("هذا رائع جدا شكرا", "ar", "positive")

	f("I love this", "", "positive")
	f("worst service ever", "", "negative")
	f("😍😍", "", "positive")
	f("素晴らしい 😍", "ja", "positive")
	f("😡😡😡", "ko", "negative")

	f("0/10", "en", "negative")
	f("10/10 would recommend", "en", "positive")
	f("★★★★★", "", "positive")
	f("1/5", "eu", "negative")
}

func TestEmotionOfClearTexts(t *testing.T) {
	m := newModel(t)
	names := []string{"joy", "sadness", "neutral", "disgust", "anger", "surprise", "fear"}
	f := func(text, language, want string) {
		t.Helper()
		_, e := m.Infer(text, language, Social)
		if e.Assigned() < 0 {
			t.Errorf("%q in %q: no emotion, want %s", text, language, want)
		} else if got := names[e.Assigned()]; got != want {
			t.Errorf("%q in %q: %s %v, want %s", text, language, got, e, want)
		}
	}
	f("I am so happy for you, congratulations!", "en", "joy")
	f("I miss her so much, I can't stop crying", "en", "sadness")
	f("the meeting is at 5", "en", "neutral")
	f("that is disgusting and gross", "en", "disgust")
	f("I hate you, you stupid idiot", "en", "anger")
	f("wow, I did not expect that!", "en", "surprise")
	f("I'm terrified, this is really scary", "en", "fear")
	f("Olen niin iloinen, kiitos!", "fi", "joy")
	f("とても嬉しい！ありがとう", "ja", "joy")
	f("너무 행복해요 감사합니다", "ko", "joy")
	f("मैं बहुत खुश हूँ, धन्यवाद", "hi", "joy")
}

func TestLanguageWithoutTrainingDataHasNoEmotion(t *testing.T) {
	m := newModel(t)
	for _, language := range []string{"eu", "ku", "xx"} {
		if _, e := m.Infer("I love this 😍", language, Social); e.Assigned() != -1 {
			t.Errorf("%s: emotion %v, want none", language, e)
		}
	}
}

// Hindi shares word features and filters with English, but has its own lexicon, bias and scale.
func TestOnlyRomanizedHindiIsReadAsEnglish(t *testing.T) {
	m := newModel(t)
	f := func(text string, want bool) {
		t.Helper()
		s, e := m.Probabilities(text, "hi", Social)
		english, englishEmotions := m.Probabilities(text, "en", Social)
		if got := s == english && e == englishEmotions; got != want {
			t.Errorf("%q: read as English is %t, want %t", text, got, want)
		}
	}
	f("yaar this movie was really great", true)
	f("यह फोन बहुत अच्छा है", false)
	f("बहुत ही बेकार है पैसे बर्बाद", false)
}

func TestTextWithoutSignalsIsNeutralWithLowConfidence(t *testing.T) {
	m := newModel(t)
	for _, c := range []struct{ text, language string }{
		{"", "eu"}, {"", ""}, {"xqzt wvbn", ""}, {"mahaia eta aulkia", "eu"}, {"\x00\xff", "ku"},
	} {
		s, _ := m.Infer(c.text, c.language, Social)
		if s.Assigned() != earshot.Neutral || s[earshot.Neutral] > 60 {
			t.Errorf("%q in %q: %v, want neutral, at most 60", c.text, c.language, s)
		}
	}
}

func TestUnknownWordsLowerConfidence(t *testing.T) {
	m := newModel(t)
	known, _ := m.Probabilities("worst service ever", "en", Social)
	diluted, _ := m.Probabilities("worst qqzvx wvbnk zzxqj kwqvz service ever", "en", Social)
	if diluted[2] >= known[2] {
		t.Errorf("negative %.2f with unknown words, %.2f without", diluted[2], known[2])
	}
}

func TestProbabilitiesSumToOne(t *testing.T) {
	m := newModel(t)
	for _, text := range hostile {
		for _, language := range []string{"en", "de", "zh", "ja", "eu", "", "no such"} {
			s, e := m.Probabilities(text, language, Domain(len(text)%Domains))
			if sum := s[0] + s[1] + s[2]; math.Abs(float64(sum)-1) > 1e-5 {
				t.Errorf("%.20q in %q: sentiment sums to %g", text, language, sum)
			}
			var sum float32
			for _, share := range e {
				sum += share
			}
			if math.Abs(float64(sum)-1) > 1e-5 && sum != 0 {
				t.Errorf("%.20q in %q: emotion sums to %g", text, language, sum)
			}
		}
	}
}

var hostile = []string{
	"", " ", "\x00", "\xff\xfe\xfd", strings.Repeat("a", 16384), strings.Repeat("😍", 4000), strings.Repeat("!", 16000),
	strings.Repeat("not ", 4000), strings.Repeat("#", 5000), strings.Repeat("很", 5000), strings.Repeat("'", 5000), strings.Repeat("&amp;", 3000),
}

func TestTextBeyondMaxBytesIsIgnored(t *testing.T) {
	m := newModel(t)
	start := strings.Repeat("we meet at noon. ", 200)[:MaxBytes]
	s1, e1 := m.Probabilities(start, "en", Social)
	s2, e2 := m.Probabilities(start+" I hate all of this!!!", "en", Social)
	if s1 != s2 || e1 != e2 {
		t.Error("text beyond MaxBytes changes the result")
	}
}

func TestInferIsSafeForConcurrentUse(t *testing.T) {
	m := newModel(t)
	texts := append([]string{"I love this", "worst service ever", tweet}, hostile...)
	want := make([][3]float32, len(texts))
	for i, text := range texts {
		want[i], _ = m.Probabilities(text, "en", Social)
	}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for i, text := range texts {
				if got, _ := m.Probabilities(text, "en", Social); got != want[i] {
					t.Errorf("%.20q: %v, alone %v", text, got, want[i])
				}
			}
		})
	}
	wg.Wait()
}

func TestInferDoesNotAllocate(t *testing.T) {
	if testenv.Race {
		t.Skip("sync.Pool drops items under the race detector")
	}
	m := newModel(t)
	m.Infer(tweet, "en", Social)
	allocations := testing.AllocsPerRun(200, func() { m.Infer(tweet, "en", Social) })
	if allocations >= 1 { // the pool may be emptied in between
		t.Errorf("%g allocations per post, want none", allocations)
	}
}

func TestOpenRejectsInvalidFiles(t *testing.T) {
	good := Files{
		"words.bin": wordsFile, "parts.bin": ngramsFile, "spelt.bin": wordNGramsFile,
		"filters.bin": filtersFile, "lexicon.bin": lexiconFile, "head.bin": headFile,
	}
	for name, data := range good {
		bad := Files{}
		for n, d := range good {
			bad[n] = d
		}
		for _, broken := range [][]byte{nil, data[:len(data)-1], data[:7]} {
			bad[name] = broken
			if _, err := Open(bad); err == nil {
				t.Errorf("%s of %d bytes: no error", name, len(broken))
			}
		}
	}
	swapped := Files{}
	for n, d := range good {
		swapped[n] = d
	}
	swapped["words.bin"] = lexiconFile
	if _, err := Open(swapped); err == nil {
		t.Error("a lexicon instead of words: no error")
	}
}

func FuzzInfer(f *testing.F) {
	m := newModel(f)
	f.Add("I love this", "en")
	for _, text := range hostile {
		f.Add(text, "")
	}
	f.Fuzz(func(t *testing.T, text, language string) {
		s, e := m.Infer(text, language, Social)
		if sum := int(s[0]) + int(s[1]) + int(s[2]); sum != 100 {
			t.Errorf("sentiment sums to %d", sum)
		}
		sum := 0
		for _, share := range e {
			sum += int(share)
		}
		if sum != 0 && sum != 100 {
			t.Errorf("emotion sums to %d", sum)
		}
	})
}
