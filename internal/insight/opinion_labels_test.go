package insight_test

import (
	"hash/fnv"
	"math"
	"math/rand/v2"
	"testing"

	"earshot"
	"earshot/internal/insight"
	"earshot/internal/poststore"
)

// TestLabelsCalibrateCategories labels posts of an opinion monitor: half of those that the model puts into
// Price are about Taste, if people are asked.
func TestLabelsCalibrateCategories(t *testing.T) {
	w := newTrainedWorld(t)
	w.Uncorrected = w.store
	w.bring(t, 10, 300, 150, 50)
	w.bring(t, 11, 300, 150, 50)
	truth, all := map[earshot.CategoryID]float64{}, []earshot.SampledPost{}
	posts, _, err := w.store.Posts(t.Context(), poststore.Selection{Set: poststore.MonitorSet(theMonitor)}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range posts {
		of := taste
		for id, text := range texts {
			if p.Contents == text {
				of = id
			}
		}
		h := fnv.New32()
		h.Write([]byte(p.GUID))
		if of == price && h.Sum32()%2 == 0 {
			of = taste
		}
		truth[of] += 1.0 / 1000
		all = append(all, earshot.SampledPost{Post: p.Key(), Posted: p.Time, Labels: []earshot.PostLabel{{User: 1, Category: of}}})
	}
	shares := func(from, to int) *insight.Proportions {
		t.Helper()
		p, err := w.Proportions(t.Context(), w.monitor, between(from, to))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := shares(10, 12); p.Labels != 0 || math.Abs(p.Total.Categories[1].Share-0.3) > 0.02 {
		t.Fatalf("without labels: got %+v with %d labels, want 0.3", p.Total.Categories[1], p.Labels)
	}
	random := rand.New(rand.NewPCG(5, 6))
	hits, rounds, width := 0, 60, 0.0
	for range rounds {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		w.Samples = samples{{Monitor: theMonitor, Posts: all[:100]}}
		p := shares(10, 12)
		sum := 0.0
		for _, c := range p.Total.Categories {
			sum += c.Share
			if want := truth[c.Category.ID]; c.Low <= want && want <= c.High {
				hits++
			}
			width += (c.High - c.Low) / float64(3*rounds)
		}
		if p.Labels != 100 || math.Abs(sum-1) > 1e-9 {
			t.Errorf("%d labels are used, and shares add up to %v", p.Labels, sum)
		}
		if day := shares(10, 11); day.Labels < 30 || day.Labels > 70 || day.Total.Categories[1].High-day.Total.Categories[1].Low < p.Total.Categories[1].High-p.Total.Categories[1].Low {
			t.Errorf("a day: got %+v with %d labels, want a wider interval than %+v", day.Total.Categories[1], day.Labels, p.Total.Categories[1])
		}
	}
	if width > 0.15 {
		t.Errorf("intervals are %.3f wide", width)
	}
	if hits < 3*rounds*85/100 {
		t.Errorf("%d of %d intervals contain the truth", hits, 3*rounds)
	}
}

// TestCorrectionsDoNotBiasCategories corrects most mistakes of the model, which puts posts about Taste into
// Price. The labels already say how many there are.
func TestCorrectionsDoNotBiasCategories(t *testing.T) {
	w := newTrainedWorld(t)
	w.Uncorrected = w.store
	w.bring(t, 10, 300, 300, 0)
	posts, _, err := w.store.Posts(t.Context(), poststore.Selection{Set: poststore.MonitorSet(theMonitor)}, 600)
	if err != nil {
		t.Fatal(err)
	}
	sample := &earshot.LabelSample{Monitor: theMonitor}
	corrected := map[earshot.PostKey]poststore.Correction{}
	ofPrice := 0
	for i, p := range posts {
		of := taste
		if p.Contents == texts[price] {
			if ofPrice++; ofPrice%2 == 0 {
				of = price
			} else if ofPrice%10 != 1 {
				corrected[p.Key()] = poststore.Correction{Category: taste} // 120 of 150 mistakes
			}
		}
		if i%3 == 0 {
			sample.Posts = append(sample.Posts, earshot.SampledPost{Post: p.Key(), Posted: p.Time, Labels: []earshot.PostLabel{{User: 1, Category: of}}})
		}
	}
	w.Samples = samples{sample}
	shareOfPrice := func() insight.Proportion {
		t.Helper()
		p, err := w.Proportions(t.Context(), w.monitor, between(10, 11))
		if err != nil {
			t.Fatal(err)
		}
		if day := p.Days[0].Categories[1]; math.Abs(day.Share-p.Total.Categories[1].Share) > 0.02 {
			t.Errorf("a day: got %+v, want about %+v", day, p.Total.Categories[1])
		}
		return p.Total.Categories[1]
	}
	before := shareOfPrice()
	store := &correctedPosts{w.store, poststore.NewCorrections(corrected)}
	w.Store, w.Corrections = store, store
	after := shareOfPrice()
	if math.Abs(before.Share-0.25) > 0.04 || math.Abs(after.Share-before.Share) > 0.001 {
		t.Errorf("got %+v, and %+v with %d corrections; want 0.25 twice", before, after, len(corrected))
	}
	// What people corrected is certain.
	for _, p := range posts {
		corrected[p.Key()] = poststore.Correction{Category: taste}
	}
	store.corrections = poststore.NewCorrections(corrected)
	if all := shareOfPrice(); all.Share != 0 || all.High != 0 {
		t.Errorf("every post is corrected: got %+v", all)
	}
}
