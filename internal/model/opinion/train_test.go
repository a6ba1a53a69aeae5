package opinion

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"earshot"
	"earshot/internal/test/testenv"
)

// vocabularies are the words that documents of each category consist of.
var vocabularies = [][]string{
	{"refund", "money", "charged", "twice", "bill", "invoice", "paid", "wrong"},
	{"love", "great", "friendly", "staff", "best", "thanks", "recommend", "happy"},
	{"late", "delay", "waiting", "hours", "gate", "cancelled", "again", "never"},
}

// sample returns documents with six words each, about three quarters of them from the document's
// own category.
func sample(categories, each int) (ids []earshot.CategoryID, docs []Document) {
	random := rand.New(rand.NewPCG(3, 4))
	for k := range categories {
		ids = append(ids, earshot.CategoryID(100+k))
		for i := range each {
			var text []string
			for range 6 {
				of := k
				if random.IntN(4) == 0 {
					of = random.IntN(categories)
				}
				text = append(text, word(of, random.IntN(8)))
			}
			url := fmt.Sprintf("https://example.com/%d/%d", k, i)
			docs = append(docs, Document{Category: ids[k], Post: earshot.Post{GUID: url, URL: url, Contents: strings.Join(text, " ")}})
		}
	}
	return ids, docs
}

func word(category, i int) string {
	if category < len(vocabularies) {
		return vocabularies[category][i]
	}
	return fmt.Sprintf("w%cx%c", 'a'+category%26, 'a'+i) + strings.Repeat("y", category/26)
}

