package opinion

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot"
)

func TestTargets(t *testing.T) {
	f := func(text string, want ...string) {
		t.Helper()
		if got := slices.Collect(targets(text)); !slices.Equal(got, want) {
			t.Errorf("%q: targets %q, want %q", text, got, want)
		}
	}
	f("")
	f("no target: none")
	f("hello @Anna, see https://Example.com/a?b.", "@Anna", "://Example.com")
	f("thanks @bob.", "@bob")
	f("http://t.co/x1 http://news.site", "://t.co", "://news.site")
	f("a@b.c @ :// @@x", "@b.c", "@x")
}

func TestAppendWordNGrams(t *testing.T) {
	f := func(word string, want ...string) {
		t.Helper()
		var hashes []uint64
		for _, part := range want {
			hashes = append(hashes, hashNGram([]byte(part)))
		}
		if got := appendWordNGrams(nil, []byte(word)); !slices.Equal(got, hashes) {
			t.Errorf("%q: %d parts, want %q", word, len(got), want)
		}
	}
	f("a")
	f("to", "_to_")
	f("card", "_car", "card", "ard_")
	f("über", "_übe", "über", "ber_")
	f("مكان", "_مك", "مكا", "كان", "ان_")
	f("서비스", "_서비", "서비스", "비스_")
}

func TestTitled(t *testing.T) {
	f := func(text string, want int) {
		t.Helper()
		if got := titled(text); got != want {
			t.Errorf("%q: %d fifths, want %d", text, got, want)
		}
	}
	f("", 0)
	f("all lower case", 0)
	f("All Of Them", 5)
	f("Only the first of five", 1)
	f("Élan et 12 Ämter", 3)
}

// features returns the features of a post by block.
func features(p earshot.Post) [blocks][]uint32 {
	var x extractor
	x.extract(&p)
	return x.features
}

func TestFeaturesAreDistinct(t *testing.T) {
	long := strings.Repeat("The same words, 5 times @Anna http://a.b/c #Tag ", 60)
	for _, p := range []earshot.Post{
		{}, {Contents: long}, {Title: long, Contents: long[:600]}, {Contents: strings.Repeat("字句", 700)},
		{Contents: "x", Sentiment: earshot.Sentiment{60, 30, 10}, Emotion: earshot.Emotion{40, 0, 60}, Interests: []earshot.InterestID{3, 9}},
	} {
		for b, list := range features(p) {
			sorted := slices.Sorted(slices.Values(list))
			if len(slices.Compact(sorted)) != len(list) {
				t.Errorf("block %d of %.30q: duplicate features", b, p.Contents)
			}
			for _, f := range list {
				if f == 0 || int(f%blocks) != b {
					t.Errorf("block %d of %.30q has feature %d", b, p.Contents, f)
				}
			}
		}
	}
}

func TestTitleEqualToTextIsIgnored(t *testing.T) {
	a, b := features(earshot.Post{Title: "so it is", Contents: "so it is"}), features(earshot.Post{Contents: "so it is"})
	for block := range a {
		if !slices.Equal(a[block], b[block]) {
			t.Errorf("block %d: %v, without the title %v", block, a[block], b[block])
		}
	}
}

// TestSpellings checks that the report can spell out every word feature except the four that mark
// the start or end of a text.
func TestSpellings(t *testing.T) {
	p := earshot.Post{Title: "Late again", Contents: "I can't believe @Airline lost 2 bags :( #LostBags 😡 https://t.co/xyz"}
	wanted := map[uint32]bool{}
	for _, f := range features(p)[words] {
		wanted[f] = true
	}
	c := corpus{docs: []*Document{{Post: p}}}
	got := c.spellings(wanted)
	if unread := len(wanted) - len(got); unread != 4 {
		t.Errorf("%d features have no spelling, want 4", unread)
	}
	var list []string
	for _, s := range got {
		list = append(list, s)
	}
	for _, want := range []string{"late", "late again", "ca n't", "believe @…", "@airline", "0–9 bags", ":(", "#lostbags", "lostbags", "😡", "t.co"} {
		if !slices.Contains(list, want) {
			t.Errorf("%q is not among %q", want, list)
		}
	}
}

func TestFeatureSet(t *testing.T) {
	var s featureSet
	random := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 3, 2000, 10} {
		s.reset(n)
		seen := map[uint32]bool{}
		for range n {
			f := random.Uint32N(uint32(n))
			if got := s.add(f); got == seen[f] {
				t.Fatalf("%d is new: %v, in a set of %d", f, got, n)
			}
			seen[f] = true
		}
	}
}

// TestScoreMatchesTheClassifier compares Model.Score, which reads quantized weights from a table,
// with the classifier.
func TestScoreMatchesClassifier(t *testing.T) {
	ids, docs := sample(4, 20)
	m := train(t, ids, docs)
	c, err := newCorpus(ids, docs)
	if err != nil {
		t.Fatal(err)
	}
	l := c.fit(func(*example) bool { return true })
	for i, d := range c.docs {
		want := make([]float32, len(ids))
		l.predict(&c.examples[i], want)
		m.calibration.apply(want)
		for k, score := range m.Score(&d.Post, nil) {
			if diff := score - want[k]; diff < -0.02 || diff > 0.02 {
				t.Fatalf("%q: score %d is %v, want %v", d.Post.Contents, k, score, want[k])
			}
		}
	}
}
