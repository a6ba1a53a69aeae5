package insight_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
	"earshot/internal/poststore/memory"
	"earshot/internal/query/filter"
)

// samples are the samples of every monitor.
type samples []*earshot.LabelSample

func (s samples) Samples(earshot.MonitorID) []*earshot.LabelSample { return s }

// A judged world has 2,000 posts from March 5 to 14. The model takes 30% of the neutral posts for
// negative ones: it sees 44% negative, and there are 20%. On March 14, half of the posts are negative.
type judged struct {
	*insight.Service
	monitor *earshot.Monitor
	posts   []earshot.Post
	classes []int
	random  *rand.Rand
}

func newJudged(t testing.TB) *judged {
	t.Helper()
	w := &judged{monitor: buzz(), random: rand.New(rand.NewPCG(1, 1))}
	for i := range 2000 {
		class, negative := earshot.Neutral, 0.2
		day := 5 + i/200
		if day == 14 {
			negative = 0.5
		}
		if w.random.Float64() < negative {
			class = earshot.Negative
		}
		p := post(fmt.Sprint(i), fmt.Sprintf("2026-03-%02dT12:00:00Z", day), "coffee")
		p.Language = "en"
		switch {
		case class == earshot.Negative && w.random.Float64() < 0.9, class == earshot.Neutral && w.random.Float64() < 0.3:
			p.Sentiment = earshot.Sentiment{2, 8, 90}
		default:
			p.Sentiment = earshot.Sentiment{10, 80, 10}
		}
		if i%5 == 0 {
			p.Gender = earshot.Female
		}
		w.posts, w.classes = append(w.posts, p), append(w.classes, class)
	}
	w.Service = monitored(t, w.posts...)
	w.Uncorrected = w.Store
	return w
}

// label labels n random posts.
func (w *judged) label(n int) *earshot.LabelSample {
	sample := &earshot.LabelSample{Monitor: theMonitor}
	for _, i := range w.random.Perm(len(w.posts))[:n] {
		p := &w.posts[i]
		sample.Posts = append(sample.Posts, earshot.SampledPost{Post: p.Key(), Posted: p.Time, Labels: []earshot.PostLabel{{User: 1, Sentiment: w.classes[i] + 1}}})
	}
	return sample
}

// negative returns the share of negative posts on some days.
func (w *judged) negative(t testing.TB, from, to int) (insight.Proportion, int) {
	t.Helper()
	p, err := w.Proportions(t.Context(), w.monitor, between(from, to))
	if err != nil {
		t.Fatal(err)
	}
	return p.Total.Categories[earshot.Negative], p.Labels
}

func TestLabelsCalibrateShares(t *testing.T) {
	w := newJudged(t)
	truth := func(from, to int) float64 {
		all, negative := 0.0, 0.0
		for i, p := range w.posts {
			if d := p.Time.Day(); d >= from && d < to {
				all++
				if w.classes[i] == earshot.Negative {
					negative++
				}
			}
		}
		return negative / all
	}
	before, n := w.negative(t, 5, 15)
	if want := truth(5, 15); n != 0 || before.Share < want+0.1 {
		t.Fatalf("without labels: got %+v with %d labels; the truth is %.3f, and the model is wrong by far more than 0.1", before, n, want)
	}
	w.Samples = samples{w.label(9)}
	if few, n := w.negative(t, 5, 15); n != 0 || few.Share != before.Share {
		t.Errorf("9 labels: got %+v with %d labels, want %+v", few, n, before)
	}
	width := 1.0
	for _, labels := range []int{30, 100, 400} {
		const rounds = 60
		var got insight.Proportion
		hits, widths, want := 0, 0.0, truth(5, 15)
		for range rounds {
			w.Samples = samples{w.label(labels)}
			var n int
			if got, n = w.negative(t, 5, 15); n != labels {
				t.Fatalf("%d labels: %d are used", labels, n)
			}
			widths += (got.High - got.Low) / rounds
			if got.Low <= want && want <= got.High {
				hits++
			}
		}
		if hits < 54 || widths > 0.75*width {
			t.Errorf("%d labels: %d of %d intervals contain the truth, and they are %.3f wide after %.3f", labels, hits, rounds, widths, width)
		}
		width = widths
		o, err := w.Overview(t.Context(), w.monitor, insight.OverviewRequest{Days: between(5, 15), Parts: []insight.Part{insight.CategoriesPart}})
		if err != nil {
			t.Fatal(err)
		}
		if c := o.Categories[earshot.Negative]; o.Labels != labels || math.Abs(c.Share-got.Share) > 1e-9 || math.Abs(c.High-got.High) > 1e-9 {
			t.Errorf("%d labels: the overview has %+v with %d labels, want %+v", labels, c, o.Labels, got)
		}
		sum, err := w.Summary(t.Context(), w.monitor, between(5, 15))
		if err != nil {
			t.Fatal(err)
		}
		if c := sum.Categories[earshot.Negative]; sum.Labels != labels || math.Abs(c.Share-got.Share) > 1e-9 {
			t.Errorf("%d labels: the summary has %+v with %d labels, want %+v", labels, c, sum.Labels, got)
		}
	}
	// A day has few labels of its own and borrows those of others, but follows its scores.
	for _, day := range []int{6, 10, 14} {
		got, n := w.negative(t, day, day+1)
		if want := truth(day, day+1); got.Low > want || got.High < want || n < 20 || n > 65 || got.High-got.Low < 1.3*width || got.High-got.Low > 0.3 {
			t.Errorf("March %d: got %+v with %d labels; the truth is %.3f, and the interval of all days is %.3f wide", day, got, n, want, width)
		}
	}
}