func train(t testing.TB, categories []earshot.CategoryID, docs []Document) *Model {
	t.Helper()
	m, err := Train(t.Context(), categories, docs)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	data, err := m.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// score returns the scores of a text and checks that they are a probability distribution.
func score(t testing.TB, m *Model, text string) []float32 {
	t.Helper()
	scores := m.Score(&earshot.Post{Contents: text}, nil)
	var sum float64
	for _, score := range scores {
		if !(score >= 0 && score <= 1) {
			t.Fatalf("%q: scores %v", text, scores)
		}
		sum += float64(score)
	}
	if len(scores) != len(m.Categories) || math.Abs(sum-1) > 1e-5 {
		t.Fatalf("%q: %d scores that sum to %v", text, len(scores), sum)
	}
	return scores
}

func TestTrain(t *testing.T) {
	ids, docs := sample(3, 20)
	m := train(t, ids, docs)
	for text, want := range map[string]int{
		"They charged me twice and the bill is wrong": 0,
		"I love the friendly staff":                   1,
		"Hours of waiting at the gate, late again":    2,
	} {
		scores := score(t, m, text)
		if got := Argmax(scores); got != want || scores[got] < 0.7 {
			t.Errorf("%q: scores %v, want category %d highest", text, scores, want)
		}
	}
	for _, got := range score(t, m, "zzz") {
		if got < 0.1 || got > 0.6 {
			t.Errorf("scores of unknown words: %v", score(t, m, "zzz"))
		}
	}
	if got := m.HeldOut(); len(got) != len(docs) || got[0].Document != 1 || got[len(got)-1].Document != len(docs) {
		t.Errorf("%d examples of %d documents", len(got), len(docs))
	}
	if got := m.Prior(); !slices.Equal(got, []float64{1. / 3, 1. / 3, 1. / 3}) {
		t.Errorf("prior %v", got)
	}
}

func TestTrainIsDeterministic(t *testing.T) {
	ids, docs := sample(4, 25)
	docs = append(docs, docs[3], docs[60]) // includes copies of some
	want := encode(t, train(t, ids, docs))
	random := rand.New(rand.NewPCG(5, 6))
	for _, procs := range []int{1, 2, 5} {
		before := runtime.GOMAXPROCS(procs)
		random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
		got := encode(t, train(t, ids, docs))
		runtime.GOMAXPROCS(before)
		if !bytes.Equal(got, want) {
			t.Errorf("with GOMAXPROCS %d and another order, the model differs", procs)
		}
	}
}

func TestTrainWithDifferentSizes(t *testing.T) {
	for _, size := range []struct{ categories, each int }{{2, 1}, {2, 2}, {2, 10}, {3, 5}, {20, 3}, {50, 10}} {
		ids, docs := sample(size.categories, size.each)
		m := train(t, ids, docs)
		right := 0
		for _, d := range docs {
			right += toInt(m.Categories[Argmax(score(t, m, d.Post.Contents))] == d.Category)
		}
		if score := float64(right) / float64(len(docs)); score < 0.9 {
			t.Errorf("%d categories of %d documents: accuracy on the training set is %.2f", size.categories, size.each, score)
		}
		if size.each >= 10 && m.Report().Accuracy < 0.8 {
			t.Errorf("%d categories of %d documents: accuracy %.2f", size.categories, size.each, m.Report().Accuracy)
		}
	}
}

func TestCategoriesHaveEqualWeight(t *testing.T) {
	ids, docs := sample(2, 60)
	docs = docs[:70] // 60 and 10
	m := train(t, ids, docs)
	if got := m.Categories[Argmax(score(t, m, "great staff, love it"))]; got != ids[1] {
		t.Errorf("the smaller category is not recognized: %d", got)
	}
	if got := m.Categories[Argmax(score(t, m, "charged twice, wrong bill"))]; got != ids[0] {
		t.Errorf("the larger category is not recognized: %d", got)
	}
}

func TestIdenticalTexts(t *testing.T) {
	ids, docs := sample(3, 12)
	for i := range docs {
		if docs[i].Category == ids[1] {
			docs[i].Post.Contents = "the same words every time"
		}
	}
	m := train(t, ids, docs)
	if scores := score(t, m, "the same words every time"); scores[1] < 0.5 {
		t.Errorf("scores %v", scores)
	}
	// All copies are in the same fold, so no model was trained on any of them.
	for _, l := range m.HeldOut() {
		if l.Category == 1 && l.Scores[1] > 0.7 {
			t.Errorf("a copy was predicted from other copies: scores %v", l.Scores)
		}
	}
}

func TestEmptyTexts(t *testing.T) {
	ids, docs := sample(2, 10)
	for i := range docs {
		docs[i].Post.Contents = ""
	}
	m := train(t, ids, docs)
	if scores := score(t, m, ""); math.Abs(float64(scores[0]-0.5)) > 0.01 {
		t.Errorf("scores %v for an empty text", scores)
	}
	ids, docs = sample(2, 10)
	docs[0].Post.Contents = ""
	score(t, train(t, ids, docs), "")
}

func TestLongTexts(t *testing.T) {
	ids, docs := sample(2, 10)
	docs[0].Post.Contents = strings.Repeat(docs[0].Post.Contents+" ", 16384/len(docs[0].Post.Contents))
	docs[1].Post.Contents = strings.Repeat("字", 16384)
	m := train(t, ids, docs)
	if scores := score(t, m, strings.Repeat("refund the money! ", 1000)); scores[0] < 0.6 {
		t.Errorf("scores %v", scores)
	}
	score(t, m, strings.Repeat("\xff\xfe", 9000))
}

func TestScripts(t *testing.T) {
	for name, texts := range map[string][2][]string{
		"Arabic":  {{"الخدمة سيئة جدا", "خدمة سيئة ومتأخرة", "أسوأ خدمة", "الخدمة متأخرة"}, {"أحب هذا المكان", "مكان رائع جدا", "المكان جميل ورائع", "أحب المكان"}},
		"Chinese": {{"服务太差了", "这个服务很差", "态度差，服务慢", "服务差劲"}, {"我喜欢这里的风景", "风景真美", "这里风景很漂亮", "喜欢风景"}},
		"Hindi":   {{"सेवा बहुत खराब है", "खराब सेवा", "सेवा खराब और धीमी", "बहुत खराब सेवा"}, {"यह जगह सुंदर है", "सुंदर जगह", "बहुत सुंदर जगह है", "जगह सुंदर लगी"}},
		"Thai":    {{"บริการแย่มาก", "บริการไม่ดี แย่", "แย่ที่สุด บริการช้า", "บริการช้าแย่"}, {"สวยมากที่นี่", "วิวสวยงาม", "ที่นี่สวยจริง", "สวยงามมาก"}},
		"Korean":  {{"서비스가 너무 나빠요", "나쁜 서비스", "서비스 나쁨", "서비스가 나빴어요"}, {"풍경이 아름다워요", "아름다운 풍경", "풍경 아름답다", "정말 아름다운 풍경"}},
		"emoji":   {{"😡😡", "😡", "👎😡", "😡👎👎"}, {"😍", "😍❤️", "❤️❤️", "😍😍❤️"}},
	} {
		var docs []Document
		for k, list := range texts {
			for i, text := range list[1:] {
				docs = append(docs, Document{Category: earshot.CategoryID(k), Post: earshot.Post{GUID: fmt.Sprint(i), Contents: text}})
			}
		}
		m := train(t, []earshot.CategoryID{0, 1}, docs)
		for k, list := range texts {
			if scores := score(t, m, list[0]); Argmax(scores) != k {
				t.Errorf("%s: %q has scores %v", name, list[0], scores)
			}
		}
	}
}

func TestInferredAttributesAreFeatures(t *testing.T) {
	ids, docs := sample(2, 15)
	for i := range docs {
		p := &docs[i].Post
		p.Contents = "same"
		p.GUID = fmt.Sprint(i)
		p.Title = fmt.Sprint("t", i) // makes the texts distinct
		p.Sentiment = earshot.Sentiment{90, 5, 5}
		if docs[i].Category == ids[1] {
			p.Sentiment = earshot.Sentiment{5, 5, 90}
		}
		if i%5 == 0 {
			p.Sentiment = earshot.Sentiment{} // not every document has inferred attributes
		}
	}
	m := train(t, ids, docs)
	good := m.Score(&earshot.Post{Contents: "same", Sentiment: earshot.Sentiment{85, 10, 5}}, nil)
	bad := m.Score(&earshot.Post{Contents: "same", Sentiment: earshot.Sentiment{0, 20, 80}}, nil)
	if good[0] < 0.6 || bad[1] < 0.6 {
		t.Errorf("scores of a good post %v, of a bad one %v", good, bad)
	}
}

func TestTrainFails(t *testing.T) {
	ids, docs := sample(2, 3)
	for _, c := range []struct {
		ids  []earshot.CategoryID
		docs []Document
		want string
	}{
		{ids[:1], docs[:3], "opinion: got 1 categories, want 2 to 255"},
		{ids, docs[:3], "opinion: category 101 has no documents"},
		{[]earshot.CategoryID{ids[0], 7}, docs, "opinion: a document has category 101, which is not a category of the model"},
		{[]earshot.CategoryID{ids[0], ids[1], ids[0]}, docs, "opinion: category 100 is listed twice"},
	} {
		if _, err := Train(t.Context(), c.ids, c.docs); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Train(canceled, ids, docs); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestScoreIsSafeForConcurrentUse(t *testing.T) {
	ids, docs := sample(3, 10)
	m := train(t, ids, docs)
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for i := range docs {
				a, b := m.Score(&docs[i].Post, nil), m.Score(&docs[i].Post, nil)
				if !slices.Equal(a, b) {
					t.Errorf("scores %v, then %v", a, b)
				}
			}
		})
	}
	wait.Wait()
}

