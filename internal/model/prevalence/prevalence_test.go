package prevalence

import (
	"bytes"
	"math"
	"testing"

	"earshot"
	"earshot/internal/model/sentiment"
)

// toy has two classes, four cells and one profile: cell 3 is frequent in class 0, cell 4 in class 1.
func toy(settings Settings) *Estimator {
	return New(&Task{
		Classes: 2, Settings: settings,
		Centers: [][]float64{{0.5, 0.5}, {1, 0}, {0, 1}, {0.8, 0.2}, {0.2, 0.8}},
		Profiles: []Profile{
			{Source: "a", Language: "en", Counts: [][]float64{{0, 0, 0, 9000, 1000}, {0, 0, 0, 4000, 6000}}},
		},
	})
}

func TestEstimateCorrectsConfusion(t *testing.T) {
	e := toy(Settings{Language: 1, Domain: 1})
	// Of 100 posts of class 0 and 100 of class 1, 130 are in cell 3. Counting says 65%.
	got := e.Estimate([]Group{{Language: "en", Cell: 3, Posts: 130}, {Language: "en", Cell: 4, Posts: 70}})
	if math.Abs(got[0].Share-0.5) > 0.02 || math.Abs(got[0].Share+got[1].Share-1) > 1e-9 {
		t.Errorf("got %v, want even shares", got)
	}
	for _, s := range got {
		if !(0 <= s.Low && s.Low < s.Share && s.Share < s.High && s.High <= 1) {
			t.Errorf("got interval %v", s)
		}
	}
}

func TestCertainPostsCountAsTheyAre(t *testing.T) {
	e := toy(Settings{Language: 1, Domain: 1, Known: 0.1})
	got := e.Estimate([]Group{{Cell: 1, Posts: 30}, {Cell: 2, Posts: 10}})
	if want := (Share{0.75, 0.75, 0.75}); got[0] != want {
		t.Errorf("got %v, want %v", got[0], want)
	}
	got = e.Estimate([]Group{{Cell: 1, Posts: 50}, {Language: "en", Cell: 4, Posts: 50}})
	if got[0].Low < 0.5 || got[0].Share > 0.7 {
		t.Errorf("got %v, want at least the 50 posts of 100 that are certain", got[0])
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
	known, unknown := Sentiments().Estimate(group("en")), Sentiments().Estimate(group("xx"))
	if known[0].High-known[0].Low >= unknown[0].High-unknown[0].Low {
		t.Errorf("got %v for English, %v for an unknown language", known[0], unknown[0])
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
