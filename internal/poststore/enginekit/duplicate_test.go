package enginekit_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"earshot"
	"earshot/internal/poststore/enginekit"
	"earshot/internal/query"
)

// A text is what a Grouper gets to know about a post.
type text struct {
	sketch   enginekit.Sketch
	shingles []uint32
}

func sketchOf(contents string) text {
	var s enginekit.Sketcher
	enginekit.WalkKeys(query.NewDocument(&earshot.Post{Contents: contents}), func(t query.KeyToken) { s.Add(enginekit.WordHash(t)) })
	sketch, shingles := s.Sketch()
	return text{sketch, slices.Clone(shingles)}
}

// groupAll returns the group of each text.
func groupAll(texts []text) (groups []int) { return groupWith(new(enginekit.Grouper), texts) }

func groupWith(g *enginekit.Grouper, texts []text) (groups []int) {
	var leaders []text
	for _, t := range texts {
		group := g.Add(&t.sketch, t.shingles, func(group int) []uint32 { return leaders[group].shingles })
		if group == len(leaders) {
			leaders = append(leaders, t)
		}
		groups = append(groups, group)
	}
	return groups
}

func TestGrouper(t *testing.T) {
	f := func(want string, contents ...string) {
		t.Helper()
		var texts []text
		for _, c := range contents {
			texts = append(texts, sketchOf(c))
		}
		if got := fmt.Sprint(groupAll(texts)); got != want {
			t.Errorf("%q: got groups %s, want %s", contents, got, want)
		}
	}
	f("[0 0 0]", "A b c!", "a  B, c", "RT @ann: a b c https://example.com/x")
	f("[0 1 2]", "a b c", "a c b", "a b c d") // short texts must be equal
	f("[0 1 2]", "", "@ann", "https://example.com")
	f("[0 0]", "rt rt one two", "one two")
	f("[0 1]", "one rt two", "one two")
	long := "one two three four five six seven eight nine ten eleven twelve"
	f("[0 0 0 0]", long, long+" thirteen", "zero "+long, strings.Replace(long, "six", "6", 1))
	f("[0 1]", long, "twelve eleven ten nine eight seven six five four three two one")
	f("[0 1 0]", long, "something else entirely with as many words as that other text has", long+"!")
	f("[0 0]", "Café au lait, s'il vous plaît", "cafe au lait s'il vous plait")
}

// TestGroupsFollowTheDefinition compares a Grouper with loops over all earlier texts. Groups are
// built from texts with random edits.
func TestGroupsFollowTheDefinition(t *testing.T) {
	for seed := range uint64(5) {
		r := rand.New(rand.NewPCG(seed, 1))
		var texts []text
		var contents []string
		for len(texts) < 400 {
			c := randomText(r)
			if len(contents) > 0 && r.IntN(3) > 0 {
				c = edit(r, contents[r.IntN(len(contents))])
			}
			contents, texts = append(contents, c), append(texts, sketchOf(c))
		}
		got := groupAll(texts)
		var forgetful enginekit.Grouper
		forgetful.KeepNothing()
		if again := groupWith(&forgetful, texts); !slices.Equal(again, got) {
			t.Errorf("seed %d: got groups %v without kept shingles, want %v", seed, again, got)
		}
		var leaders []int
		near := 0
		for i, group := range got {
			if group == len(leaders) {
				leaders = append(leaders, i)
				continue
			}
			leader := texts[leaders[group]]
			same := slices.IndexFunc(texts[:i], func(s text) bool { return s.sketch == texts[i].sketch && slices.Equal(s.shingles, texts[i].shingles) })
			switch {
			case same >= 0 && got[same] != group:
				t.Fatalf("seed %d: %q is in group %d, and its duplicate in %d", seed, contents[i], group, got[same])
			case same < 0 && jaccard(texts[i].shingles, leader.shingles) < 0.6:
				t.Fatalf("seed %d: %q is in the group of %q", seed, contents[i], contents[leaders[group]])
			case same < 0:
				near++
			}
		}
		missed := 0
		for _, i := range leaders { // a leader is rarely a near-duplicate of an earlier one
			if slices.ContainsFunc(leaders, func(k int) bool { return k < i && jaccard(texts[i].shingles, texts[k].shingles) >= 0.8 }) {
				missed++
			}
		}
		if near == 0 || missed > near/20 {
			t.Errorf("seed %d: found %d near-duplicates and missed %d", seed, near, missed)
		}
	}
}

func randomText(r *rand.Rand) string {
	words := make([]string, 1+r.IntN(40)<<(r.IntN(10)/9*3)) // some are long
	for i := range words {
		words[i] = fmt.Sprint("w", r.IntN(200))
	}
	return strings.Join(words, " ")
}

// edit replaces, adds or removes a word.
func edit(r *rand.Rand, c string) string {
	words := strings.Fields(c)
	at := r.IntN(len(words))
	switch r.IntN(4) {
	case 0:
		words[at] = "new"
	case 1:
		words = slices.Insert(words, at, "more")
	case 2:
		words = slices.Delete(words, at, at+1)
	}
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, " ")
}

// jaccard returns the similarity of two sets.
func jaccard(a, b []uint32) float64 {
	common := 0
	for _, x := range a {
		if slices.Contains(b, x) {
			common++
		}
	}
	return float64(common) / float64(max(1, len(a)+len(b)-common))
}

func TestRelevance(t *testing.T) {
	f := func(counts []int, length int, want int64) {
		t.Helper()
		if got := enginekit.Relevance(counts, length); got != want {
			t.Errorf("%v of %d: got %d, want %d", counts, length, got, want)
		}
	}
	f(nil, 10, 0)
	f([]int{0, 0}, 10, 0)
	f([]int{1}, 30, 1000)
	f([]int{1, 1}, 30, 2000)
	f([]int{2}, 30, 1375)
	f([]int{1}, 60, 710)
}

// TestOutlines checks that an outline never excludes similar texts.
func TestOutlines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	similar := 0
	for range 4000 {
		c := randomText(r) + " " + randomText(r)
		a, d := sketchOf(c), c
		for range r.IntN(12) {
			d = edit(r, d)
		}
		b := sketchOf(d)
		if len(a.shingles) > 0 && len(b.shingles) > 0 && jaccard(a.shingles, b.shingles) >= 0.6 {
			similar++
			if !enginekit.MaySimilar(&a.sketch, &b.sketch) {
				t.Fatalf("%q and %q are similar, but their outlines exclude it", c, d)
			}
		}
	}
	if similar < 200 {
		t.Errorf("only %d pairs were similar", similar)
	}
}
