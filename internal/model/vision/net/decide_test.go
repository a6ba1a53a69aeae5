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

func TestDecide(t *testing.T) {
	n, err := New()
	if err != nil {
		t.Fatal(err)
	}
	type categories map[int]float32
	type objects map[string]float64
	f := func(name string, c categories, o objects, want string) {
		t.Helper()
		e := &evidence{categories: make([]float32, imageNetCategories)}
		for i, p := range c {
			e.categories[i] = p
		}
		for object, certainty := range o {
			at := slices.IndexFunc(n.groups, func(g group) bool { return g.class.Name == object })
			id := int64(personID)
			if at >= 0 {
				id = n.groups[at].class.ID
			}
			e.objects[id-1] = certainty
		}
		if got := spell(n, e); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	f("nothing is certain", categories{151: 0.3, 600: 0.3}, objects{"dog": 0.29, "person": 0.49}, "")
	f("breeds become a dog", categories{207: 0.5, 208: 0.4}, nil, "dog 0.90")
	f("a certain breed is named", categories{207: 0.92}, nil, "dog 0.92, golden retriever 0.92")
	f("both networks agree", categories{207: 0.3, 208: 0.2}, objects{"dog": 0.4}, "dog 0.87")
	f("a hint of the classifier is too little", categories{207: 0.2}, objects{"dog": 0.49}, "")
	f("a detection alone", nil, objects{"dog": 0.5, "person": 0.75}, "dog 0.80, person 0.95")
	f("an unlisted category", categories{398: 0.99}, nil, "")
	f("a scene", categories{977: 0.3, 978: 0.6}, nil, "beach 0.90")
	f("an action", categories{983: 0.9}, nil, "scuba diving 0.90")
	f("a broad class", categories{102: 0.5, 298: 0.45}, nil, "animal 0.95")
	f("a broad class is left out next to a specific one", categories{22: 0.5, 18: 0.45}, nil, "bird 0.95")
	f("and next to a detection without categories", categories{102: 0.95}, objects{"elephant": 0.6}, "elephant 0.86")
	f("cow or horse", nil, objects{"cow": 0.6, "horse": 0.4}, "")
	f("surely a cow", nil, objects{"cow": 0.6, "horse": 0.2}, "cow 0.86")
	f("a person and a board", nil, objects{"person": 0.7, "tennis racket": 0.6}, "person 0.92, playing tennis 0.79, tennis racket 0.86")
	f("scores stay below 1", categories{281: 1}, objects{"cat": 1}, "cat 0.99")
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
