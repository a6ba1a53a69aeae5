package vision

import (
	"fmt"
	"strings"
	"testing"
)

// spell formats what alt text says: classes, then brands, with their scores unless these are
// Stated.
func spell(m *Model, text string) string {
	objects, brands := m.Alt(text)
	var all []string
	add := func(name string, score float64) {
		if score != Stated {
			name += fmt.Sprintf(" %g", score)
		}
		all = append(all, name)
	}
	for _, o := range objects {
		add(o.ClassName, o.Score)
	}
	for _, b := range brands {
		add("+"+b.Name, b.Score)
	}
	return strings.Join(all, ", ")
}

func TestAlt(t *testing.T) {
	m := newModel(t)
	f := func(text, want string) {
		t.Helper()
		if got := spell(m, text); got != want {
			t.Errorf("%q:\n got %q\nwant %q", text, got, want)
		}
	}
	f("A person riding a bicycle on a beach, wearing a Nike shirt", "person, riding a bike, bicycle, beach, +Nike")
	f("Two dogs and three puppies playing in the snow", "dog")
	f("People standing in line at a bus stop", "person, waiting in line, bus station - indoor")
	f("A man rides a red mountain bike through the woods", "person, riding mountain bike, bicycle, forest - broadleaf")
	f("Woman walking her small brown dog in the park", "person, walking the dog, dog, park")
	f("Kids playing a board game at the kitchen table", "person, dining table")
	f("A young girl blowing out the candles on a birthday cake", "person, blowing out candles, candle, cake")
	f("A golden retriever next to a yellow taxi", "dog, golden retriever, car, taxi")
	f("A poodle and another dog watch a coffee table", "dog, poodle")
	f("someone throwing a frisbee", "person, catching or throwing frisbee, frisbee")

	// Negations and hedges.
	f("An empty street with no people or cars", "street")
	f("A beach without any people, but a dog", "beach, dog")
	f("Not only a cat but also a dog", "cat, dog")
	f("May be an image of dog and outdoors", "dog 0.6")
	f("Image may contain: 1 person, bicycle. A cat.", "person 0.6, bicycle 0.6, cat")
	f("This appears to be a bear", "bear 0.6")
	f("Maybe a cat. Certainly a cat.", "cat")

	// Scenes with several variants.
	f("The interior of an old church", "church - indoor")
	f("A small church on a mountain", "church - outdoor, mountain")
	f("fans in a baseball stadium", "stadium - baseball")
	f("fans in a stadium", "")

	// Ambiguous words.
	f("A hot dog with mustard", "hot dog")
	f("A teddy bear on a couch", "teddy bear, couch")
	f("A dining table", "dining table")
	f("an orange shirt and an orange", "orange")
	f("a drawing of a house", "house")
	f("a red apple next to an Apple laptop", "apple, laptop, +Apple")
	f("Apple logo on a building", "+Apple")
	f("Apples and oranges in a bowl", "apple, orange, bowl")
	f("Jaguar sleeping in a tree", "")
	f("A parked Jaguar", "+Jaguar")
	f("Drinking Coca-Cola at McDonald’s", "drinking, +Coca-Cola, +McDonald's")
	f("the Louis Vuitton store in Paris", "+Louis Vuitton")

	// No matches.
	f("", "")
	f("Image", "")
	f("\xff\x00 ... ,,, ''", "")
	f("Ein Hund am Strand", "")
}

func TestAltOfLongText(t *testing.T) {
	m := newModel(t)
	objects, brands := m.Alt(strings.Repeat("a dog riding a bike ", 10_000))
	if len(objects) != 3 || len(brands) != 0 {
		t.Errorf("got %v and %v, want three classes", objects, brands)
	}
}

func FuzzAlt(f *testing.F) {
	m := newModel(f)
	f.Add("A person riding a bicycle, no dogs. May be Nike")
	f.Add("orange\xffan orange ’ing a's")
	f.Fuzz(func(t *testing.T, text string) {
		objects, brands := m.Alt(text)
		seen := map[int64]bool{}
		for _, o := range objects {
			class, ok := m.ClassByID(o.ClassID)
			if !ok || class.Name != o.ClassName || class.Type == Logo || seen[o.ClassID] || o.Score != Stated && o.Score != Hedged {
				t.Errorf("%q: got %+v", text, o)
			}
			seen[o.ClassID] = true
		}
		for _, b := range brands {
			if b.ID == "" || b.Name == "" || b.Score != Stated && b.Score != Hedged {
				t.Errorf("%q: got %+v", text, b)
			}
		}
	})
}

func BenchmarkAlt(b *testing.B) {
	m := newModel(b)
	b.ReportAllocs()
	for b.Loop() {
		m.Alt("A person riding a bicycle on a beach, wearing a Nike shirt")
	}
}

func newModel(t testing.TB) *Model {
	t.Helper()
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	return m
}
