package bench

import (
	"flag"
	"testing"

	"earshot/internal/test/testenv"
)

// TestMeasure measures what people who change the code want to know: how often explanations of spikes
// are right, and what training, signals and pictures cost. One of them is TestMeasure/explanations.
func TestMeasure(t *testing.T) {
	testenv.SkipUnlessLong(t)
	for _, b := range []Bench{explanations(maxPerHour), training(100), signalsCost, imagesCosts} {
		t.Run(b.Name, func(t *testing.T) {
			report, err := b.Run(t.Context(), Options{Count: *size, Seed: *seed, Sample: *posts, Progress: t.Output(), Serve: serve})
			if err != nil {
				t.Fatal(err)
			}
			testenv.LogJSON(t, report)
		})
	}
}

var (
	size  = flag.Int("size", 0, "`number` of trials, or of posts; 0 means what the documents say")
	seed  = flag.Uint64("seed", 1, "random seed: each `number` generates different posts")
	posts = flag.String("posts", "", "`file` of JSON lines, optionally gzipped, to build posts from (default: generated texts)")
)
