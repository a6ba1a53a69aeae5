package segment

import (
	"testing"

	"earshot"
	"earshot/internal/poststore"
	"earshot/internal/query/watchlist"
)

// BenchmarkSelect selects rows of a segment of a million tweets.
func BenchmarkSelect(b *testing.B) {
	f := writeSegment(b, sharedTweets(b, 1_000_000))
	if _, err := f.Select(b.Context(), &poststore.Selection{Where: compileCondition(b, earshot.Criteria{Keywords: "warm"})}, nil); err != nil {
		b.Fatal(err)
	}
	for _, bench := range selectBenchmarks {
		b.Run(bench.name, func(b *testing.B) {
			selection := poststore.Selection{Where: compileCondition(b, bench.criteria)}
			b.ReportAllocs()
			rows := uint64(0)
			for b.Loop() {
				picked, err := f.Select(b.Context(), &selection, nil)
				if err != nil {
					b.Fatal(err)
				}
				rows = picked.GetCardinality()
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}

var selectBenchmarks = []struct {
	name     string
	criteria earshot.Criteria
}{
	{"rare term", earshot.Criteria{Keywords: "word4711"}},
	{"term", earshot.Criteria{Keywords: "obama"}},
	{"very common term", earshot.Criteria{Keywords: "the"}},
	{"phrase and term not term", earshot.Criteria{Keywords: `"donald trump" AND america -hillary`}},
	{"phrase", earshot.Criteria{Keywords: `"donald trump"`}},
	{"phrase of common words", earshot.Criteria{Keywords: `"of the"`}},
	{"near", earshot.Criteria{Keywords: "trump NEAR/5 people"}},
	{"or of 20", earshot.Criteria{Keywords: "obama OR hillary OR police OR love OR life OR god OR media OR white OR black OR women OR clinton OR vote OR today OR america OR world OR music OR man OR day OR house OR war"}},
	{"or of 20 phrases", earshot.Criteria{Keywords: `"donald trump" OR "hillary clinton" OR "white house" OR "black people" OR "fake news" OR "to be" OR "in the" OR "of the" OR "on the" OR "to the" OR "if you" OR "for the" OR "is a" OR "this is" OR "in a" OR "i am" OR "it is" OR "at the" OR "with the" OR "we are"`}},
	{"prefix", earshot.Criteria{Keywords: "ukrain*"}},
	{"short prefix", earshot.Criteria{Keywords: "st*"}},
	{"pattern", earshot.Criteria{Keywords: "t*mp"}},
	{"term and filters", earshot.Criteria{
		Keywords: "trump", Gender: earshot.Female,
		Places:    earshot.Choice{Values: []string{"USA"}},
		Languages: earshot.Choice{Values: []string{"EN"}},
	}},
	{"common term and filters", earshot.Criteria{
		Keywords: "the", Gender: earshot.Female,
		Places:    earshot.Choice{Values: []string{"USA"}},
		Languages: earshot.Choice{Values: []string{"EN"}},
	}},
	{"filters", earshot.Criteria{
		Gender:    earshot.Female,
		Places:    earshot.Choice{Values: []string{"USA"}},
		Languages: earshot.Choice{Values: []string{"EN"}},
	}},
	{"author", earshot.Criteria{Keywords: "author:news"}},
	{"hashtag", earshot.Criteria{Keywords: "hashtags:news"}},
	{"followers", earshot.Criteria{Keywords: "trump authorFollowers:[10000 TO 100000]"}},
	{"as written", earshot.Criteria{Keywords: "{BREAKING}"}},
}

func compileCondition(tb testing.TB, c earshot.Criteria) *watchlist.Condition {
	tb.Helper()
	made, err := watchlist.Compile(1, c)
	if err != nil {
		tb.Fatal(err)
	}
	return made
}
