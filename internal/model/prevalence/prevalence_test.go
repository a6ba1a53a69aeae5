package prevalence

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/model/sentiment"
)

// toy has two classes, four cells and one profile: cell 3 is frequent in class 0, cell 4 in class 1,
// which is that of neutral texts.
func toy(settings Settings) *Estimator {
	return New(&Task{
		Classes: 2, Neutral: 1, Settings: settings,
		Assigned: [][]float64{{0.5, 0.5}, {1, 0}, {0, 1}, {1, 0}, {0, 1}},
		Profiles: []Profile{
			{Source: "a", Language: "en", Counts: [][]float64{{0, 0, 0, 9000, 1000}, {0, 0, 0, 4000, 6000}}},
		},
	})
}

func TestEstimateCorrectsConfusion(t *testing.T) {
	e := toy(Settings{})
	// Of 100 posts of class 0 and 100 of class 1, 130 are in cell 3. Counting says 65%. Some neutral
	// posts drift to cell 3 as well, so the estimate is a little lower.
	got := e.Estimate([]Group{{Language: "en", Cell: 3, Posts: 130}, {Language: "en", Cell: 4, Posts: 70}})
	if got[0].Share < 0.46 || got[0].Share > 0.5 || math.Abs(got[0].Share+got[1].Share-1) > 1e-9 {
		t.Errorf("got %v, want even shares", got)
	}
	for _, s := range got {
		if !(0 <= s.Low && s.Low < s.Share && s.Share < s.High && s.High <= 1) {
			t.Errorf("got interval %v", s)
		}
	}
}

func TestCountingAndTheTypicalMixShareInTheEstimate(t *testing.T) {
	groups := []Group{{Language: "en", Cell: 3, Posts: 900}, {Language: "en", Cell: 4, Posts: 100}}
	free := toy(Settings{}).Estimate(groups)[0].Share          // all posts are of class 0
	drawn := toy(Settings{Prior: 1}).Estimate(groups)[0].Share // the profile has as many texts of both classes
	counted := toy(Settings{Counting: 1}).Estimate(groups)[0].Share
	if math.Abs(counted-0.9) > 1e-9 {
		t.Errorf("counting: got %v, want 0.9", counted)
	}
	if free < 0.98 || drawn > 0.8 || drawn < 0.5 {
		t.Errorf("got %v, drawn toward even shares %v", free, drawn)
	}
	half := toy(Settings{Counting: 0.5}).Estimate(groups)[0].Share
	if want := (free + counted) / 2; math.Abs(half-want) > 1e-9 {
		t.Errorf("half counting: got %v, want %v", half, want)
	}
}

func TestIntervalsReachTowardCounting(t *testing.T) {
	groups := []Group{{Language: "en", Cell: 3, Posts: 650_000}, {Language: "en", Cell: 4, Posts: 350_000}}
	narrow := toy(Settings{}).Estimate(groups)[0]
	wide := toy(Settings{Stretch: 1}).Estimate(groups)[0]
	if narrow.High > 0.5 || wide.High < 0.65 || math.Abs(wide.Low-narrow.Low) > 0.01 {
		t.Errorf("got %v, stretched %v; counting says 0.65", narrow, wide)
	}
}

func TestSpreadsAndClassesHaveWidthsOfTheirOwn(t *testing.T) {
	e := toy(Settings{Known: 0.02, Unknown: 0.04, ClassFactors: []float64{0.5, 2}, Spreads: []Spread{{"en", sentiment.Social, 1.5}}})
	for key, want := range map[stratumKey][]float64{
		{"en", sentiment.Social}: {0.015, 0.06},
		{"en", sentiment.News}:   {0.02, 0.08},
		{"de", sentiment.Social}: {0.02, 0.08},
	} {
		got := e.prior(key).errors
		for k := range want {
			if math.Abs(got[k]-want[k]) > 1e-12 {
				t.Errorf("%v: got %v, want %v", key, got, want)
			}
		}
	}
}

// TestSourcesThatMisleadCountLittle checks the frequencies that a source without neutral texts, one
// about a single topic, and one in another language contribute.
func TestSourcesThatMisleadCountLittle(t *testing.T) {
	few, many := []float64{0, 0, 0, 9000, 1000}, []float64{0, 0, 0, 1000, 9000}
	f := func(other Profile, wantAtLeast float64) {
		t.Helper()
		task := &Task{Classes: 2, Neutral: 1, Assigned: make([][]float64, 5), Profiles: []Profile{
			{Source: "a", Language: "en", Counts: [][]float64{few, many}}, other,
		}}
		if got := task.frequencies(stratumKey{"en", sentiment.Social})[3][0]; got < wantAtLeast {
			t.Errorf("got frequency %v, want at least %v", got, wantAtLeast)
		}
	}
	f(Profile{Language: "en", Counts: [][]float64{many, nil}}, 0.8)
	f(Profile{Language: "en", SingleTopic: true, Counts: [][]float64{many, many}}, 0.8)
	f(Profile{Language: "de", Counts: [][]float64{many, many}}, 0.88)
}