// TestLabelsOfOtherPosts estimates posts that no label is of, or that a filter picks.
func TestLabelsOfOtherPosts(t *testing.T) {
	w := newJudged(t)
	w.Samples = samples{w.label(400)}
	whole, _ := w.negative(t, 5, 15)
	width := whole.High - whole.Low
	// Of 400 labels, 80 are of posts by women.
	f := w.monitor
	women, err := w.Overview(t.Context(), f, insight.OverviewRequest{Days: between(5, 15), Parts: []insight.Part{insight.CategoriesPart}, Filter: "gender:F", Refine: func(filter.Categories) (poststore.Selection, error) {
		return poststore.Selection{Having: []poststore.Having{{By: poststore.ByGender, Keys: []string{string(earshot.Female)}}}}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	got := women.Categories[earshot.Negative]
	if women.Labels < 60 || women.Labels > 100 || got.High-got.Low < 1.2*width || got.High-got.Low > 2.5*width {
		t.Errorf("a filter: got %+v with %d labels, want about 80 labels and an interval that is wider than %.3f", got, women.Labels, width)
	}
	// The criteria changed: posts that match now could not be drawn.
	w.monitor.Generation++
	if got, _ := w.negative(t, 5, 15); got.High-got.Low < 1.2*width {
		t.Errorf("after the criteria changed: got %+v, want an interval that is wider than %.3f", got, width)
	}
}

// TestCorrectionsDoNotBiasShares corrects all mistakes that the model made with posts it takes for negative
// ones. The labels already say how many there are.
func TestCorrectionsDoNotBiasShares(t *testing.T) {
	w := newJudged(t)
	w.Samples = samples{w.label(400)}
	before, _ := w.negative(t, 5, 15)
	corrected := map[earshot.PostKey]poststore.Correction{}
	for i, p := range w.posts {
		if w.classes[i] == earshot.Neutral && p.Sentiment[earshot.Negative] > 50 && len(corrected) < 300 {
			corrected[p.Key()] = poststore.Correction{Sentiment: earshot.Neutral + 1}
		}
	}
	store := &correctedPosts{w.Store.(*memory.Store), poststore.NewCorrections(corrected)}
	w.Store, w.Corrections = store, store
	after, _ := w.negative(t, 5, 15)
	if math.Abs(after.Share-before.Share) > 1e-9 || after.Posts != before.Posts-int64(len(corrected)) {
		t.Errorf("got %+v, want the share of %+v with %d posts less", after, before, len(corrected))
	}
	// If every post is corrected, nothing is uncertain.
	for i, p := range w.posts {
		corrected[p.Key()] = poststore.Correction{Sentiment: uint8(w.classes[i]) + 1}
	}
	store.corrections = poststore.NewCorrections(corrected)
	all, _ := w.negative(t, 5, 15)
	if want := float64(all.Posts) / float64(len(w.posts)); math.Abs(all.Share-want) > 1e-9 || all.High-all.Low > 1e-9 {
		t.Errorf("every post is corrected: got %+v, want %.4f", all, want)
	}
}

// TestDrift labels posts that people judge differently from March 10 on.
func TestDrift(t *testing.T) {
	w := newJudged(t)
	f := func(want bool) {
		t.Helper()
		w.Samples = samples{w.label(200)}
		p, err := w.Proportions(t.Context(), w.monitor, between(5, 15))
		if err != nil || p.LabelDrift != want {
			t.Errorf("got drift %t, %v; want %t", p.LabelDrift, err, want)
		}
	}
	f(false)
	for i, p := range w.posts {
		if p.Time.After(time.Date(2026, 3, 10, 0, 0, 0, 0, time.UTC)) && p.Sentiment[earshot.Negative] > 50 {
			w.classes[i] = earshot.Positive
		}
	}
	f(true)
}

// BenchmarkLabels estimates the shares of ten days with some labels.
func BenchmarkLabels(b *testing.B) {
	for _, n := range []int{0, 50, 200, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			w := newJudged(b)
			w.Samples = samples{w.label(n)}
			for b.Loop() {
				w.negative(b, 5, 15)
			}
		})
	}
}
