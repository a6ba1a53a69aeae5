package net

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"earshot/internal/model/vision"
)

// spell returns classes with their scores, such as "cat 0.95, person 0.80".
func spell(n *Networks, e *evidence) string {
	var all []string
	for _, s := range n.decide(e) {
		all = append(all, fmt.Sprintf("%s %.2f", s.Class.Name, s.Score))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

type categories map[int]float32

type objects map[string]float64

// newEvidence returns what the networks could say about an image.
func newEvidence(t *testing.T, n *Networks, m medium, c categories, o objects) *evidence {
	t.Helper()
	e := &evidence{medium: m, categories: make([]float32, imageNetCategories)}
	for i, p := range c {
		e.categories[i] = p
	}
	for object, certainty := range o {
		id := int64(0)
		for i, class := range n.classes {
			if i <= cocoClasses && class.Name == object {
				id = i
			}
		}
		if id == 0 {
			t.Fatalf("the detector does not know %s", object)
		}
		e.objects[id-1] = certainty
	}
	return e
}

func TestDecide(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, c categories, o objects, want string) {
		t.Helper()
		if got := spell(n, newEvidence(t, n, photo, c, o)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("nothing is certain", categories{151: 0.3, 600: 0.3}, objects{"dog": 0.29, "person": 0.49}, "")
	f("breeds become a dog", categories{207: 0.5, 208: 0.4}, objects{"dog": 0.2}, "dog 0.90")
	f("a certain breed is named", categories{207: 0.92}, objects{"dog": 0.2}, "dog 0.92, golden retriever 0.92")
	f("both networks agree", categories{207: 0.3, 208: 0.2}, objects{"dog": 0.4}, "")
	f("and are sure enough", categories{207: 0.4, 208: 0.25}, objects{"dog": 0.4}, "dog 0.91")
	f("a hint of the classifier is too little", categories{207: 0.2}, objects{"dog": 0.49}, "")
	f("a detection alone", nil, objects{"dog": 0.67, "person": 0.75}, "dog 0.90, person 0.95")
	f("only persons need no certain detection", nil, objects{"dog": 0.66, "person": 0.5}, "person 0.80")
	f("an object that the detector does not see", categories{281: 0.94}, objects{"cat": 0.1}, "animal 0.94")
	f("unless the classifier is sure", categories{281: 0.96}, nil, "cat 0.96")
	f("an unlisted category", categories{398: 0.99}, nil, "")
	f("a scene", categories{977: 0.3, 978: 0.6}, nil, "beach 0.90")
	f("an action", categories{983: 0.91}, nil, "scuba diving 0.91")
	f("a broad class", categories{102: 0.5, 298: 0.45}, nil, "animal 0.95")
	f("a broad class is left out next to a specific one", categories{22: 0.5, 18: 0.45}, objects{"bird": 0.2}, "bird 0.95")
	f("and next to a detection without categories", categories{102: 0.95}, objects{"giraffe": 0.7}, "giraffe 0.92")
	f("unless the detection is uncertain", categories{102: 0.95}, objects{"giraffe": 0.6}, "animal 0.95")
	f("an animal that the classifier does not see", categories{102: 0.95}, objects{"bear": 0.74}, "animal 0.95")
	f("unless the detector is sure", categories{102: 0.95}, objects{"bear": 0.75}, "bear 0.95")
	f("cow or horse", nil, objects{"cow": 0.9, "horse": 0.4}, "")
	f("probably a cow", nil, objects{"cow": 0.74, "horse": 0.2}, "")
	f("surely a cow", nil, objects{"cow": 0.75, "horse": 0.2}, "cow 0.95")
	f("both networks see a cow", categories{345: 0.65}, objects{"cow": 0.4}, "cow 0.91")
	f("a circle", nil, objects{"frisbee": 0.72}, "")
	f("rays", categories{879: 0.7}, objects{"umbrella": 0.54}, "")
	f("an umbrella", categories{879: 0.6}, objects{"umbrella": 0.55}, "umbrella 0.93")
	f("a frisbee", nil, objects{"frisbee": 0.75}, "frisbee 0.95")
	f("a person and a board", nil, objects{"person": 0.8, "tennis racket": 0.75}, "person 0.98, playing tennis 0.93, tennis racket 0.95")
	f("an uncertain person and a board", nil, objects{"person": 0.6, "tennis racket": 0.75}, "person 0.86, tennis racket 0.95")
	f("scores stay below 1", categories{281: 1}, objects{"cat": 1}, "cat 0.99")
	f("a page with text", categories{916: 0.3, 922: 0.2}, objects{"person": 0.9}, "")
	f("a little text", categories{916: 0.4}, objects{"person": 0.9}, "person 0.99")
}

// TestDecideByMedium checks that other images than photographs need more evidence.
func TestDecideByMedium(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	f := func(name string, m medium, c categories, o objects, want string) {
		t.Helper()
		if got := spell(n, newEvidence(t, n, m, c, o)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("unclear: a weak detection", unclear, nil, objects{"person": 0.69}, "")
	f("unclear: a strong detection", unclear, nil, objects{"person": 0.7}, "person 0.92")
	f("unclear: weak agreement", unclear, categories{281: 0.6}, objects{"cat": 0.49}, "")
	f("unclear: strong agreement", unclear, categories{281: 0.6}, objects{"cat": 0.5}, "cat 0.92")
	f("unclear: a probable category", unclear, categories{977: 0.94}, nil, "")
	f("unclear: a certain category", unclear, categories{977: 0.96}, nil, "beach 0.96")
	f("unclear: a probable breed", unclear, categories{207: 0.96}, objects{"dog": 0.2}, "dog 0.96")
	f("unclear: animals", unclear, categories{102: 0.96}, nil, "")
	f("a graphic", graphic, categories{281: 1}, objects{"cat": 1, "person": 1}, "")
	if got := n.decide(&evidence{medium: graphic}); got != nil {
		t.Errorf("without categories: got %v, want nothing", got)
	}
}

// TestDoubtful checks that the detector knows all objects with their own minimum.
func TestDoubtful(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for id := range int64(cocoClasses) {
		known[n.classes[id+1].Name] = true
	}
	for name, least := range doubtful {
		if !known[name] || least <= minDetector || least >= 1 {
			t.Errorf("%s: got minimum %g, want one above %g for an object that the detector knows", name, least, minDetector)
		}
	}
	for _, name := range lookalikes {
		if !known[name] {
			t.Errorf("the detector does not know %s", name)
		}
	}
}

// TestGroups checks that the probability of a parent is at least that of its children, and that logos
// are left to texts.
func TestGroups(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	lists, err := vision.New()
	if err != nil {
		t.Fatal(err)
	}
	byID := map[int64]group{}
	for _, g := range n.groups {
		if _, ok := byID[g.class.ID]; ok {
			t.Errorf("%s is listed twice", g.class.Name)
		}
		byID[g.class.ID] = g
		if g.class.Type == vision.Logo {
			t.Errorf("%s is a logo", g.class.Name)
		}
	}
	for _, g := range n.groups {
		parent, ok := lists.Parent(g.class.ID)
		if !ok {
			continue
		}
		for _, c := range g.categories {
			if !slices.Contains(byID[parent.ID].categories, c) {
				t.Errorf("category %d of %s is not one of %s", c, g.class.Name, parent.Name)
			}
		}
	}
	for _, c := range lists.Classes() {
		if _, ok := byID[c.ID]; !ok && c.Type == vision.Object && c.ID > cocoClasses {
			t.Errorf("%s has no categories", c.Name)
		}
	}
	if got := len(Categories()); got != imageNetCategories {
		t.Errorf("got %d categories, want %d", got, imageNetCategories)
	}
	f := func(list, want string) {
		t.Helper()
		if _, err := readGroups(list, lists); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", list, err, want)
		}
	}
	f("object unicorn: 1", `unknown class "object unicorn"`)
	f("object dog: 1000", `invalid range "1000"`)
	f("object dog: 5-3", `invalid range "5-3"`)
	f("object dog: 1, 1", "1 is listed twice")
	f("object dog:", "unknown class")
	f("broad animal (15-90): 1", `invalid range "15-90"`)
}