func TestTypicalMixIsThatOfTheDomain(t *testing.T) {
	counts := func(a, b float64) [][]float64 { return [][]float64{{0, 0, 0, a}, {0, 0, 0, b}} }
	task := &Task{Classes: 2, Neutral: 1, Assigned: make([][]float64, 5), Profiles: []Profile{
		{Source: "a", Language: "en", Counts: counts(200, 1800)},
		{Source: "b", Language: "en", Counts: counts(9000, 1000), Selected: true},
		{Source: "c", Language: "en", Domain: sentiment.Review, Counts: counts(1800, 200)},
	}}
	for key, want := range map[stratumKey][2]float64{
		{"en", sentiment.Social}: {0.1, 0.2},
		{"de", sentiment.Social}: {0.25, 0.35}, // a source of another language counts less
		{"en", sentiment.Review}: {0.8, 0.9},
		{"en", sentiment.News}:   {0.5, 0.5},
	} {
		if got := task.typicalMix(key); got[0] < want[0] || got[0] > want[1] || math.Abs(got[0]+got[1]-1) > 1e-9 {
			t.Errorf("%v: got %v, want between %v", key, got, want)
		}
	}
}

func TestCertainPostsCountAsTheyAre(t *testing.T) {
	e := toy(Settings{Known: 0.1})
	got := e.Estimate([]Group{{Cell: 1, Posts: 30}, {Cell: 2, Posts: 10}})
	if want := (Share{0.75, 0.75, 0.75}); got[0] != want {
		t.Errorf("got %v, want %v", got[0], want)
	}
	got = e.Estimate([]Group{{Cell: 1, Posts: 50}, {Language: "en", Cell: 4, Posts: 50}})
	if got[0].Low < 0.5 || got[0].Share > 0.7 {
		t.Errorf("got %v, want at least the 50 posts of 100 that are certain", got[0])
	}
	if got[1].High > 0.5 {
		t.Errorf("got %v, want at most the 50 posts of 100 that are not certain", got[1])
	}
	if got := e.Estimate([]Group{{Cell: 0, Posts: 5}, {Cell: 3}}); got != nil {
		t.Errorf("got %v without scores", got)
	}
}

func TestIntervalsOfFewPostsAreWider(t *testing.T) {
	e := Sentiments()
	width := 0.0
	for _, posts := range []float64{10_000, 100, 10, 1} {
		got := e.Estimate([]Group{{Language: "en", Cell: earshot.Sentiment{80, 15, 5}.Cell(), Posts: posts}})
		if w := got[0].High - got[0].Low; w < width {
			t.Errorf("%v posts: got width %v after %v", posts, w, width)
		} else {
			width = w
		}
	}
}

func TestUnknownLanguagesHaveWiderIntervals(t *testing.T) {
	group := func(language string) []Group {
		return []Group{{Language: language, Cell: earshot.Sentiment{85, 10, 5}.Cell(), Posts: 500}, {Language: language, Cell: earshot.Sentiment{5, 10, 85}.Cell(), Posts: 500}}
	}
	known, unknown := Sentiments().Estimate(group("ru")), Sentiments().Estimate(group("xx"))
	if known[0].High-known[0].Low >= unknown[0].High-unknown[0].Low {
		t.Errorf("got %v for Russian, %v for an unknown language", known[0], unknown[0])
	}
}

func TestSmallStrataAreEstimatedTogether(t *testing.T) {
	e := Sentiments()
	cell := earshot.Sentiment{80, 15, 5}.Cell()
	all := e.Estimate([]Group{{Language: "en", Cell: cell, Posts: 60}})
	few := e.Estimate([]Group{{Language: "en", Cell: cell, Posts: 50}, {Language: "de", Cell: cell, Posts: 5}, {Language: "", Domain: sentiment.News, Cell: cell, Posts: 5}})
	for k := range all {
		if all[k] != few[k] {
			t.Errorf("got %v, want %v", few, all)
		}
	}
}

// TestBlends estimates posts of a language whose corrections hold, and of one whose corrections do not.
func TestBlends(t *testing.T) {
	shares := func(language string, counting float64) []Share {
		task := *Sentiments().task
		task.Counting, task.Blends = 0.9, []Blend{{Language: "de", Counting: counting}}
		return New(&task).Estimate([]Group{{Language: language, Cell: 20, Posts: 500}, {Language: language, Cell: 60, Posts: 500}})
	}
	counted, half, corrected := shares("de", 1), shares("de", 0.5), shares("de", 0)
	for k := range counted {
		if want := (counted[k].Share + corrected[k].Share) / 2; math.Abs(half[k].Share-want) > 1e-9 {
			t.Errorf("class %d: got %.4f, want %.4f, between %.4f and %.4f", k, half[k].Share, want, counted[k].Share, corrected[k].Share)
		}
	}
	if math.Abs(counted[0].Share-corrected[0].Share) < 0.01 {
		t.Errorf("the correction does nothing: got %v and %v", counted, corrected)
	}
	if a, b := shares("fr", 0), shares("fr", 1); !slices.Equal(a, b) {
		t.Errorf("French has the weight of German: got %v and %v", a, b)
	}
}

func TestTableEncodes(t *testing.T) {
	table, err := ReadTable(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	again, err := table.Encode()
	if err != nil || !bytes.Equal(again, tableFile) {
		t.Errorf("the table has another encoding, %v", err)
	}
	for _, task := range []Task{table.Sentiments, table.Emotions} {
		if len(task.Profiles) == 0 || task.Settings.Known <= 0 || task.Settings.Unknown < task.Settings.Known {
			t.Errorf("got %d profiles, settings %+v", len(task.Profiles), task.Settings)
		}
	}
}

func BenchmarkEstimate(b *testing.B) {
	var groups []Group
	for positive := earshot.Percent(0); positive <= 96; positive += 4 {
		for negative := earshot.Percent(0); positive+negative <= 96; negative += 4 {
			groups = append(groups, Group{Language: "en", Cell: earshot.Sentiment{positive, 100 - positive - negative, negative}.Cell(), Posts: 7})
		}
	}
	for b.Loop() {
		Sentiments().Estimate(groups)
	}
}
