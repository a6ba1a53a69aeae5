package opinion

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"earshot"
)

// twentyByHundred returns 100 questions in each of 20 categories that are easy to separate.
func twentyByHundred(b *testing.B) trial {
	texts, names := readTexts(b, "category", "opinion/banking77_train", "opinion/banking77_dev")
	var large []string
	for _, name := range names {
		if len(texts[name]) >= 100 {
			large = append(large, name)
		}
	}
	return newTrial(texts, large[:20], 100, 100, rand.New(rand.NewPCG(1, 1)))
}

// tweetsByHundred returns tweets with random labels. There is nothing to learn, which makes
// training slowest.
func tweetsByHundred(b *testing.B, categories int) (t trial) {
	for k := range categories {
		t.categories = append(t.categories, earshot.CategoryID(k+1))
	}
	for i, p := range readTweets(b, categories*100) {
		t.train = append(t.train, Document{Post: p, Category: t.categories[i%categories]})
	}
	return t
}

func BenchmarkTrain(b *testing.B) {
	for _, bench := range []struct {
		name  string
		trial trial
	}{
		{"Questions20x100", twentyByHundred(b)},
		{"Tweets20x100", tweetsByHundred(b, 20)},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				m, err := Train(b.Context(), bench.trial.categories, bench.trial.train)
				if err != nil {
					b.Fatal(err)
				}
				data, _ := m.AppendBinary(nil)
				b.ReportMetric(float64(len(data)), "bytes")
			}
		})
	}
}

func BenchmarkScore(b *testing.B) {
	for _, categories := range []int{6, 20} {
		t := tweetsByHundred(b, categories)
		m, err := Train(b.Context(), t.categories, t.train)
		if err != nil {
			b.Fatal(err)
		}
		posts := readTweets(b, 3000)
		b.Run(fmt.Sprint(categories), func(b *testing.B) {
			b.ReportAllocs()
			scores := make([]float32, 0, categories)
			for i := 0; b.Loop(); i++ {
				scores = m.Score(&posts[i%len(posts)], scores[:0])
			}
		})
	}
}
