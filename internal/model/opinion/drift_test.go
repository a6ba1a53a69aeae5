package opinion

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"earshot"
	"earshot/internal/model/quantify"
	"earshot/internal/test/testenv"
)

// TestDrift trains on tweets of 2015-01 to 2016-06 and estimates some of the months after them. It
// checks that intervals hold although the tweets have changed, and that no draw of training documents
// gives estimates that are much worse than counting.
func TestDrift(t *testing.T) {
	testenv.SkipUnderRace(t) // other tests cover training under the race detector
	early, names := readTexts(t, "category", "opinion/troll_category_train")
	months := map[string][]map[string]string{}
	for _, r := range readRows(t, "opinion/troll_category_dev") {
		months[r["date"][:7]] = append(months[r["date"][:7]], r)
	}
	covered, all := 0.0, 0.0
	for _, each := range []int{20, 50, 50, 300} {
		random := rand.New(rand.NewPCG(uint64(all), 5))
		r := newTrial(early, names, each, 0, random)
		m := train(t, r.categories, r.train)
		e := quantify.New(len(names), m.Prior(), m.HeldOut())
		estimated, counted := 0.0, 0.0
		for _, month := range []string{"2016-08", "2016-12", "2017-04", "2017-07"} {
			var posts []quantify.Group
			truth := make([]float64, len(names))
			for _, row := range months[month] {
				p := earshot.Post{Contents: row["text"]}
				posts = append(posts, quantify.Group{Scores: m.Score(&p, nil), Posts: 1})
				truth[slices.Index(names, row["category"])] += 1 / float64(len(months[month]))
			}
			prevalence, count := e.Prevalence(posts), e.ByMethod(quantify.ClassifyAndCount, posts)
			for k, v := range e.Intervals(posts) {
				estimated += math.Abs(prevalence[k] - truth[k])
				counted += math.Abs(count[k] - truth[k])
				all++
				if v.Low <= truth[k] && truth[k] <= v.High {
					covered++
				}
			}
		}
		t.Logf("%d documents: %.2f of the error of counting", each, estimated/counted)
		if estimated > 1.05*counted {
			t.Errorf("%d documents: the error is %.2f of the error of counting", each, estimated/counted)
		}
	}
	t.Logf("coverage %.3f", covered/all)
	if covered/all < 0.93 {
		t.Errorf("coverage is %.3f", covered/all)
	}
}
