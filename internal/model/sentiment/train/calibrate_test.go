package train

import (
	"math"
	"slices"
	"testing"

	"earshot/internal/model/classify"
	"earshot/internal/model/sentiment"
)

// judgedAs returns n texts of class k with the given scores.
func judgedAs(n, k int, scores ...float32) []judged {
	list := make([]judged, n)
	for i := range list {
		list[i].Outcome = classify.Outcome{Scores: scores, Correct: make([]bool, len(scores))}
		list[i].Correct[k] = true
	}
	return list
}

// rareNeutral is a set with 4% neutral texts whose scores are those of an even mix.
func rareNeutral() []judged {
	return slices.Concat(
		judgedAs(320, 0, 0.6, 0.3, 0.1), judgedAs(160, 0, 0.3, 0.6, 0.1),
		judgedAs(320, 2, 0.1, 0.3, 0.6), judgedAs(160, 2, 0.1, 0.6, 0.3),
		judgedAs(30, 1, 0.2, 0.6, 0.2), judgedAs(10, 1, 0.6, 0.3, 0.1),
	)
}

func TestNaturalBiasFollowsTheClassMix(t *testing.T) {
	texts := slices.Concat(judgedAs(60, 0, 0.5, 0.5), judgedAs(20, 1, 0.5, 0.5))
	shift := naturalBias(texts, []int{0, 1})
	if odds := math.Exp(float64(shift[0] - shift[1])); math.Abs(odds-3) > 0.3 {
		t.Errorf("the odds of the first class are %.2f, want 3", odds)
	}
}

func TestShiftKeepsProbabilitiesCalibrated(t *testing.T) {
	texts, classes := rareNeutral(), []int{0, 1, 2}
	c := calibrator{utility: math.Sqrt, strength: 1}
	shift, balanced := c.chooseShift(texts, classes), balanceBias(texts, classes, math.Sqrt)
	_, got := fitScale(texts, shift)
	if _, before := fitScale(texts, balanced); before <= maxError || got > 0.6*before {
		t.Errorf("the calibration error is %.3f, and %.3f with balanced recall", got, before)
	}
	if shift[1] >= balanced[1] {
		t.Errorf("the shift of neutral is %.2f, want less than %.2f", shift[1], balanced[1])
	}
}

func TestDomainsNeedEnoughTexts(t *testing.T) {
	f := func(news, want int) {
		t.Helper()
		texts := judgedAs(news, 0, 0.5, 0.5)
		for i := range texts {
			texts[i].domain = sentiment.News
			texts[i].Correct = []bool{i%2 == 0, i%2 == 1}
		}
		c := calibrator{all: slices.Concat(texts, judgedAs(500, 0, 0.5, 0.5), judgedAs(500, 1, 0.5, 0.5))}
		if got := len(c.domainTexts(sentiment.News)); got != want {
			t.Errorf("with %d texts of news: %d texts, want %d", news, got, want)
		}
		if got := len(c.domainTexts(sentiment.Social)); got != news+1000 {
			t.Errorf("%d texts of unknown origin, want %d", got, news+1000)
		}
	}
	f(minValidation, minValidation)
	f(minValidation-2, minValidation-2+1000)
}

func TestScaleIsForTheClassesOfASet(t *testing.T) {
	// The set has no neutral texts. Without neutral, the confidence is 0.9, and so is the accuracy.
	texts := slices.Concat(judgedAs(90, 0, 0.45, 0.5, 0.05), judgedAs(10, 2, 0.45, 0.5, 0.05))
	scale, e := fitScale(texts, make([]float32, sentiments))
	if math.Abs(float64(scale)-1) > 0.01 || e > 0.001 {
		t.Errorf("scale %.3f with an error of %.3f, want 1 and none", scale, e)
	}
}

func TestPostsOutnumberMovieLines(t *testing.T) {
	lines := judgedAs(100, 0, 0.5, 0.5)
	for i := range lines {
		lines[i].film = true
	}
	f := func(posts, want int) {
		t.Helper()
		c := calibrator{all: slices.Concat(lines, judgedAs(posts, 0, 0.5, 0.5))}
		if c.thinFilm(); len(c.all) != want {
			t.Errorf("with %d posts: %d texts, want %d", posts, len(c.all), want)
		}
	}
	f(minValidation-1, minValidation-1+100)
	f(200, 200+200/filmShare)
	f(1000, 1000+100)
}

func TestFewTextsMoveTheScaleLess(t *testing.T) {
	f := func(n int, low, high float32) {
		t.Helper()
		texts := slices.Concat(judgedAs(n/2, 0, 0.9, 0.1), judgedAs(n/4, 1, 0.1, 0.9), judgedAs(n/4, 1, 0.9, 0.1))
		c := calibrator{all: texts, bias: new([sentiment.Domains]sentiment.Row), scale: new([sentiment.Domains][2]float32), utility: math.Sqrt, strength: 1}
		c.fitSmall(1)
		if got := c.scale[sentiment.Social][0]; got < low || got > high {
			t.Errorf("%d texts: scale %.3f, want %.2f to %.2f", n, got, low, high)
		}
	}
	f(minSmall-4, 1, 1)
	f(40, 0.8, 0.95)
	f(140, 0.6, 0.8)
}

func TestWithoutLinks(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		if got := withoutLinks(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	f("new album out now http://t.co/1 #music", "new album out now #music")
	f("https://t.co/1", "")
	f("no  links here", "no  links here")
}
