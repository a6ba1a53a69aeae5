package opinion

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"earshot/internal/model/classify"
	"earshot/internal/test/testenv"
)

// A protocol defines how to sample training and test documents from a data set, with thresholds
// slightly below the results measured when they were set.
type protocol struct {
	name     string
	texts    map[string][]string
	names    []string // categories to choose from
	draw     int      // number of categories to sample; 0 means all
	each     int      // training documents per category
	draws    int
	accuracy float64 // minimum macro-averaged recall
	f1       float64 // minimum macro-averaged F1
	wrong    float64 // maximum calibration error
}

// TestAccuracy trains on random samples and tests on up to 100 other documents of each category.
func TestAccuracy(t *testing.T) {
	testenv.SkipUnderRace(t) // other tests cover training under the race detector
	questions, intents := readTexts(t, "category", "opinion/banking77_train", "opinion/banking77_dev")
	tweets, authors := readTexts(t, "category", "opinion/troll_category_train", "opinion/troll_category_dev")
	authors = slices.DeleteFunc(authors, func(name string) bool { return name == "Fearmonger" })
	many := slices.DeleteFunc(slices.Clone(intents), func(name string) bool { return len(questions[name]) < 120 })
	for _, p := range []protocol{
		{"6 intents, 20 questions each", questions, slices.DeleteFunc(slices.Clone(intents), func(name string) bool { return len(questions[name]) < 40 }), 6, 20, 20, 0.94, 0.94, 0.03},
		{"20 intents, 10 questions each", questions, many, 20, 10, 4, 0.81, 0.81, 0.05},
		{"20 intents, 100 questions each", questions, many, 20, 100, 1, 0.92, 0.92, 0.04},
		{"5 kinds of authors, 50 tweets each", tweets, authors, 0, 50, 8, 0.65, 0.65, 0.06},
	} {
		t.Run(p.name, p.test)
	}
}

// TestStance does the same for the stance of tweets toward five targets.
func TestStance(t *testing.T) {
	testenv.SkipUnderRace(t) // other tests cover training under the race detector
	for _, target := range []string{"abortion", "atheism", "climate", "feminist", "hillary"} {
		texts := readStance(t, target)
		if len(texts) == 0 {
			continue
		}
		names := slices.DeleteFunc(slices.Sorted(maps.Keys(texts)), func(name string) bool { return len(texts[name]) < 40 })
		p := protocol{target, texts, names, 0, 20, 4, 0.42, 0.40, 0.25}
		t.Run(target, p.test)
	}
}

func readStance(t *testing.T, target string) map[string][]string {
	texts := map[string][]string{}
	for _, name := range []string{"opinion/tweeteval_stance_train", "opinion/tweeteval_stance_dev"} {
		for _, r := range readRows(t, name) {
			if r["target"] == target {
				texts[r["label"]] = append(texts[r["label"]], r["text"])
			}
		}
	}
	return texts
}

func (p protocol) test(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var accuracy, f1, wrong float64
	for range p.draws {
		names := slices.Clone(p.names)
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		if p.draw > 0 {
			names = names[:p.draw]
		}
		a, f, w := newTrial(p.texts, names, p.each, 100, random).measure(t)
		accuracy, f1, wrong = accuracy+a/float64(p.draws), f1+f/float64(p.draws), wrong+w/float64(p.draws)
	}
	t.Logf("accuracy %.3f, F1 %.3f, calibration error %.3f", accuracy, f1, wrong)
	if accuracy < p.accuracy || f1 < p.f1 || wrong > p.wrong {
		t.Errorf("accuracy %.3f, F1 %.3f, calibration error %.3f; want at least %.2f, %.2f, at most %.2f", accuracy, f1, wrong, p.accuracy, p.f1, p.wrong)
	}
}

// measure returns the macro-averaged recall and F1, and the calibration error.
func (r trial) measure(t *testing.T) (recall, f1, wrong float64) {
	m := train(t, r.categories, r.train)
	counts := make([][]int, len(r.categories))
	for k := range counts {
		counts[k] = make([]int, len(counts))
	}
	var judged []classify.Outcome
	for _, d := range r.test {
		scores := m.Score(&d.Post, nil)
		class := slices.Index(m.Categories, d.Category)
		counts[class][Argmax(scores)]++
		right := make([]bool, len(counts))
		right[class] = true
		judged = append(judged, classify.Outcome{Scores: scores, Correct: right})
	}
	for k := range counts {
		_, r, f := precisionRecall(counts, k)
		recall, f1 = recall+r/float64(len(counts)), f1+f/float64(len(counts))
	}
	return recall, f1, classify.CalibrationError(judged)
}

// TestHeldOutScoresMatchNewPosts compares the held-out scores of training documents with the scores
// of other documents.
func TestHeldOutScoresMatchNewPosts(t *testing.T) {
	testenv.SkipUnderRace(t) // other tests cover training under the race detector
	texts, names := readTexts(t, "category", "opinion/troll_category_train")
	names = slices.DeleteFunc(names, func(name string) bool { return name == "Fearmonger" })
	random := rand.New(rand.NewPCG(3, 4))
	var examples, posts mean
	for range 6 {
		r := newTrial(texts, names, 40, 200, random)
		m := train(t, r.categories, r.train)
		for _, l := range m.HeldOut() {
			examples.add(l.Scores, l.Category)
		}
		for _, d := range r.test {
			posts.add(m.Score(&d.Post, nil), slices.Index(m.Categories, d.Category))
		}
	}
	t.Logf("examples: %v, new posts: %v", examples, posts)
	if d := examples.top/examples.n - posts.top/posts.n; d < -0.03 || d > 0.03 {
		t.Errorf("the mean top score is %.3f for examples, %.3f for new posts", examples.top/examples.n, posts.top/posts.n)
	}
	if d := examples.right/examples.n - posts.right/posts.n; d < -0.03 || d > 0.03 {
		t.Errorf("accuracy is %.3f for examples, %.3f for new posts", examples.right/examples.n, posts.right/posts.n)
	}
}

type mean struct{ n, top, right float64 }

func (m *mean) add(scores []float32, class int) {
	top := Argmax(scores)
	m.n++
	m.top += float64(scores[top])
	m.right += float64(toInt(top == class))
}

func (m mean) String() string {
	return fmt.Sprintf("top score %.3f, accuracy %.3f", m.top/m.n, m.right/m.n)
}