func TestScoreDoesNotAllocate(t *testing.T) {
	if testenv.Race {
		t.Skip("sync.Pool drops items under the race detector")
	}
	ids, docs := sample(3, 10)
	m := train(t, ids, docs)
	scores := make([]float32, 0, 3)
	if n := testing.AllocsPerRun(100, func() { scores = m.Score(&docs[0].Post, scores[:0]) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestScoreAppends(t *testing.T) {
	ids, docs := sample(2, 5)
	m := train(t, ids, docs)
	scores := m.Score(&docs[0].Post, []float32{7})
	if len(scores) != 3 || scores[0] != 7 || !slices.Equal(scores[1:], m.Score(&docs[0].Post, nil)) {
		t.Errorf("appended: %v", scores)
	}
}

// TestPanicInFoldReachesCaller provokes a panic with an invalid feature. An unrecovered panic in a
// worker goroutine would end the process.
func TestPanicInFoldReachesCaller(t *testing.T) {
	c, err := newCorpus([]earshot.CategoryID{1, 2}, []Document{
		{Post: earshot.Post{URL: "a", Contents: "one"}, Category: 1}, {Post: earshot.Post{URL: "b", Contents: "two"}, Category: 2},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.examples[0].features = []uint32{1 << 30} // invalid index
	defer func() {
		if err, ok := recover().(error); !ok || !strings.Contains(err.Error(), "out of range") {
			t.Errorf("got %v", err)
		}
	}()
	_, err = c.crossValidate(t.Context())
	t.Errorf("got %v, want a panic", err)
}
